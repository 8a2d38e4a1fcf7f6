package store_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// hooked records the calls of its hooks. It checks that an After follows each Before.
type hooked struct {
	lines []string
	open  int
	deny  error
}

type spanKey struct{}

func (h *hooked) hooks() store.Hooks {
	return store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			if h.deny != nil {
				return nil, h.deny
			}
			h.open++
			h.lines = append(h.lines, fmt.Sprintf("%s %s ×%d %dB", c.Op, c.Key, c.Count, c.Bytes))
			return context.WithValue(ctx, spanKey{}, len(h.lines)), nil
		},
		After: func(ctx context.Context, c store.Call, r store.Result) {
			h.open--
			i := ctx.Value(spanKey{}).(int) - 1
			h.lines[i] += fmt.Sprintf(" -> ×%d %dB", r.Count, r.Bytes)
			if r.Unsupported {
				h.lines[i] += " unsupported"
			} else if r.Err != nil {
				h.lines[i] += " " + r.Err.Error()
			}
		},
	}
}

// everyVerb calls each verb of a store once.
func everyVerb(ctx context.Context, s store.Store) {
	_, _ = s.Put(ctx, "a", []byte("12345"), store.PutOptions{})
	_, _ = s.Get(ctx, "a", store.GetOptions{Range: store.Within(1, 3)}, make([]byte, 2))
	_, _ = s.Get(ctx, "none", store.GetOptions{}, nil)
	_ = drain(s.List(ctx, "", store.ListOptions{}))
	_ = drain(store.Pages(ctx, s, "", store.ListOptions{Depth: store.OneLevel}))
	if p, err := store.PutParts(ctx, s, "p", store.PartsOptions{}); err == nil {
		_ = p.Part(ctx, 0, []byte("123"))
		_, _ = p.Commit(ctx, store.PutOptions{})
		_ = p.Abort(ctx)
	}
	_ = store.DeleteAll(ctx, s, []string{"a", "b"})
	_ = store.DeleteAll(ctx, s, nil)
	_ = s.Delete(ctx, "a", store.DeleteOptions{})
}

func TestAroundCallsHooks(t *testing.T) {
	tests := []struct {
		name string
		base store.Store
		want string
	}{
		{"every verb", mem.New(), `
put a ×1 5B -> ×1 5B
get a ×1 0B -> ×1 3B
get none ×1 0B -> ×1 0B get "none" in mem://: not found
list  ×0 0B -> ×1 0B
list  ×0 0B -> ×1 0B
parts p ×1 0B -> ×1 0B
part p ×1 3B -> ×1 3B
commit p ×1 0B -> ×1 0B
abort p ×1 0B -> ×1 0B
delete a ×2 0B -> ×2 0B
delete a ×1 0B -> ×1 0B`},
		{"no optional verbs", single{mem.New()}, `
put a ×1 5B -> ×1 5B
get a ×1 0B -> ×1 3B
get none ×1 0B -> ×1 0B get "none" in mem://: not found
list  ×0 0B -> ×1 0B
list  ×0 0B -> ×1 0B
delete a ×1 0B -> ×1 0B
delete b ×1 0B -> ×1 0B
delete a ×1 0B -> ×1 0B`},
		{"optional verbs that are unsupported", disabled{single{mem.New()}}, `
put a ×1 5B -> ×1 5B
get a ×1 0B -> ×1 3B
get none ×1 0B -> ×1 0B get "none" in mem://: not found
list  ×0 0B -> ×0 0B unsupported
list  ×0 0B -> ×1 0B
list  ×0 0B -> ×0 0B unsupported
list  ×0 0B -> ×0 0B unsupported
list  ×0 0B -> ×1 0B
parts p ×1 0B -> ×1 0B unsupported
delete a ×2 0B -> ×2 0B unsupported
delete a ×1 0B -> ×1 0B
delete b ×1 0B -> ×1 0B
delete a ×1 0B -> ×1 0B`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var h hooked
			everyVerb(t.Context(), store.Around(tt.base, h.hooks()))
			if got := "\n" + strings.Join(h.lines, "\n"); got != tt.want {
				t.Errorf("got:%s\nwant:%s", got, tt.want)
			}
			if h.open != 0 {
				t.Errorf("%d calls of Before without After", h.open)
			}
		})
	}
}

// single hides the optional verbs and allows one request in flight.
type single struct{ store.Store }

func (single) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = store.Tuning{Requests: 1}
	}
	return ok
}

func (s disabled) Unwrap() store.Store { return s.Store }

