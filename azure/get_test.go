package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestTailRequests checks that a suffix read requests the size the first time, does not while the
// size is cached, and does again after the value was replaced.
func TestTailRequests(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("k", object{value: []byte("0123456789")})
	s := bare(t, f.At(""))
	get := func(o store.GetOptions, want string, requests ...string) store.Version {
		t.Helper()
		v, err := s.Get(t.Context(), "k", o, nil)
		if err != nil || string(v.Bytes) != want {
			t.Fatalf("got %q, %v; want %q", v.Bytes, err, want)
		}
		if got := f.Requests(); !slices.Equal(got, requests) {
			t.Fatalf("requests %q\nwant     %q", got, requests)
		}
		return v.Version
	}
	last4 := store.GetOptions{Range: store.Suffix(4)}
	const head, read = "HEAD /acct/zarr-test/k", "GET /acct/zarr-test/k bytes=6-9"
	v := get(last4, "6789", head, read)
	get(last4, "6789", read)
	get(store.GetOptions{Range: store.Suffix(4), IfVersion: v}, "6789", read)

	f.Set("k", object{value: []byte("abcdefghijkl")})
	get(last4, "ijkl", read, head, "GET /acct/zarr-test/k bytes=8-11")

	f.Set("k", object{value: []byte("xy")}) // shorter than the cached size
	if v := get(store.GetOptions{Range: store.Suffix(2)}, "xy", "GET /acct/zarr-test/k bytes=10-11", head, "GET /acct/zarr-test/k bytes=0-1"); v == "" {
		t.Error("no version")
	}

	w, err := s.Put(t.Context(), "k", []byte("0123456789"), store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.Requests()
	if got := get(last4, "6789", read); got != w {
		t.Errorf("version %s, want %s", got, w)
	}
}

// TestTailPinned checks that a cached size hides neither the absence of a value nor a missing
// version.
func TestTailPinned(t *testing.T) {
	environment(t)
	f := NewFake(t)
	s := bare(t, f.At(""))
	v, err := s.Put(t.Context(), "k", []byte("0123456789"), store.PutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.Set("k", object{value: []byte("9876543210")})
	_, err = s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(4), IfVersion: v}, nil)
	if !errors.Is(err, fault.Conflict) {
		t.Errorf("replaced: %v", err)
	}
	if _, err = s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(4), IfNotVersion: v}, nil); err != nil {
		t.Errorf("IfNotVersion of the old one: %v", err)
	}
	f.mu.Lock()
	delete(f.blobs, "k")
	f.mu.Unlock()
	if _, err = s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(4)}, nil); !errors.Is(err, fault.NotFound) {
		t.Errorf("deleted: %v", err)
	}
	if _, err = s.Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(4), IfVersion: v}, nil); !errors.Is(err, fault.Conflict) || errors.Is(err, fault.NotFound) {
		t.Errorf("deleted and pinned: %v", err)
	}
}

// TestTailKeepsChanging checks the error if the value is replaced between each request for its size
// and the read.
func TestTailKeepsChanging(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("k", object{value: []byte("0123456789")})
	n := 0
	f.Answer(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == "GET" {
			n++
			f.Set("k", object{value: fmt.Appendf(nil, "value %d", n)})
		}
		return false
	})
	_, err := bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{Range: store.Suffix(4)}, nil)
	if !errors.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}

func TestSizesAreBounded(t *testing.T) {
	var s sizes
	for i := range 3 * maxSizes {
		s.set(fmt.Sprint(i), sized{"v", int64(i)})
	}
	if len(s.m) != maxSizes {
		t.Errorf("%d sizes are remembered", len(s.m))
	}
	if got, ok := s.of(fmt.Sprint(3*maxSizes - 1)); !ok || got.size != 3*maxSizes-1 {
		t.Errorf("the latest is %v, %v", got, ok)
	}
}

// TestNothingIsNotRead checks that an empty range sends no read, so gocloud's reader cannot leak a
// connection.
func TestNothingIsNotRead(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("k", object{value: []byte("0123456789")})
	s := bare(t, f.At(""))
	for _, r := range []store.Range{store.Within(0, 0), store.Within(5, 0), store.Suffix(0)} {
		if _, err := s.Get(t.Context(), "k", store.GetOptions{Range: r}, nil); !errors.Is(err, fault.Selection) {
			t.Errorf("%v: %v", r, err)
		}
	}
	if got := f.Requests(); len(got) != 0 {
		t.Errorf("requests %q", got)
	}
}

