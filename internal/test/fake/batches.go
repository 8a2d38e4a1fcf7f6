package fake

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Batching describes a provider that deletes many keys with one request, which has a part for each
// key.
type Batching struct {
	// Serve starts a server with an empty bucket.
	Serve func(t *testing.T) Batched
	Size  int // maximum number of keys in a batch

	Busy, Denied, NoBucket func(http.ResponseWriter) // write a response to one delete

	Status int    // status of the response to a batch
	Gone   string // status of a part whose key was deleted, such as "204 No Content"
	ID     string // prefix of the number in the Content-ID of a part
}

// Batched is a server started by Serve of a [Batching], and stores for one prefix of its bucket.
type Batched struct {
	*Server
	Set    func(key string)    // stores an object
	Refuse func(answer Answer) // sets the response to deletes in batches
	Open   func() store.Store  // opens a store with all layers
	Bare   func() store.Store  // opens a store without layers
}

// some returns n keys with characters that must be escaped. It stores objects under nine tenths of
// these keys, and under the key "stays".
func (b Batched) some(n int) (keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprintf("c/%d é&+%%?", i))
		if i%10 > 0 {
			b.Set(keys[i])
		}
	}
	b.Set("stays")
	return keys
}

// DeleteBatches checks that each batch of deletes takes one request.
func DeleteBatches(t *testing.T, p Batching) {
	f := p.Serve(t)
	s := f.Open()
	keys := f.some(2*p.Size + 1)
	if err := store.DeleteAll(t.Context(), s, keys); err != nil {
		t.Fatal(err)
	}
	if got := f.Requests(); len(got) != 3 {
		t.Errorf("%d requests, the first %q", len(got), got[0])
	}
	WantKeys(t, s, "stays")
}

// WantKeys fails the test unless the store contains exactly the given keys.
func WantKeys(t *testing.T, s store.Store, want ...string) {
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

// DeleteBatchInPart checks the error of a batch if some of its deletes fail. The error must be a
// KeyError for the first key that was not deleted. It must have the kind of that key's failure, and
// must contain all keys that were not deleted.
func DeleteBatchInPart(t *testing.T, p Batching) {
	for _, c := range []struct {
		name   string
		answer func(http.ResponseWriter)
		want   error
	}{
		{"throttled", p.Busy, fault.Throttled},
		{"refused", p.Denied, fault.Refused},
		{"no proof of absence", p.NoBucket, fault.Refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := p.Serve(t)
			s := f.Bare()
			keys := f.some(50)
			f.Refuse(func(w http.ResponseWriter, r *http.Request) bool {
				bad := strings.Contains(r.URL.Path, "/33 ") || strings.Contains(r.URL.Path, "/44 ")
				if bad {
					c.answer(w)
				}
				return bad
			})
			err := s.(store.BatchDeleter).DeleteAll(t.Context(), keys)
			var at *fault.KeyError
			var left *store.NotDeleted
			if !errors.Is(err, c.want) || !errors.As(err, &at) || at.Key != keys[33] || !errors.As(err, &left) || !slices.Equal(left.Keys, []string{keys[33], keys[44]}) {
				t.Errorf("got %v, %+v", err, left)
			}
			WantKeys(t, s, keys[33], keys[44], "stays")
		})
	}
}

// DeleteBatchAgain checks that a retry of a batch contains only the keys that were not deleted.
func DeleteBatchAgain(t *testing.T, p Batching) {
	f := p.Serve(t)
	s := f.Open()
	keys := f.some(50)
	var mu sync.Mutex
	asked := map[string]int{}
	f.Refuse(func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		bad := strings.Contains(r.URL.Path, "/33 ") && asked[r.URL.Path] == 1
		if bad {
			p.Busy(w)
		}
		return bad
	})
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
	WantKeys(t, s, "stays")
}

// DeleteBatchForeign sends malformed and incomplete responses to batches of deletes. Only keys that
// a response reports as deleted may count as deleted.
func DeleteBatchForeign(t *testing.T, p Batching) {
	part := func(number, response string) string {
		if number != "" {
			number = p.ID + number
		}
		return "--b\r\nContent-Type: application/http\r\nContent-ID: " + number + "\r\n\r\n" + response + "\r\n\r\n\r\n"
	}
	gone := "HTTP/1.1 " + p.Gone
	const mixed = "multipart/mixed; boundary=b"
	for _, c := range []struct{ name, mime, body string }{
		{"empty", mixed, ""},
		{"a page", "text/html", "<html>"},
		{"no boundary", "multipart/mixed", "x"},
		{"no parts", mixed, "--b--\r\n"},
		{"one key of two", mixed, part("0", gone) + "--b--\r\n"},
		{"one key twice", mixed, part("0", gone) + part("0", gone) + "--b--\r\n"},
		{"another key", mixed, part("0", gone) + part("7", gone) + "--b--\r\n"},
		{"a negative key", mixed, part("0", gone) + part("-1", "HTTP/1.1 404 Not Found") + "--b--\r\n"},
		{"no number", mixed, part("0", gone) + part("", "HTTP/1.1 404 Not Found") + "--b--\r\n"},
		{"no HTTP", mixed, part("0", gone) + part("1", "what") + "--b--\r\n"},
		{"cut", mixed, part("0", gone) + "--b\r\nContent-ID: " + p.ID + "1\r\n\r\n" + gone},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := p.Serve(t)
			f.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("Content-Type", c.mime)
				w.WriteHeader(p.Status)
				_, _ = w.Write([]byte(c.body))
				return true
			})
			err := f.Bare().(store.BatchDeleter).DeleteAll(t.Context(), []string{"a", "b"})
			if !errors.Is(err, fault.Unavailable) {
				t.Errorf("got %v", err)
			}
		})
	}
}
