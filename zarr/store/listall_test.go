package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// ordered lists keys in pages that take some time, as a bucket does.
type ordered struct {
	store.Store
	keys   []string // in order
	page   int
	took   time.Duration
	fanout int
	fails  int // number of the request that fails; 0 means none

	mu       sync.Mutex
	requests int
	now      int
	most     int
}

func (s *ordered) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Listings:
		t.Ordered = true
	case *store.Tuning:
		*t = store.Local()
		t.ListFanout = s.fanout
	default:
		return false
	}
	return true
}

func (s *ordered) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	if err := o.Check(prefix); err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	s.requests++
	s.now++
	s.most = max(s.most, s.now)
	fails := s.requests == s.fails
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	if s.took > 0 {
		select {
		case <-time.After(s.took):
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
	if fails {
		return nil, "", &fault.KeyError{Op: "list", Key: prefix, Kind: fault.Refused}
	}
	at := ""
	if prefix != "" {
		at = prefix + "/"
	}
	from := max(at+o.KeyPrefix, at+o.StartAfter, token)
	i, _ := slices.BinarySearch(s.keys, from)
	page := make([]store.Entry, 0, s.page)
	for ; i < len(s.keys) && strings.HasPrefix(s.keys[i], at+o.KeyPrefix); i++ {
		if e := (store.Entry{Key: s.keys[i]}); e.Key > token && o.Match(prefix, e) {
			if len(page) == s.page {
				return page, page[len(page)-1].Key, nil
			}
			page = append(page, e)
		}
	}
	return page, "", nil
}

// all returns the keys that ListAll yields, sorted and with duplicates.
func all(t *testing.T, s store.Store, prefix string, o store.ListOptions) []string {
	t.Helper()
	var got []string
	for e, err := range store.ListAll(t.Context(), s, prefix, o) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Key)
	}
	slices.Sort(got)
	return got
}

// grid returns the keys of the chunks of a grid.
func grid(prefix, sep string, shape ...int) []string {
	keys := []string{prefix}
	for i, n := range shape {
		next := make([]string, 0, len(keys)*n)
		for _, k := range keys {
			for j := range n {
				if i > 0 {
					next = append(next, fmt.Sprint(k, sep, j))
				} else {
					next = append(next, fmt.Sprint(k, j))
				}
			}
		}
		keys = next
	}
	slices.Sort(keys)
	return keys
}

// TestListAllIsDivided checks the time of listing a million keys at 100 ms per page. One page after
// another takes 100 s. A divided listing takes at most an eighth of that for keys of any form.
func TestListAllIsDivided(t *testing.T) {
	hashes := func() []string {
		keys, r := make([]string, 1_000_000), rand.New(rand.NewPCG(1, 2))
		for i := range keys {
			keys[i] = fmt.Sprintf("objects/%016x", r.Uint64())
		}
		return keys
	}
	of := func(prefix, sep string, n ...int) func() []string {
		return func() []string { return grid(prefix, sep, n...) }
	}
	for i, c := range []struct {
		name   string
		keys   func() []string
		prefix string
		most   int // maximum number of requests
	}{
		{"v3", func() []string { return append(grid("c/", "/", 100, 100, 100), "zarr.json") }, "", 1300},
		{"v2", func() []string { return append([]string{".zarray", ".zattrs"}, grid("", ".", 100, 100, 100)...) }, "", 1300},
		{"one axis", of("data/c/", "/", 1_000_000), "data", 1100},
		{"a long axis and short ones", of("c/", "/", 2, 250_000, 2), "", 1100},
		{"below one folder", of("a/very/long/path/to/one/array/c/7/", "/", 1000, 1000), "a", 1300},
		{"ten arrays", func() (keys []string) {
			for _, name := range []string{"a", "bb", "bc", "d", "temp", "tempmax", "u", "v", "w", "zz"} {
				keys = append(keys, grid(name+"/c/", "/", 100, 1000)...)
			}
			return keys
		}, "", 2500},
		{"hexadecimal", hashes, "", 1100},
	} {
		if race.Enabled && i > 0 {
			break
		}
		t.Run(c.name, func(t *testing.T) {
			keys := c.keys()
			slices.Sort(keys)
			synctest.Test(t, func(t *testing.T) {
				s := &ordered{keys: keys, page: 1000, took: 100 * time.Millisecond, fanout: 32}
				serial := time.Duration((len(keys)+s.page-1)/s.page) * s.took
				start, n := time.Now(), 0
				for _, err := range store.ListAll(t.Context(), s, c.prefix, store.ListOptions{}) {
					if err != nil {
						t.Fatal(err)
					}
					n++
				}
				took := time.Since(start)
				t.Logf("%d keys in %v by %d requests, %d at once; serial %v", n, took, s.requests, s.most, serial)
				if n != len(keys) || took > serial/8 || s.most > 32 {
					t.Errorf("%d of %d keys in %v, want %v at most, %d at once", n, len(keys), took, serial/8, s.most)
				}
				if s.requests > c.most {
					t.Errorf("%d requests, want %d at most", s.requests, c.most)
				}
			})
		})
	}
}

