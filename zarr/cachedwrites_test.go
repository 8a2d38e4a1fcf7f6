package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// ownWrites returns the ways in which a process changes stored elements of the array at path. The
// array has 16 elements, all nonzero.
func ownWrites() map[string]func(ctx context.Context, a *zarr.Array) error {
	resize := func(ctx context.Context, a *zarr.Array, o zarr.ResizeOptions, n ...int) (err error) {
		for _, n := range n {
			if a, err = a.Resize(ctx, []int{n}, o); err != nil {
				return err
			}
		}
		return nil
	}
	spec := func(a *zarr.Array) zarr.Spec {
		return zarr.Spec{Shape: []int{16}, Chunks: a.Chunks(), Shards: a.Shards(), DType: dtype.Int32}
	}
	return map[string]func(ctx context.Context, a *zarr.Array) error{
		"part of a chunk": func(ctx context.Context, a *zarr.Array) error { return zarr.Write(ctx, a, []int32{70}, zarr.Index(5)) },
		"all": func(ctx context.Context, a *zarr.Array) error {
			return zarr.Write(ctx, a, slices.Repeat([]int32{7}, 16))
		},
		"fill": func(ctx context.Context, a *zarr.Array) error {
			return zarr.Write(ctx, a, make([]int32, 16))
		},
		"fill of a chunk": func(ctx context.Context, a *zarr.Array) error {
			return zarr.Write(ctx, a, make([]int32, 8), zarr.Range(4, 12))
		},
		"append": func(ctx context.Context, a *zarr.Array) error {
			_, err := zarr.Append(ctx, a, 0, []int32{17, 18, 19}, zarr.AppendOptions{})
			return err
		},
		"append after a shrink": func(ctx context.Context, a *zarr.Array) error {
			a, err := a.Resize(ctx, []int{6}, zarr.ResizeOptions{MetadataOnly: true})
			if err == nil {
				_, err = zarr.Append(ctx, a, 0, make([]int32, 10), zarr.AppendOptions{})
			}
			return err
		},
		"resize": func(ctx context.Context, a *zarr.Array) error { return resize(ctx, a, zarr.ResizeOptions{}, 2, 16) },
		"clear": func(ctx context.Context, a *zarr.Array) error {
			return resize(ctx, a, zarr.ResizeOptions{Clear: true}, 1, 16)
		},
		"orphans": func(ctx context.Context, a *zarr.Array) error {
			a, err := a.Resize(ctx, []int{2}, zarr.ResizeOptions{MetadataOnly: true})
			if err != nil {
				return err
			}
			o, err := upkeep.FindOrphans(ctx, a)
			if err == nil {
				err = o.Delete(ctx)
			}
			if err == nil {
				a, err = a.Refresh(ctx)
			}
			if err != nil {
				return err
			}
			return resize(ctx, a, zarr.ResizeOptions{}, 16)
		},
		"remove and create": func(ctx context.Context, a *zarr.Array) error {
			r, err := upkeep.PlanRemove(ctx, a, upkeep.RemoveOptions{})
			if err == nil {
				err = r.Run(ctx)
			}
			if err == nil {
				_, err = zarr.Create(ctx, a.Store(), a.Path(), spec(a))
			}
			return err
		},
		"replace": func(ctx context.Context, a *zarr.Array) error {
			_, err := zarr.Replace(ctx, a.Store(), a.Path(), spec(a))
			return err
		},
		// The chunks are known only from the document of the new array.
		"documents and chunks of others": func(ctx context.Context, a *zarr.Array) error {
			if err := store.DeleteBelow(ctx, a.Store(), a.Path()); err != nil {
				return err
			}
			_, err := zarr.Create(ctx, a.Store(), a.Path(), spec(a))
			return err
		},
		"a writer": func(ctx context.Context, a *zarr.Array) error {
			w, err := zarr.NewWriter[int32](ctx, a, 0, zarr.AppendOptions{})
			if err != nil {
				return err
			}
			err = w.Write(ctx, []int32{90, 91, 92})
			_, last := w.Close(ctx)
			return errors.Join(err, last)
		},
		"a shard": func(ctx context.Context, a *zarr.Array) error {
			if !a.Sharded() {
				return nil
			}
			w, err := a.OpenShard(ctx, 1)
			if err == nil {
				err = zarr.WriteShard(ctx, w, slices.Repeat([]int32{7}, 8), zarr.Range(8, 16))
			}
			if err == nil {
				err = w.Commit(ctx)
			}
			return err
		},
	}
}