func TestAroundDenies(t *testing.T) {
	s := mem.New()
	if _, err := s.Put(t.Context(), "a", nil, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	deny := errors.New("no")
	h := hooked{deny: deny}
	a := store.Around(bare{s}, h.hooks())
	ctx := t.Context()
	_, get := a.Get(ctx, "a", store.GetOptions{}, nil)
	_, put := a.Put(ctx, "a", nil, store.PutOptions{})
	for verb, err := range map[string]error{
		"get": get, "put": put, "delete": a.Delete(ctx, "a", store.DeleteOptions{}), "list": drain(a.List(ctx, "", store.ListOptions{})),
	} {
		if err != deny {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if _, err := s.Get(ctx, "a", store.GetOptions{}, nil); err != nil {
		t.Error(err)
	}
}

type panicking struct{ *mem.Store }

func (panicking) Get(context.Context, string, store.GetOptions, []byte) (store.Value, error) {
	panic("x")
}
func (panicking) ListPage(context.Context, string, store.ListOptions, string) ([]store.Entry, string, error) {
	panic("x")
}

// TestAroundPanics checks that After is called if the store below panics, so that a server that
// recovers from the panic can continue.
func TestAroundPanics(t *testing.T) {
	var h hooked
	s := store.Around(panicking{mem.New()}, h.hooks())
	for _, call := range []func(){
		func() { _, _ = s.Get(t.Context(), "a", store.GetOptions{}, nil) },
		func() { _ = drain(s.List(t.Context(), "", store.ListOptions{})) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		}()
	}
	if h.open != 0 || len(h.lines) != 2 || !strings.Contains(h.lines[0], fault.Unavailable.Error()) {
		t.Errorf("%d open, %q", h.open, h.lines)
	}
}

// numbered lists n entries and then returns its error, if it has one.
type numbered struct {
	store.Store
	n   int
	err error
}

func (s numbered) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for i := range s.n {
			if !yield(store.Entry{Key: fmt.Sprint(i)}, nil) {
				return
			}
		}
		if s.err != nil {
			yield(store.Entry{}, s.err)
		}
	}
}

// TestAroundWalksInPages checks that a listing without pages is divided into requests of 1000
// entries, and that no request is open while the consumer runs.
func TestAroundWalksInPages(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name  string
		n     int
		err   error
		leave int
		want  string
	}{
		{"empty", 0, nil, -1, "0"},
		{"a page", 999, nil, -1, "999"},
		{"pages", 2500, nil, -1, "1000 1000 500"},
		{"left early", 2500, nil, 1, "1000"},
		{"an error at once", 0, broken, -1, "0"},
		{"an error later", 1500, broken, -1, "1000 500"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var pages []string
			open := false
			s := store.Around(numbered{bare{mem.New()}, tt.n, tt.err}, store.Hooks{
				Before: func(ctx context.Context, _ store.Call) (context.Context, error) { open = true; return ctx, nil },
				After: func(_ context.Context, _ store.Call, r store.Result) {
					open = false
					pages = append(pages, fmt.Sprint(r.Count))
				},
			})
			seen := 0
			var last error
			for e, err := range s.List(t.Context(), "", store.ListOptions{}) {
				if open {
					t.Fatal("a request is open while the consumer runs")
				}
				if last = err; err != nil {
					continue
				}
				if e.Key != fmt.Sprint(seen) {
					t.Fatalf("entry %d is %q", seen, e.Key)
				}
				if seen++; seen == tt.leave {
					break
				}
			}
			want := tt.n
			if tt.leave > 0 {
				want = tt.leave
			}
			if seen != want || !errors.Is(last, tt.err) {
				t.Errorf("%d entries of %d, then %v", seen, want, last)
			}
			if got := strings.Join(pages, " "); got != tt.want {
				t.Errorf("pages of %s, want %s", got, tt.want)
			}
		})
	}
}

// still is a store that responds without allocating.
type still struct{ store.Store }

func (still) Get(_ context.Context, _ string, _ store.GetOptions, buf []byte) (store.Value, error) {
	return store.Value{Bytes: append(buf, 1)}, nil
}
func (still) Put(context.Context, string, []byte, store.PutOptions) (store.Version, error) {
	return "", nil
}
func (still) Delete(context.Context, string, store.DeleteOptions) error { return nil }

// TestAroundAllocates checks that Around does not allocate.
func TestAroundAllocates(t *testing.T) {
	ctx, buf, n := t.Context(), make([]byte, 0, 8), 0
	s := store.Around(still{}, store.Hooks{
		Before: func(ctx context.Context, _ store.Call) (context.Context, error) { n++; return ctx, nil },
		After:  func(context.Context, store.Call, store.Result) { n-- },
	})
	got := testing.AllocsPerRun(100, func() {
		_, _ = s.Get(ctx, "a", store.GetOptions{}, buf)
		_, _ = s.Put(ctx, "a", buf, store.PutOptions{})
		_ = s.Delete(ctx, "a", store.DeleteOptions{})
	})
	if got != 0 || n != 0 {
		t.Errorf("%v allocations, %d calls open", got, n)
	}
}

