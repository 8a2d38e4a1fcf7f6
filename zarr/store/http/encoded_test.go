package http

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

func zipped(t *testing.T, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, m := range members {
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(m)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// TestGzip reads a value that the server encodes by gzip although the request does not accept it.
// "static" serves an encoded file with ranges of its encoding, "flushed" has no length, and "deaf"
// ignores ranges.
func TestGzip(t *testing.T) {
	body := zipped(t, "0123", "456789")
	head := func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "gzip") }
	handlers := map[string]http.HandlerFunc{
		"static": func(w http.ResponseWriter, r *http.Request) {
			head(w)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
		},
		"flushed": func(w http.ResponseWriter, _ *http.Request) {
			head(w)
			_, _ = w.Write(body[:5])
			w.(http.Flusher).Flush()
			_, _ = w.Write(body[5:])
		},
		"deaf": func(w http.ResponseWriter, _ *http.Request) { head(w); _, _ = w.Write(body) },
		"old": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "X-GZIP")
			_, _ = w.Write(body)
		},
	}
	tests := []struct {
		o    store.GetOptions
		want string
		err  error
	}{
		{store.GetOptions{}, "0123456789", nil},
		{store.GetOptions{Max: 10}, "0123456789", nil},
		{store.GetOptions{Max: 9}, "", fault.Limit},
		{store.GetOptions{Range: store.Within(2, 4)}, "2345", nil},
		{store.GetOptions{Range: store.Within(2, 4), Max: 4}, "2345", nil},
		{store.GetOptions{Range: store.Within(2, 4), Max: 3}, "", fault.Limit},
		{store.GetOptions{Range: store.Within(8, 3)}, "", fault.Corrupt},
		{store.GetOptions{Range: store.Within(20, 3)}, "", fault.Corrupt},
		{store.GetOptions{Range: store.From(7)}, "789", nil},
		{store.GetOptions{Range: store.From(7), Max: 2}, "", fault.Limit},
		{store.GetOptions{Range: store.From(10)}, "", fault.Corrupt},
		{store.GetOptions{Range: store.Suffix(3)}, "789", nil},
		{store.GetOptions{Range: store.Suffix(10), Max: 9}, "", fault.Limit},
		{store.GetOptions{Range: store.Suffix(11)}, "", fault.Corrupt},
	}
	for name, h := range handlers {
		st := once(t, serve(t, h))
		for _, test := range tests {
			v, err := st.Get(t.Context(), "k", test.o, []byte("held"))
			if test.err != nil {
				// The server itself may refuse a range that its encoding does not have.
				if !errors.Is(err, test.err) {
					t.Errorf("%s: %v: got %v, want %v", name, test.o, err, test.err)
				}
				continue
			}
			if err != nil || string(v.Bytes) != "held"+test.want || v.Size != 10 {
				t.Errorf("%s: %v: got %q of %d, %v, want %q", name, test.o, v.Bytes, v.Size, err, test.want)
			}
		}
	}
}

// TestGzipShort reads a range that starts after the end of the encoding, so the server responds
// 416.
func TestGzipShort(t *testing.T) {
	body := zipped(t, string(make([]byte, 1<<20)))
	st := once(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}))
	for _, r := range []store.Range{store.Within(1<<19, 8), store.From(1<<20 - 8)} {
		v, err := st.Get(t.Context(), "k", store.GetOptions{Range: r}, nil)
		if err != nil || len(v.Bytes) != 8 || v.Size != 1<<20 {
			t.Errorf("%v: got %d of %d, %v", r, len(v.Bytes), v.Size, err)
		}
	}
}

func TestGzipHostile(t *testing.T) {
	good := zipped(t, "0123456789")
	bad := bytes.Clone(good)
	bad[len(bad)-8] ^= 1 // the checksum
	encoded := func(b []byte) store.Store {
		return once(t, serve(t, reply(200, string(b), "Content-Encoding", "gzip")))
	}
	for name, b := range map[string][]byte{"cut": good[:len(good)-3], "checksum": bad, "bytes behind": append(bytes.Clone(good), "x"...)} {
		for _, r := range []store.Range{{}, store.Within(0, 3), store.From(2), store.Suffix(2)} {
			if v, err := encoded(b).Get(t.Context(), "k", store.GetOptions{Range: r}, nil); !errors.Is(err, fault.Unavailable) {
				t.Errorf("%s, %v: got %q, %v", name, r, v.Bytes, err)
			}
		}
	}
	bomb := encoded(zipped(t, string(make([]byte, 64<<20))))
	for _, o := range []store.GetOptions{{Max: 1 << 10}, {Range: store.From(3), Max: 1 << 10}, {Range: store.Suffix(3)}} {
		if _, err := bomb.Get(t.Context(), "k", o, nil); !errors.Is(err, fault.Limit) {
			t.Errorf("%v: got %v", o, err)
		}
	}
	if _, err := encoded(zipped(t, "")).Get(t.Context(), "zarr.json", store.GetOptions{}, nil); !errors.Is(err, fault.Unavailable) {
		t.Errorf("empty metadata: got %v", err)
	}
	if v, err := encoded(nil).Get(t.Context(), "k", store.GetOptions{}, nil); err != nil || len(v.Bytes) != 0 || v.Size != 0 {
		t.Errorf("empty body: got %q, %v", v.Bytes, err)
	}
}

func TestForbiddenIsAbsent(t *testing.T) {
	var query string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		http.Error(w, "no", map[bool]int{true: 401, false: 403}[r.URL.Path == "/secret"])
	})
	if _, err := once(t, url).Get(t.Context(), "k", store.GetOptions{}, nil); !errors.Is(err, fault.Denied) || errors.Is(err, fault.NotFound) {
		t.Errorf("default: got %v", err)
	}
	for name, st := range map[string]store.Store{
		"option": once(t, url+"?b=%2f&a", ForbiddenIsAbsent()), "parameter": once(t, url+"?b=%2f&zargo-403=absent&a"),
	} {
		_, err := st.Get(t.Context(), "k", store.GetOptions{}, nil)
		if !errors.Is(err, fault.NotFound) || errors.Is(err, fault.Refused) || query != "b=%2f&a" {
			t.Errorf("%s: got %v with the query %q", name, err, query)
		}
		if _, err := st.Get(t.Context(), "k", store.GetOptions{IfVersion: `"1"`}, nil); !errors.Is(err, fault.Conflict) {
			t.Errorf("%s, pinned: got %v", name, err)
		}
		if _, err := st.Get(t.Context(), "secret", store.GetOptions{}, nil); !errors.Is(err, fault.Refused) || errors.Is(err, fault.NotFound) {
			t.Errorf("%s, 401: got %v", name, err)
		}
	}
	var u *UsageError
	if _, err := Open(t.Context(), url+"?zargo-403=yes"); !errors.As(err, &u) {
		t.Errorf("got %v", err)
	}
	if s := fmt.Sprint(ForbiddenIsAbsent()); s != "http.ForbiddenIsAbsent()" {
		t.Error(s)
	}
}