// ownViews returns the ways in which the process of the cache opens the same array again.
func ownViews() map[string]func(st store.Store) (store.Store, string) {
	return map[string]func(st store.Store) (store.Store, string){
		"the same store": func(st store.Store) (store.Store, string) { return st, "g/x" },
		"a prefix": func(st store.Store) (store.Store, string) {
			st, err := store.Prefix(st, "g")
			if err != nil {
				panic(err)
			}
			return st, "x"
		},
		"a decorator": func(st store.Store) (store.Store, string) { return store.Around(st, store.Hooks{}), "g/x" },
		"opened again": func(st store.Store) (store.Store, string) {
			if d, ok := st.(*dir.Store); ok {
				return dir.New(d.String() + "/g"), "x"
			}
			return st, "g/x"
		},
	}
}

// TestCachedAfterOwnWrites checks that after any write or delete of a process, through any view of
// the array and during reads, a later read does not return the old elements from a cache.
func TestCachedAfterOwnWrites(t *testing.T) {
	validities := map[string]cache.Validity{"immutable": cache.Immutable(), "a minute": cache.Revalidate(time.Minute), "always": cache.Revalidate(0)}
	bases := map[string]func() store.Store{"mem": func() store.Store { return mem.New() }, "dir": func() store.Store { return dir.New(t.TempDir()) }}
	for how, change := range ownWrites() {
		t.Run(how, func(t *testing.T) {
			for where, base := range bases {
				for through, view := range ownViews() {
					if where == "dir" && (through != "opened again" || race.Enabled) {
						continue // same as with mem
					}
					for said, validity := range validities {
						for _, shards := range [][]int{nil, {8}} {
							name := fmt.Sprintf("%s, %s, %s, shards %v", where, through, said, shards)
							st := base()
							if err := afterOwnWrite(t.Context(), st, view, validity, shards, change); err != nil {
								t.Errorf("%s: %v", name, err)
							}
						}
					}
				}
			}
		})
	}
}

// afterOwnWrite reads an array through two caches, also while it is changed through a view without
// a cache, and compares the results with the stored elements.
func afterOwnWrite(ctx context.Context, st store.Store, view func(store.Store) (store.Store, string), v cache.Validity, shards []int, change func(context.Context, *zarr.Array) error) error {
	made, err := zarr.Create(ctx, st, "g/x", zarr.Spec{Shape: []int{16}, Chunks: []int{4}, Shards: shards, DType: dtype.Int32})
	if err != nil {
		return err
	}
	all := make([]int32, 16)
	for i := range all {
		all[i] = int32(i + 1)
	}
	if err := zarr.Write(ctx, made, all); err != nil {
		return err
	}
	var readers []*zarr.Array
	for _, o := range []zarr.Option{zarr.Cache(cache.New(1<<20, v)), zarr.Cache(cache.New(1<<20, v).Named("x"))} {
		r, err := zarr.OpenArray(ctx, st, "g/x", o)
		if err != nil {
			return err
		}
		if got, err := zarr.Read[int32](ctx, r); err != nil || !slices.Equal(got, all) {
			return fmt.Errorf("%v, %w", got, err)
		}
		readers = append(readers, r)
	}
	other, path := view(st)
	w, err := zarr.OpenArray(ctx, other, path)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for _, r := range readers {
		wg.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				_, _ = zarr.Read[int32](ctx, r, zarr.Index(n%16)) // old, new, or in between
				time.Sleep(20 * time.Microsecond)                 // let the change finish
			}
		})
	}
	err = change(ctx, w)
	close(done)
	for _, r := range readers {
		if err == nil {
			err = asStored(ctx, st, r)
		}
	}
	wg.Wait()
	for _, r := range readers { // the caches must not have kept results of the reads above
		if err == nil {
			err = asStored(ctx, st, r)
		}
	}
	return err
}

// asStored compares the elements that a reader returns with the stored ones.
func asStored(ctx context.Context, st store.Store, r *zarr.Array) error {
	direct, err := zarr.OpenArray(ctx, st, "g/x")
	if err != nil {
		return err
	}
	want, err := zarr.Read[int32](ctx, direct)
	if err != nil {
		return err
	}
	if r, err = r.Refresh(ctx); err != nil {
		return err
	}
	got, err := zarr.Read[int32](ctx, r)
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("read %v, %w; stored is %v", got, err, want)
	}
	return nil
}

