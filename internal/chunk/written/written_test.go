package written

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func TestStoreConforms(t *testing.T) {
	few := []storetest.Option{storetest.Keys(1100), storetest.Rounds(3)}
	storetest.Run(t, func(*testing.T) store.Store { return Around(mem.New()) }, few...)
}

// heard listens at the place of a store. The returned function returns the reports since its
// previous call.
func heard(s store.Store) func() string {
	var lines []string
	site := Process().Listen(&lines, store.PlaceOf(s), func(c Change) {
		line := strings.Join(c.Keys, " ")
		for _, b := range c.Below {
			line += fmt.Sprintf(" below %q", b)
		}
		if c.Late {
			line += " late"
		}
		lines = append(lines, line)
	})
	return func() string {
		runtime.KeepAlive(site)
		defer func() { lines = nil }()
		return strings.Join(lines, "; ")
	}
}

// bare hides the optional methods of a store, and fails with err.
type bare struct {
	store.Store
	err error
}

func (s *bare) Unwrap() store.Store { return s.Store }

func (s *bare) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if s.err != nil {
		return "", s.err
	}
	return s.Store.Put(ctx, key, b, o)
}

// TestReports checks that every method that changes a value is reported before and after, and no
// other method is.
func TestReports(t *testing.T) {
	ctx, base := t.Context(), mem.New()
	said := heard(base)
	failing := &bare{Store: base}
	s := Around(failing)
	whole := Around(base)
	put := func(key string, o store.PutOptions) error { _, err := s.Put(ctx, key, []byte("1"), o); return err }
	for _, tt := range []struct {
		name string
		do   func() error
		want string
		kind error
	}{
		{"a chunk", func() error { return put("x/c/0", store.PutOptions{}) }, `x/c/0; x/c/0`, nil},
		{"a get", func() error { _, err := s.Get(ctx, "x/c/0", store.GetOptions{}, nil); return err }, ``, nil},
		{"a new document", func() error { return put("x/zarr.json", store.PutOptions{IfAbsent: true}) }, `x/zarr.json; x/zarr.json below "x/"`, nil},
		{"a document that is there", func() error { return put("x/zarr.json", store.PutOptions{IfAbsent: true}) }, `x/zarr.json; x/zarr.json`, fault.Exists},
		{"attributes", func() error {
			v, err := base.Get(ctx, "x/zarr.json", store.GetOptions{}, nil)
			if err != nil {
				return err
			}
			return put("x/zarr.json", store.PutOptions{IfVersion: v.Version})
		}, `x/zarr.json; x/zarr.json`, nil},
		{"a failure", func() error {
			failing.err = fault.Newf(fault.Unavailable, "the connection broke")
			defer func() { failing.err = nil }()
			return put("x/.zarray", store.PutOptions{})
		}, `x/.zarray; x/.zarray below "x/" late`, fault.Unavailable},
		{"a document deleted", func() error { return s.Delete(ctx, "x/zarr.json", store.DeleteOptions{}) }, `x/zarr.json; x/zarr.json below "x/"`, nil},
		{"a batch", func() error { return whole.DeleteAll(ctx, []string{"zarr.json", "a"}) }, `zarr.json a; zarr.json a below ""`, nil},
		{"no batches", func() error { return s.DeleteAll(ctx, []string{"b"}) }, ``, errors.ErrUnsupported},
		{"parts", func() error {
			p, err := whole.PutParts(ctx, "p", store.PartsOptions{})
			if err != nil {
				return err
			}
			err = p.Part(ctx, 0, []byte("1"))
			if got := said(); got != "" {
				t.Errorf("parts that are not visible: %s", got)
			}
			_, last := p.Commit(ctx, store.PutOptions{})
			return errors.Join(err, last)
		}, `p; p`, nil},
		{"a copy", func() error { _, err := whole.Copy(ctx, "p", "q", store.CopyOptions{}); return err }, `q; q`, nil},
	} {
		said()
		if err := tt.do(); !errors.Is(err, tt.kind) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := said(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestPlaces checks that listeners receive keys relative to their own store, regardless of the
// store through which the value was written.
func TestPlaces(t *testing.T) {
	ctx := t.Context()
	prefix := func(s store.Store, p string) store.Store {
		s, err := store.Prefix(s, p)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	m, folder := mem.New(), t.TempDir()
	for _, tt := range []struct {
		name            string
		listens, writes store.Store
		key             string
		want            string
	}{
		{"one store", m, m, "a/b/c", "a/b/c; a/b/c"},
		{"a prefix writes", m, prefix(m, "a"), "b/c", "a/b/c; a/b/c"},
		{"a prefix listens", prefix(m, "a/b"), m, "a/b/c", "c; c"},
		{"of another prefix", prefix(m, "a/bb"), m, "a/b/c", ""},
		{"prefixes in prefixes", prefix(prefix(m, "a"), "b"), prefix(m, "a"), "b/c", "c; c"},
		{"decorators", store.Observe(prefix(store.ReadOnly(m), "a"), nil), &bare{Store: m}, "a/b", "b; b"},
		{"another in memory", mem.New(), m, "a", ""},
		{"folders", dir.New(folder), dir.New(folder + "/a"), "b/c", "a/b/c; a/b/c"},
		{"folders the other way", dir.New(folder + "/a"), dir.New(folder), "a/zarr.json", `zarr.json; zarr.json below ""`},
		{"a node above", dir.New(folder + "/a/b"), dir.New(folder), "a/zarr.json", ` below ""`},
	} {
		said := heard(tt.listens)
		if _, err := Around(tt.writes).Put(ctx, tt.key, nil, store.PutOptions{}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := said(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSitesGo checks that the Hub does not keep sites alive.
func TestSitesGo(t *testing.T) {
	var h Hub
	root := mem.New()
	site := h.Listen("a", store.Place{Root: root}, func(Change) {})
	if again := h.Listen("a", store.Place{Root: root}, nil); again != site || len(h.at(root)) != 1 {
		t.Error("who listens twice has two sites")
	}
	runtime.KeepAlive(site) // the last use of site
	for range 100 {
		runtime.GC()
		h.mu.Lock()
		left := len(h.sites) + len(h.roots)
		h.mu.Unlock()
		if left == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("the site is still there")
}

func TestWithin(t *testing.T) {
	keys := []string{"a", "a/b", "ab/c", "a/b/c", "d/e"}
	for _, tt := range []struct {
		below []string
		want  string
	}{{[]string{"a/"}, "a/b a/b/c"}, {[]string{"a/b/", "d/"}, "a/b/c d/e"}, {[]string{""}, "a a/b ab/c a/b/c d/e"}, {nil, ""}} {
		within := Change{Below: tt.below}.Within()
		if got := strings.Join(slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !within(k) }), " "); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.below, got, tt.want)
		}
	}
}
