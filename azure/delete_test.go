package azure

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/provider/fake"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Where batches are refused keys are deleted by one request each, some at once.
func TestDeletesAtOnce(t *testing.T) {
	environment(t)
	f := NewFake(t)
	fake.DeletesAtOnce(t, f.Server, open(t, f.At("p"), MaxInFlight(8)), 8, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		Fail(w, 405, "UnsupportedHttpVerb", "The resource does not support the specified HTTP verb.")
		return true
	})
}

// some stores objects and gives their keys, some of which are absent and some of which take
// escaping.
func some(f *Fake, n int) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprintf("c/%d é&+%%?", i))
		if i%10 > 0 {
			f.Set("p/"+keys[i], object{value: []byte("v")})
		}
	}
	f.Set("p/stays", object{value: []byte("v")})
	return keys
}

// 256 deletes are one request.
func TestDeleteBatches(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := open(t, f.At("p"))
	keys := some(f, 513)
	if err := store.DeleteAll(t.Context(), s, keys); err != nil {
		t.Fatal(err)
	}
	if got := f.Requests(); len(got) != 3 {
		t.Errorf("%d requests, the first %q", len(got), got[0])
	}
	wantKeys(t, s, "stays")
}

func wantKeys(t *testing.T, s store.Store, want ...string) {
	t.Helper()
	var got []string
	for e, err := range s.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Key)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%d keys are left, want %d: %q", len(got), len(want), got)
	}
}

// A batch that is done in part is an error about the first key that is left, with the kind of that,
// and names all that are.
func TestDeleteBatchInPart(t *testing.T) {
	environment(t)
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter)
		want   error
	}{
		{"throttled", func(w http.ResponseWriter) { Fail(w, 503, "ServerBusy", "The server is busy.") }, fault.Throttled},
		{"refused", func(w http.ResponseWriter) { Fail(w, 403, "AuthorizationPermissionMismatch", "Not allowed.") }, fault.Refused},
		{"no proof of absence", func(w http.ResponseWriter) {
			Fail(w, 404, "ContainerNotFound", "The specified container does not exist.")
		}, fault.Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFake(t)
			s := bare(t, f.At("p"))
			keys := some(f, 50)
			f.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
				bad := strings.Contains(r.URL.Path, "/33 ") || strings.Contains(r.URL.Path, "/44 ")
				if bad {
					c.answer(w)
				}
				return bad
			}
			err := s.(store.BatchDeleter).DeleteAll(t.Context(), keys)
			var at *fault.KeyError
			var left *store.NotDeleted
			if !errors.Is(err, c.want) || !errors.As(err, &at) || at.Key != keys[33] || !errors.As(err, &left) || !slices.Equal(left.Keys, []string{keys[33], keys[44]}) {
				t.Errorf("got %v, %+v", err, left)
			}
			wantKeys(t, s, keys[33], keys[44], "stays")
		})
	}
}

// What is left of a batch is sent again, and nothing else.
func TestDeleteBatchAgain(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := open(t, f.At("p"))
	keys := some(f, 50)
	var mu sync.Mutex
	asked := map[string]int{}
	f.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		bad := strings.Contains(r.URL.Path, "/33 ") && asked[r.URL.Path] == 1
		if bad {
			Fail(w, 503, "ServerBusy", "The server is busy.")
		}
		return bad
	}
	if err := store.DeleteAll(t.Context(), s, keys); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, times := range asked {
		n += times
	}
	if n != 51 || len(f.Requests()) != 2 {
		t.Errorf("%d deletes for 50 keys", n)
	}
	wantKeys(t, s, "stays")
}

// Answers that look like one to a batch, or nearly: no key is taken for deleted that is not said to
// be.
func TestDeleteBatchForeign(t *testing.T) {
	environment(t)
	part := func(id, response string) string {
		return "--b\r\nContent-Type: application/http\r\nContent-ID: " + id + "\r\n\r\n" + response + "\r\n\r\n\r\n"
	}
	for _, c := range []struct{ name, mime, body string }{
		{"empty", "multipart/mixed; boundary=b", ""},
		{"a page", "text/html", "<html>"},
		{"no boundary", "multipart/mixed", "x"},
		{"no parts", "multipart/mixed; boundary=b", "--b--\r\n"},
		{"one key of two", "multipart/mixed; boundary=b", part("PRE0", "HTTP/1.1 OK") + "--b--\r\n"},
		{"one key twice", "multipart/mixed; boundary=b", part("PRE0", "HTTP/1.1 OK") + part("PRE0", "HTTP/1.1 OK") + "--b--\r\n"},
		{"another key", "multipart/mixed; boundary=b", part("PRE0", "HTTP/1.1 OK") + part("PRE7", "HTTP/1.1 OK") + "--b--\r\n"},
		{"a negative key", "multipart/mixed; boundary=b", part("PRE0", "HTTP/1.1 OK") + part("PRE-1", "HTTP/1.1 404 Not Found") + "--b--\r\n"},
		{"no number", "multipart/mixed; boundary=b", part("PRE0", "HTTP/1.1 OK") + part("", "HTTP/1.1 404 Not Found") + "--b--\r\n"},
		{"no HTTP", "multipart/mixed; boundary=b", part("PRE0", "HTTP/1.1 OK") + part("PRE1", "what") + "--b--\r\n"},
		{"cut", "multipart/mixed; boundary=b", part("PRE0", "HTTP/1.1 OK") + "--b\r\nContent-ID: PRE1\r\n\r\nHTTP/1.1 OK"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFake(t)
			body := strings.ReplaceAll(strings.ReplaceAll(c.body, "1.1 OK", "1.1 202 Accepted"), "PRE", "")
			f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", c.mime)
				w.WriteHeader(202)
				_, _ = w.Write([]byte(body))
				return true
			})
			err := bare(t, f.At("p")).(store.BatchDeleter).DeleteAll(t.Context(), []string{"a", "b"})
			if !errors.Is(err, fault.Unavailable) {
				t.Errorf("got %v", err)
			}
		})
	}
}