func TestCutBody(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("k", object{value: []byte("0123456789")})
	f.Answer(func(w http.ResponseWriter, r *http.Request) bool { f.Cut(w, r); return true })
	s := bare(t, f.At(""))
	buf := append(make([]byte, 0, 64), "held"...)
	_, err := s.Get(t.Context(), "k", store.GetOptions{}, buf)
	var cut *store.TruncatedError
	if !errors.Is(err, fault.Unavailable) || !errors.As(err, &cut) {
		t.Fatal(err)
	}
	if string(cut.Value.Bytes) != "held01234" || cut.Want != 10 || cut.Value.Size != 10 || cut.Value.Version == "" {
		t.Errorf("%q of %d, size %d, version %q", cut.Value.Bytes, cut.Want, cut.Value.Size, cut.Value.Version)
	}
}

// TestExactBuffers checks that a read appends to a buffer with enough capacity, and otherwise
// allocates the exact size.
func TestExactBuffers(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("k", object{value: make([]byte, 70_000)})
	s := bare(t, f.At(""))
	buf := make([]byte, 0, 70_000)
	v, err := s.Get(t.Context(), "k", store.GetOptions{}, buf)
	if err != nil || &v.Bytes[0] != &buf[:1][0] {
		t.Errorf("another array was returned (%v)", err)
	}
	if v, err = s.Get(t.Context(), "k", store.GetOptions{Range: store.Within(1, 69_999)}, nil); err != nil || cap(v.Bytes) != 69_999 {
		t.Errorf("capacity %d, %v", cap(v.Bytes), err)
	}
}

// TestFolders checks that a directory of a hierarchical namespace is not read as an empty chunk.
// Azure returns it as an empty blob.
func TestFolders(t *testing.T) {
	environment(t)
	f := NewFake(t)
	f.Set("dir", object{header: map[string]string{"X-Ms-Meta-Hdi_isfolder": "true"}, kind: "directory"})
	f.Set("dir/c", object{value: []byte("x")})
	s := bare(t, f.At(""))
	for _, r := range []store.Range{{}, store.Suffix(1)} {
		if _, err := s.Get(t.Context(), "dir", store.GetOptions{Range: r}, nil); !errors.Is(err, fault.NotFound) {
			t.Errorf("%v: %v", r, err)
		}
	}
	for e, err := range s.List(t.Context(), "", store.ListOptions{}) {
		if err != nil || e.Key != "dir/c" {
			t.Errorf("listed %v, %v", e, err)
		}
	}
}

// TestContentEncoding checks that values with a content encoding are read as stored.
func TestContentEncoding(t *testing.T) {
	environment(t)
	f := NewFake(t)
	gz := "\x1f\x8b\x08\x00 not really"
	f.Set("k", object{value: []byte(gz), header: map[string]string{"Content-Encoding": "gzip"}})
	v, err := bare(t, f.At("")).Get(t.Context(), "k", store.GetOptions{}, nil)
	if err != nil || string(v.Bytes) != gz {
		t.Errorf("%q, %v", v.Bytes, err)
	}
	if got := f.Header().Get("Accept-Encoding"); strings.Contains(got, "gzip") {
		t.Errorf("asked for %q", got)
	}
}