// TestListAllShort checks that a listing of one page takes one request, and a listing of two pages
// at most two additional requests.
func TestListAllShort(t *testing.T) {
	for _, c := range []struct{ keys, most int }{{0, 1}, {1, 1}, {1000, 1}, {1001, 4}, {2500, 6}} {
		synctest.Test(t, func(t *testing.T) { // the order of responses determines what is requested
			s := &ordered{keys: grid("c/", "/", c.keys), page: 1000, took: 100 * time.Millisecond, fanout: 32}
			if c.keys == 0 {
				s.keys = nil
			}
			if got := all(t, s, "", store.ListOptions{}); !slices.Equal(got, s.keys) || s.requests > c.most {
				t.Errorf("%d keys: %d by %d requests, want at most %d", c.keys, len(got), s.requests, c.most)
			}
		})
	}
}

// randomKeys returns keys of a kind that depends on the seed: of few letters, of many letters, keys
// that are prefixes of others, and keys of any Unicode characters.
func randomKeys(r *rand.Rand) []string {
	letters := [][]rune{[]rune("01"), []rune("0123456789/."), []rune("abAB-_/"), []rune("aé漢😀/~\U0010ffff\u00801"), []rune("0123456789abcdef")}[r.IntN(5)]
	prefix := []string{"", "a/", "a/b c/0", "é/", "~"}[r.IntN(5)]
	set := map[string]bool{}
	for range r.IntN(400) {
		k := []rune(prefix)
		for range 1 + r.IntN(6) {
			k = append(k, letters[r.IntN(len(letters))])
		}
		if key := string(k); store.CheckKey(key) == nil {
			set[key] = true
		}
	}
	var keys []string
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TestListAllAgainstList checks that for any keys and pages ListAll yields the same keys as List,
// each once.
func TestListAllAgainstList(t *testing.T) {
	for seed := range uint64(400) {
		checkListAll(t, seed)
	}
}

func FuzzListAll(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkListAll)
}

func checkListAll(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	s := &ordered{keys: randomKeys(r), page: 1 + r.IntN(20), fanout: 2 + r.IntN(20)}
	var o store.ListOptions
	prefix := []string{"", "a", "é"}[r.IntN(3)]
	if len(s.keys) > 0 && r.IntN(2) == 0 {
		k := strings.TrimPrefix(s.keys[r.IntN(len(s.keys))], prefix+"/")
		if o.KeyPrefix = k[:r.IntN(len(k)+1)]; o.Check(prefix) != nil {
			o.KeyPrefix = ""
		}
		if o.StartAfter = k[:r.IntN(len(k)+1)]; o.Check(prefix) != nil {
			o.StartAfter = ""
		}
	}
	var want []string
	for _, k := range s.keys {
		if (prefix == "" || strings.HasPrefix(k, prefix+"/")) && o.Match(prefix, store.Entry{Key: k}) {
			want = append(want, k)
		}
	}
	if got := all(t, s, prefix, o); !slices.Equal(got, want) {
		t.Fatalf("seed %d, %q %+v, pages of %d, %d at once: got %d keys, want %d\n%q\n%q", seed, prefix, o, s.page, s.fanout, len(got), len(want), got, want)
	}
}