// TestCachedEdge checks that an array of a new shape, opened again or refreshed, reads the elements
// that another process wrote in its last object when it changed the shape. Other entries of the
// cache are not requested again.
func TestCachedEdge(t *testing.T) {
	for _, shards := range [][]int{nil, {8}} {
		for _, absent := range []bool{false, true} {
			t.Run(fmt.Sprintf("shards %v, absent %v", shards, absent), func(t *testing.T) {
				backing := mem.New()
				st := &recorder{Store: backing, tuning: cloud()}
				w := mustCreate(t, backing, "x", zarr.Spec{Shape: []int{14}, Chunks: []int{4}, Shards: shards, DType: dtype.Int32})
				want := make([]int32, 14)
				if !absent {
					for i := range want {
						want[i] = int32(i + 1)
					}
				}
				check := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
				}
				read := func(a *zarr.Array, requests int) {
					t.Helper()
					st.take(false)
					got, err := zarr.Read[int32](t.Context(), a)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%v, %v; want %v", got, err, want)
					}
					if lines := st.take(false); len(lines) != requests {
						t.Errorf("%q", lines)
					}
				}
				check(zarr.Write(t.Context(), w, want))
				c := zarr.Cache(cache.New(1<<20, cache.Immutable()))
				open := func() *zarr.Array {
					a, err := zarr.OpenArray(t.Context(), st, "x", c)
					check(err)
					return a
				}
				old := open()
				_, err := zarr.Read[int32](t.Context(), old)
				check(err)
				read(open(), 0)
				w, err = zarr.Append(t.Context(), w, 0, []int32{15, 16}, zarr.AppendOptions{})
				check(err)
				want = append(want, 15, 16)
				a, err := old.Refresh(t.Context())
				check(err)
				last := 1
				if shards != nil {
					last = 2 // the index and an inner chunk
				}
				read(a, last)
				read(open(), 0)
				_, err = w.Resize(t.Context(), []int{14}, zarr.ResizeOptions{Clear: true})
				check(err)
				want = want[:14]
				a, err = a.Refresh(t.Context())
				check(err)
				succeed(t, second(zarr.Read[int32](t.Context(), a)))
				read(a, 0)
			})
		}
	}
}

// TestCachedRegrown checks that an array which was refreshed in between reads the elements that
// another process deleted by a shrink and wrote again after a growth.
func TestCachedRegrown(t *testing.T) {
	for _, n := range []int{16, 20_000} { // few positions, and too many to be named one by one
		if race.Enabled && n > 16 {
			continue // one goroutine writes and reads 30,000 chunks
		}
		for _, shards := range [][]int{nil, {8}} {
			backing := mem.New()
			st := &recorder{Store: backing, tuning: cloud()}
			w := mustCreate(t, backing, "x", zarr.Spec{Shape: []int{n}, Chunks: []int{4}, Shards: shards, DType: dtype.Int32})
			want := slices.Repeat([]int32{1}, n)
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			check(zarr.Write(t.Context(), w, want))
			a, err := zarr.OpenArray(t.Context(), st, "x", zarr.Cache(cache.New(64<<20, cache.Immutable())))
			check(err)
			_, err = zarr.Read[int32](t.Context(), a)
			check(err)
			w, err = w.Resize(t.Context(), []int{9}, zarr.ResizeOptions{Clear: true})
			check(err)
			a, err = a.Refresh(t.Context())
			check(err)
			_, err = zarr.Append(t.Context(), w, 0, slices.Repeat([]int32{2}, n-9), zarr.AppendOptions{})
			check(err)
			a, err = a.Refresh(t.Context())
			check(err)
			copy(want[9:], slices.Repeat([]int32{2}, n-9))
			st.take(false)
			got, err := zarr.Read[int32](t.Context(), a)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d, %v: read %v, %v", n, shards, got[:16], err)
			}
			if lines := st.take(false); slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "get c/0") }) {
				t.Errorf("%q: a chunk inside both shapes was requested", lines[0])
			}
		}
	}
}

// TestCachedLate checks that for a minute after a failed write, which may still take effect, the
// entries of its objects are revalidated at each read, and no others are.
func TestCachedLate(t *testing.T) {
	for _, shards := range []bool{false, true} {
		t.Run(fmt.Sprint("shards ", shards), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, a, _ := cachedScene(t, shards, cache.New(1<<20, cache.Immutable()), bubble())
				far := []zarr.Selection{zarr.Index(31), zarr.Index(31)}
				succeed(t, second(zarr.Read[int32](t.Context(), a)))
				s.st.take(false)
				s.reads(a, []int32{1024}, nil, far...)
				late := &lost{Store: s.st}
				w := mustOpen(t, late, "x", bubble())
				if err := zarr.Write(t.Context(), w, slices.Repeat([]int32{5}, 64), zarr.Range(0, 8), zarr.Range(0, 8)); err == nil {
					t.Fatal("the write was to fail")
				}
				succeed(t, second(zarr.Read[int32](t.Context(), a)))
				late.arrive(t)
				time.Sleep(59 * time.Second)
				got, err := zarr.Read[int32](t.Context(), a, corner...)
				if err != nil || !slices.Equal(got, []int32{5, 5, 5, 5}) {
					t.Errorf("%v, %v", got, err)
				}
				time.Sleep(time.Second)
				succeed(t, second(zarr.Read[int32](t.Context(), a)))
				s.st.take(false)
				s.reads(a, []int32{5, 5, 5, 5}, nil, corner...)
				s.reads(a, []int32{1024}, nil, far...)
			})
		})
	}
}