func TestAnnounced(t *testing.T) {
	length := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name    string
		r       store.Range
		status  int
		length  *int64
		content string
		n, size int64
		kind    error
	}{
		{"whole", store.Range{}, 200, length(5), "", 5, 5, nil},
		{"from 0 of nothing", store.From(0), 200, length(0), "", 0, 0, fault.Corrupt},
		{"within", store.Within(2, 3), 206, length(3), "bytes 2-4/9", 3, 9, nil},
		{"no length", store.Range{}, 200, nil, "", 0, 0, fault.Unavailable},
		{"range ignored", store.Within(2, 3), 200, length(9), "", 0, 0, fault.Unavailable},
		{"range not asked for", store.Range{}, 206, length(3), "bytes 2-4/9", 0, 0, fault.Unavailable},
		{"another range", store.Within(2, 3), 206, length(3), "bytes 1-3/9", 0, 0, fault.Unavailable},
		{"length and range differ", store.Within(2, 3), 206, length(4), "bytes 2-4/9", 0, 0, fault.Unavailable},
		{"short value", store.Within(7, 3), 206, length(2), "bytes 7-8/9", 0, 0, fault.Corrupt},
		{"no total", store.Within(2, 3), 206, length(3), "bytes 2-4/*", 0, 0, fault.Unavailable},
		{"empty range of Azurite", store.Within(9, 1), 206, length(0), "bytes 9-8/9", 0, 0, fault.Corrupt},
		{"empty value of Azurite", store.Within(0, 1), 206, length(0), "bytes 0--1/0", 0, 0, fault.Corrupt},
		{"empty range within the value", store.Within(2, 3), 206, length(0), "bytes 9-8/9", 0, 0, fault.Unavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := announced(c.r, c.status, c.length, c.content)
			if a.N != c.n && c.kind == nil || a.Size != c.size && c.kind == nil || !errors.Is(err, c.kind) {
				t.Errorf("%d of %d, %v; want %d of %d, %v", a.N, a.Size, err, c.n, c.size, c.kind)
			}
		})
	}
}

// FuzzEmptyRange checks that Azurite's form of an empty range is distinct from ranges with bytes.
func FuzzEmptyRange(f *testing.F) {
	for _, s := range []string{"bytes 0-4/5", "bytes 9-8/9", "bytes 0--1/0", "bytes */5", "", "bytes 1-2/99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, _, _, ok := provider.ContentRange(s)
		if n, empty := emptyRange(s); empty && (n < 0 || ok) {
			t.Errorf("%q is empty, of %d, and not", s, n)
		}
	})
}

// TestManyTails counts the requests for the ends of many values: one listing replaces the requests
// for most of the sizes. Few values are not listed. A listing that is refused, or that lacks the
// values, is repeated rarely.
func TestManyTails(t *testing.T) {
	environment(t)
	for _, c := range []struct {
		name          string
		n, others     int  // number of values, and of others that a listing has before them
		refused       bool // the service refuses listings
		heads, listed int  // maximum numbers of requests for a size, and of listings
	}{
		{"1", 1, 0, false, 1, 0},
		{"8", 8, 0, false, 8, 0},
		{"100", 100, 0, false, 100, 0},
		{"5000", 5000, 0, false, 1000, 1},
		{"2000 behind others", 2000, 6000, false, 2000, 4},
		{"2000 without permission", 2000, 0, true, 2000, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := NewFake(t)
			key := func(i int) string { return fmt.Sprintf("a/c/%d/%d", i/100, i%100) }
			for i := range c.n {
				f.Set("p/"+key(i), object{value: []byte("0123456789")})
			}
			for i := range c.others {
				f.Set(fmt.Sprintf("p/a/b/%d", i), object{value: []byte("0")})
				f.Set(fmt.Sprintf("p/a/c/!%d", i), object{value: []byte("0")})
			}
			f.Answer(func(w http.ResponseWriter, r *http.Request) bool {
				if c.refused && r.URL.Query().Get("comp") == "list" {
					w.WriteHeader(http.StatusForbidden)
					return true
				}
				return false
			})
			s := bare(t, f.At("p"))
			if err := concurrency.EachN(t.Context(), 32, c.n, func(ctx context.Context, i int) error {
				v, err := s.Get(ctx, key(i), store.GetOptions{Range: store.Suffix(4)}, nil)
				if err == nil && string(v.Bytes) != "6789" {
					err = fmt.Errorf("%s: %q", key(i), v.Bytes)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			heads, lists, gets := 0, 0, 0
			for _, r := range f.Requests() {
				switch {
				case strings.HasPrefix(r, "HEAD "):
					heads++
				case !strings.Contains(r, "/p/"):
					lists++
				default:
					gets++
				}
			}
			t.Logf("%d heads, %d listings, %d gets", heads, lists, gets)
			if heads > c.heads || lists > c.listed || gets != c.n {
				t.Errorf("%d heads, %d listings, %d gets; want at most %d, %d, %d", heads, lists, gets, c.heads, c.listed, c.n)
			}
		})
	}
}
