package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// bases returns the stores below the decorators: one with all optional verbs, one with some and one
// with none.
func bases() map[string]func(t *testing.T) store.Store {
	return map[string]func(t *testing.T) store.Store{
		"mem":  func(t *testing.T) store.Store { return mem.New() },
		"dir":  func(t *testing.T) store.Store { return dir.New(t.TempDir()) },
		"bare": func(t *testing.T) store.Store { return bare{mem.New()} },
	}
}

// bare hides the optional verbs.
type bare struct{ store.Store }

func prefixed(t *testing.T, s store.Store, prefix string) store.Store {
	t.Helper()
	p, err := store.Prefix(s, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDecoratorsConform(t *testing.T) {
	for name, base := range bases() {
		t.Run("base="+name, func(t *testing.T) {
			few := []storetest.Option{storetest.Keys(1100), storetest.Rounds(3)}
			if name == "dir" { // its own test creates more than a page of files
				few[0] = storetest.Keys(50)
			}
			t.Run("prefix", func(t *testing.T) {
				storetest.Run(t, func(t *testing.T) store.Store {
					s := base(t)
					for _, k := range []string{"a/b c0", "a/neighbour", "a", "z"} {
						if name == "dir" && k == "a" {
							continue // a directory cannot hold both "a" and "a/…"
						}
						if _, err := s.Put(t.Context(), k, []byte("outside"), store.PutOptions{}); err != nil {
							t.Fatal(err)
						}
					}
					return prefixed(t, s, "a/b c")
				}, few...)
			})
			t.Run("observe", func(t *testing.T) {
				storetest.Run(t, func(t *testing.T) store.Store { return store.Observe(base(t), func(context.Context, store.Event) {}) }, few...)
			})
			t.Run("readonly", func(t *testing.T) {
				storetest.Run(t, func(t *testing.T) store.Store { return store.ReadOnly(base(t)) },
					append(few, storetest.Writer(func(s store.Store) store.Store { return s.(store.Wrapper).Unwrap() }))...)
			})
		})
	}
}

func TestPrefixRefusesUnsafe(t *testing.T) {
	for _, prefix := range []string{"..", "a/../b", "/", "a/", "a\\b"} {
		if _, err := store.Prefix(mem.New(), prefix); !errors.Is(err, fault.Path) {
			t.Errorf("Prefix(%q): %v", prefix, err)
		}
	}
	s := mem.New()
	if p := prefixed(t, s, ""); p != store.Store(s) {
		t.Errorf("the empty prefix gave %T", p)
	}
}

// stray lists an entry that is not below the prefix of the listing.
type stray struct{ *mem.Store }

func (s stray) ListPage(context.Context, string, store.ListOptions, string) ([]store.Entry, string, error) {
	return []store.Entry{{Key: "elsewhere/x"}}, "", nil
}

func TestPrefixLetsNoStrangerIn(t *testing.T) {
	for e, err := range store.Pages(t.Context(), prefixed(t, stray{mem.New()}, "mine"), "", store.ListOptions{}) {
		if err == nil || !strings.Contains(err.Error(), "elsewhere/x") {
			t.Errorf("entry %+v, %v", e, err)
		}
	}
}

func TestPrefixName(t *testing.T) {
	for name, want := range map[string]string{
		"s3://b":           "s3://b/run/7/",
		"s3://b/x/?a=1":    "s3://b/x/run/7/?a=1",
		"/data/with space": "/data/with space/run/7/",
	} {
		if got := store.Name(prefixed(t, named{mem.New(), name}, "run/7")); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

type named struct {
	store.Store
	name string
}

func (n named) String() string { return n.name }

// handle is a provider's handle that As finds through the decorators.
type handle struct{ id int }

type provider struct{ store.Store }

func (provider) Provide(target any) bool {
	h, ok := target.(**handle)
	if ok {
		*h = &handle{7}
	}
	return ok
}

func TestAsReachesThroughDecorators(t *testing.T) {
	s := store.Observe(store.ReadOnly(prefixed(t, provider{mem.New()}, "p")), func(context.Context, store.Event) {})
	var h *handle
	if !store.As(s, &h) || h.id != 7 {
		t.Errorf("no handle: %v", h)
	}
	var other *int
	if store.As(s, &other) {
		t.Error("a handle that nobody has")
	}
}

func TestReadOnlyHidesWritingVerbs(t *testing.T) {
	s := store.ReadOnly(mem.New())
	if _, ok := s.(store.BatchDeleter); ok {
		t.Error("DeleteAll shows")
	}
	if _, ok := s.(store.PartPutter); ok {
		t.Error("PutParts shows")
	}
	if _, ok := s.(store.Copier); ok {
		t.Error("Copy shows")
	}
}

type log struct {
	mu     sync.Mutex
	events []store.Event
}

func (l *log) add(_ context.Context, e store.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Took = 0
	l.events = append(l.events, e)
}

// take returns the events since its last call, one per line.
func (l *log) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, e := range l.events {
		fmt.Fprintln(&b, strings.TrimSuffix(e.String(), " in 0s"))
	}
	l.events = nil
	return b.String()
}

func TestObserveTells(t *testing.T) {
	ctx := t.Context()
	tests := []struct {
		name string
		base store.Store
		call func(s store.Store) error
		want string
	}{
		{"get", mem.New(), func(s store.Store) error {
			_, err := s.Get(ctx, "x", store.GetOptions{Range: store.Within(2, 3)}, make([]byte, 7))
			return err
		}, "get x 2+3: 3 bytes\n"},
		{"put", mem.New(), func(s store.Store) error {
			_, err := s.Put(ctx, "y", make([]byte, 9), store.PutOptions{})
			return err
		}, "put y: 9 bytes\n"},
		{"delete", mem.New(), func(s store.Store) error { return s.Delete(ctx, "y", store.DeleteOptions{}) }, "delete y: 0 bytes\n"},
		{"delete all", mem.New(), func(s store.Store) error { return store.DeleteAll(ctx, s, []string{"x", "y"}) }, "delete x ×2: 0 bytes\n"},
		{"list", mem.New(), func(s store.Store) error { return drain(s.List(ctx, "", store.ListOptions{})) }, "list : 0 bytes\n"},
		{"list bare", bare{mem.New()}, func(s store.Store) error { return drain(s.List(ctx, "", store.ListOptions{})) }, "list : 0 bytes\n"},
		{"list pages bare", bare{mem.New()}, func(s store.Store) error { return drain(store.Pages(ctx, s, "", store.ListOptions{})) }, "list : 0 bytes\n"},
		{"parts", mem.New(), func(s store.Store) error {
			p, err := store.PutParts(ctx, s, "z", store.PartsOptions{})
			if err != nil {
				return err
			}
			err = p.Part(ctx, 1, make([]byte, 3))
			return errors.Join(err, p.Abort(ctx))
		}, "parts z: 0 bytes\npart z 1: 3 bytes\nabort z: 0 bytes\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := test.base.Put(ctx, "x", []byte("0123456789"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			var l log
			if err := test.call(store.Observe(test.base, l.add)); err != nil {
				t.Fatal(err)
			}
			if got := l.take(); got != test.want {
				t.Errorf("got:\n%swant:\n%s", got, test.want)
			}
		})
	}
}

func TestObserveTellsErrors(t *testing.T) {
	var l log
	s := store.Observe(mem.New(), l.add)
	_, _ = s.Get(t.Context(), "absent", store.GetOptions{}, nil)
	if got := l.events; len(got) != 1 || !errors.Is(got[0].Err, fault.NotFound) || got[0].Bytes != 0 {
		t.Errorf("events %+v", got)
	}
}

func drain(seq iter.Seq2[store.Entry, error]) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}
	return nil
}

func ExamplePrefix() {
	ctx, s := context.Background(), mem.New()
	run, _ := store.Prefix(s, "runs/7")
	_, _ = run.Put(ctx, "zarr.json", []byte("{}"), store.PutOptions{})
	for e, err := range s.List(ctx, "", store.ListOptions{}) {
		fmt.Println(e.Key, err)
	}
	_, err := run.Get(ctx, "../8/zarr.json", store.GetOptions{}, nil)
	fmt.Println(errors.Is(err, fault.Path))
	// Output:
	// runs/7/zarr.json <nil>
	// true
}

func ExampleReadOnly() {
	st := store.ReadOnly(mem.New())
	_, err := st.Put(context.Background(), "x", nil, store.PutOptions{})
	fmt.Println(err)
	// Output: put "x" in mem://: read-only
}

func ExampleObserve() {
	var bytes int64
	st := store.Observe(mem.New(), func(_ context.Context, e store.Event) { bytes += e.Bytes })
	_, _ = st.Put(context.Background(), "x", []byte("hello"), store.PutOptions{})
	fmt.Println(bytes)
	// Output: 5
}