// lost is a store whose puts of chunks take effect after the client has received an error.
type lost struct {
	store.Store
	mu    sync.Mutex
	later []func() error
}

func (s *lost) Unwrap() store.Store { return s.Store }

func (s *lost) Put(_ context.Context, key string, b []byte, _ store.PutOptions) (store.Version, error) {
	b = slices.Clone(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later = append(s.later, func() error {
		_, err := s.Store.Put(context.Background(), key, b, store.PutOptions{})
		return err
	})
	return "", &zarr.KeyError{Op: "put", Key: key, Kind: fault.Unavailable}
}

func (s *lost) arrive(t *testing.T) {
	t.Helper()
	for _, f := range s.later {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
}

// TestCachedOthersStay checks that a write does not invalidate entries of another chunk, another
// array or another store, and that attributes and refused writes invalidate none.
func TestCachedOthersStay(t *testing.T) {
	s, a, all := cachedScene(t, false, cache.New(1<<20, cache.Immutable()))
	mustCreate(t, s.st, "xy", zarr.Spec{Shape: []int{8}, DType: dtype.Int32})
	if got, err := zarr.Read[int32](t.Context(), a); err != nil || !slices.Equal(got, all) {
		t.Fatal(err)
	}
	other := mem.New()
	b := mustCreate(t, other, "x", zarr.Spec{Shape: []int{32, 32}, Chunks: []int{8, 8}, DType: dtype.Int32})
	for name, write := range map[string]func() error{
		"another store": func() error { return zarr.Write(t.Context(), b, all) },
		"another array": func() error {
			_, err := zarr.Replace(t.Context(), s.st, "xy", zarr.Spec{Shape: []int{8}, DType: dtype.Int32})
			return err
		},
		"attributes": func() error {
			_, err := s.open().SetAttrs(t.Context(), map[string]any{"units": "K"})
			return err
		},
		"what is there": func() error {
			_, err := zarr.Create(t.Context(), s.st, "x", zarr.Spec{Shape: []int{8}, DType: dtype.Int32})
			if !errors.Is(err, zarr.ErrExists) {
				return fmt.Errorf("created: %w", err)
			}
			return nil
		},
	} {
		if err := write(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.st.take(false)
		s.reads(a, all, nil)
	}
	succeed(t, zarr.Write(t.Context(), s.open(), slices.Repeat([]int32{5}, 64), zarr.Range(8, 16), zarr.Range(8, 16)))
	s.st.take(false)
	succeed(t, second(zarr.Read[int32](t.Context(), a)))
	if got := s.st.take(false); !slices.Equal(got, []string{"get c/1/1"}) {
		t.Errorf("%q", got)
	}
}

// TestCachedAfterWriteOfFill writes fill values to part of an object that another process has
// deleted. Nothing is stored, and the old entry of the cache is dropped.
func TestCachedAfterWriteOfFill(t *testing.T) {
	for _, shards := range [][]int{nil, {8}} {
		st := mem.New()
		w := mustCreate(t, st, "x", zarr.Spec{Shape: []int{8}, Chunks: []int{4}, Shards: shards, DType: dtype.Int32})
		succeed(t, zarr.Write(t.Context(), w, []int32{1, 2, 3, 4, 5, 6, 7, 8}))
		r := mustOpen(t, st, "x", zarr.Cache(cache.New(1<<20, cache.Immutable())))
		if got, err := zarr.Read[int32](t.Context(), r); err != nil || got[1] != 2 {
			t.Fatalf("%v, %v", got, err)
		}
		// Another process deletes the object.
		succeed(t, st.Delete(t.Context(), "x/c/0", store.DeleteOptions{}))
		succeed(t, zarr.Write(t.Context(), w, []int32{0, 0}, zarr.Range(0, 2)))
		if got, err := zarr.Read[int32](t.Context(), r, zarr.Range(0, 4)); err != nil || !slices.Equal(got, make([]int32, 4)) {
			t.Errorf("shards %v: %v, %v", shards, got, err)
		}
	}
}