// TestListAllEnds checks that the first failure ends a divided listing and is yielded once, last.
// After the consumer stops early, no goroutine remains.
func TestListAllEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &ordered{keys: grid("c/", "/", 100, 100), page: 10, took: time.Second, fanout: 8, fails: 100}
		var errs []error
		for _, err := range store.ListAll(t.Context(), s, "", store.ListOptions{}) {
			if err != nil {
				errs = append(errs, err)
			} else if errs != nil {
				t.Fatal("an entry comes after the error")
			}
		}
		if len(errs) != 1 || !errors.Is(errs[0], fault.Refused) {
			t.Errorf("errors %v", errs)
		}
		s.fails, s.requests = 0, 0
		n := 0
		for _, err := range store.ListAll(t.Context(), s, "", store.ListOptions{}) {
			if n++; n == 2000 || err != nil {
				break
			}
		}
		if s.now != 0 {
			t.Errorf("%d requests are still under way", s.now)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 4500*time.Millisecond)
		defer cancel()
		var last error
		for _, err := range store.ListAll(ctx, s, "", store.ListOptions{}) {
			last = err
		}
		if !errors.Is(last, context.DeadlineExceeded) || s.now != 0 {
			t.Errorf("got %v, %d under way", last, s.now)
		}
	})
}

// TestListAllOutOfOrder checks a store that declares its listing as ordered although it is not.
// ListAll lists it page by page if possible. Otherwise it returns an error, and never silently
// omits keys.
func TestListAllOutOfOrder(t *testing.T) {
	t.Run("at once", func(t *testing.T) {
		keys := grid("c/", "/", 50, 50)
		slices.Reverse(keys)
		s := &unordered{ordered{keys: keys, page: 100, fanout: 8}}
		slices.Sort(keys[200:])
		got := all(t, s, "", store.ListOptions{})
		if slices.Sort(keys); !slices.Equal(got, keys) || s.requests != 25 {
			t.Errorf("%d keys of %d by %d requests", len(got), len(keys), s.requests)
		}
	})
	t.Run("later", func(t *testing.T) {
		keys := grid("c/", "/", 50, 50)
		slices.Reverse(keys[200:])
		s := &unordered{ordered{keys: keys, page: 100, fanout: 8}}
		var last error
		for _, err := range store.ListAll(t.Context(), s, "", store.ListOptions{}) {
			last = err
		}
		if !errors.Is(last, fault.Unavailable) || !strings.Contains(last.Error(), "order") {
			t.Errorf("got %v", last)
		}
	})
}

// unordered lists its keys in the order of the slice, and declares that they are sorted.
type unordered struct{ ordered }

func (s *unordered) ListPage(_ context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	s.mu.Lock()
	s.requests++
	s.mu.Unlock()
	at := 0
	_, _ = fmt.Sscan(token, &at)
	var page []store.Entry
	for _, k := range s.keys[at:min(at+s.page, len(s.keys))] {
		if e := (store.Entry{Key: k}); o.Match(prefix, e) {
			page = append(page, e)
		}
	}
	next := ""
	if at += s.page; at < len(s.keys) {
		next = fmt.Sprint(at)
	}
	return page, next, nil
}

// TestListAllUndivided checks that a store without ordered listings, and a single level, are listed
// page by page.
func TestListAllUndivided(t *testing.T) {
	s := &ordered{keys: grid("", ".", 50, 50), page: 100, fanout: 1}
	if got := all(t, s, "", store.ListOptions{}); !slices.Equal(got, s.keys) || s.requests != 25 {
		t.Errorf("%d keys by %d requests", len(got), s.requests)
	}
	m := mem.New()
	keys := keysOf(t, m, 900)
	if got := all(t, m, "", store.ListOptions{}); !slices.Equal(got, keys) {
		t.Errorf("%d keys", len(got))
	}
}