// TestAroundHasEveryVerb checks that Around has every optional verb, including verbs added later.
func TestAroundHasEveryVerb(t *testing.T) {
	s := store.Around(mem.New(), store.Hooks{})
	for _, verb := range []reflect.Type{
		reflect.TypeFor[store.PageLister](), reflect.TypeFor[store.BatchDeleter](), reflect.TypeFor[store.PartPutter](), reflect.TypeFor[store.Copier](),
	} {
		if !reflect.TypeOf(s).Implements(verb) {
			t.Errorf("%T is no %v", s, verb)
		}
	}
}

func TestAroundConforms(t *testing.T) {
	for name, base := range bases() {
		t.Run("base="+name, func(t *testing.T) {
			few := []storetest.Option{storetest.Keys(1100), storetest.Rounds(3)}
			if name == "dir" {
				few[0] = storetest.Keys(50)
			}
			storetest.Run(t, func(t *testing.T) store.Store { return store.Around(base(t), store.Hooks{}) }, few...)
		})
	}
}

// TestObserveHasTheContext checks that the callback gets the caller's context, which contains the
// parent span.
func TestObserveHasTheContext(t *testing.T) {
	var got any
	s := store.Observe(mem.New(), func(ctx context.Context, _ store.Event) { got = ctx.Value(spanKey{}) })
	_, _ = s.Get(context.WithValue(t.Context(), spanKey{}, "parent"), "x", store.GetOptions{}, nil)
	if got != "parent" {
		t.Errorf("got %v", got)
	}
}

func TestListOptionsMatch(t *testing.T) {
	for _, tt := range []struct {
		name, prefix string
		o            store.ListOptions
		e            store.Entry
		want         bool
	}{
		{"no options", "a", store.ListOptions{}, store.Entry{Key: "b"}, true},
		{"begins", "a", store.ListOptions{KeyPrefix: "c/1"}, store.Entry{Key: "a/c/10"}, true},
		{"begins at the root", "", store.ListOptions{KeyPrefix: "c/1"}, store.Entry{Key: "c/10"}, true},
		{"begins otherwise", "a", store.ListOptions{KeyPrefix: "c/1"}, store.Entry{Key: "a/c/2"}, false},
		{"a Dir with its slash", "a", store.ListOptions{KeyPrefix: "c/1/"}, store.Entry{Key: "a/c/1", Dir: true}, true},
		{"not a key with that slash", "a", store.ListOptions{KeyPrefix: "c/1/"}, store.Entry{Key: "a/c/1"}, false},
		{"equal", "a", store.ListOptions{StartAfter: "c"}, store.Entry{Key: "a/c"}, false},
		{"greater", "a", store.ListOptions{StartAfter: "c"}, store.Entry{Key: "a/c/0"}, true},
		{"a greater Dir", "a", store.ListOptions{StartAfter: "c"}, store.Entry{Key: "a/c", Dir: true}, true},
		{"a Dir in between", "a", store.ListOptions{StartAfter: "c-"}, store.Entry{Key: "a/c", Dir: true}, true},
		{"a Dir that is passed", "a", store.ListOptions{StartAfter: "c/0"}, store.Entry{Key: "a/c", Dir: true}, false},
		{"an entry that is shorter than the prefix", "a/b", store.ListOptions{KeyPrefix: "c"}, store.Entry{Key: "a"}, false},
	} {
		if got := tt.o.Match(tt.prefix, tt.e); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// This example counts the bytes in flight.
func ExampleAround() {
	ctx, most, now := context.Background(), int64(0), int64(0)
	st := store.Around(mem.New(), store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			now += c.Bytes
			most = max(most, now)
			return ctx, nil
		},
		After: func(_ context.Context, c store.Call, _ store.Result) { now -= c.Bytes },
	})
	_, _ = st.Put(ctx, "x", []byte("hello"), store.PutOptions{})
	fmt.Println(most, now)
	// Output: 5 0
}

// This example divides a level with many names among several listings by KeyPrefix.
func ExampleListOptions() {
	ctx, st := context.Background(), mem.New()
	for _, key := range []string{"t/c/1", "t/c/10", "t/c/1/0", "t/c/2", "t/zarr.json"} {
		_, _ = st.Put(ctx, key, nil, store.PutOptions{})
	}
	for e, err := range st.List(ctx, "t", store.ListOptions{Depth: store.OneLevel, KeyPrefix: "c/1"}) {
		fmt.Println(e.Key, e.Dir, err)
	}
	for e, err := range st.List(ctx, "t", store.ListOptions{StartAfter: "c/10"}) {
		fmt.Println(e.Key, err)
	}
	// Output:
	// t/c/1 false <nil>
	// t/c/1 true <nil>
	// t/c/10 false <nil>
	// t/c/2 <nil>
	// t/zarr.json <nil>
}
