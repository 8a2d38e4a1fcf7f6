package zarr_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// cachedScene returns an array of 4 × 4 chunks of 8 × 8 in a store that records its requests.
func cachedScene(t *testing.T, shards bool, c *cache.Cache, opts ...zarr.Option) (*scene, *zarr.Array, []int32) {
	t.Helper()
	backing := mem.New()
	s := &scene{T: t, backing: backing, st: &recorder{Store: backing, tuning: cloud()}, opts: slices.Concat([]zarr.Option{zarr.Cache(c)}, opts)}
	spec := zarr.Spec{Shape: []int{32, 32}, Chunks: []int{8, 8}, DType: dtype.Int32, Codecs: []codec.Spec{codec.Gzip(1)}}
	if shards {
		spec.Shards = []int{32, 32}
		s.st.tuning.RangeGap = 0
	}
	a := s.create(spec)
	want := make([]int32, 1024)
	for i := range want {
		want[i] = int32(i + 1)
	}
	succeed(t, zarr.Write(t.Context(), s.others(), want))
	return s, a, want
}

// reads reads a selection and compares its requests.
func (s *scene) reads(a *zarr.Array, want []int32, requests []string, sel ...zarr.Selection) {
	s.Helper()
	got, err := zarr.Read[int32](s.Context(), a, sel...)
	if err != nil || !slices.Equal(got, want) {
		s.Errorf("read %v, %v; want %v", got, err, want)
	}
	lines := s.st.take(false)
	for i, l := range lines {
		lines[i] = rangeOf.ReplaceAllString(l, " part")
	}
	if !slices.Equal(lines, requests) {
		s.Errorf("requests\n\t%s\nwant\n\t%s", strings.Join(lines, "\n\t"), strings.Join(requests, "\n\t"))
	}
}

var rangeOf = regexp.MustCompile(` \d+\+\d+`)

// first reads the first element.
func (s *scene) first(a *zarr.Array, want int32, requests []string) {
	s.Helper()
	s.reads(a, []int32{want}, requests, zarr.Index(0), zarr.Index(0))
}

var corner = []zarr.Selection{zarr.Range(0, 2), zarr.Range(0, 2)} // a part of the first chunk

func TestCachedRequests(t *testing.T) {
	t.Run("chunks", func(t *testing.T) {
		c := cache.New(1<<20, cache.Immutable())
		s, a, all := cachedScene(t, false, c)
		s.reads(a, []int32{1, 2, 33, 34}, []string{"get c/0/0"}, corner...)
		s.reads(a, []int32{1, 2, 33, 34}, nil, corner...)
		s.reads(a, []int32{100}, nil, zarr.Index(3), zarr.Index(3))
		s.reads(s.open(), []int32{100}, nil, zarr.Index(3), zarr.Index(3)) // reopened, same store
		s.reads(a, all[:64], []string{"get c/0/1", "get c/0/2", "get c/0/3"}, zarr.Range(0, 2))
		if got := c.Stats(); got.Hits != 4 || got.Misses != 4 || got.Entries != 8 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("shards", func(t *testing.T) {
		c := cache.New(1<<20, cache.Immutable())
		s, a, _ := cachedScene(t, true, c)
		get := func() []string {
			var lines []string
			for _, l := range s.st.take(false) {
				lines = append(lines, strings.Join(strings.Fields(l)[:2], " "))
			}
			return lines
		}
		for k, want := range [][]string{{"get c/0/0", "get c/0/0"}, nil, {"get c/0/0"}} { // the index and an inner chunk; nothing; another inner chunk
			sel := []zarr.Selection{zarr.Index(0), zarr.Index(9 * (k / 2))}
			succeed(t, second(zarr.Read[int32](t.Context(), a, sel...)))
			if got := get(); !slices.Equal(got, want) {
				t.Errorf("%d: %q", k, got)
			}
		}
		if got := c.Stats(); got.Hits != 3 || got.Misses != 3 || got.Entries != 4 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("absent", func(t *testing.T) {
		for _, shards := range []bool{false, true} {
			s, a, _ := cachedScene(t, shards, cache.New(1<<20, cache.Immutable()))
			succeed(t, s.backing.Delete(t.Context(), "x/c/0/0", store.DeleteOptions{}))
			want := []string{"get c/0/0: absent"}
			if shards {
				want = []string{"get c/0/0 last 260: absent"}
			}
			s.reads(a, make([]int32, 4), want, corner...)
			s.reads(a, make([]int32, 4), nil, corner...)
		}
	})
	t.Run("one that is too large for it", func(t *testing.T) {
		s, a, _ := cachedScene(t, false, cache.New(1000, cache.Immutable()))
		for range 2 {
			s.reads(a, []int32{1, 2, 33, 34}, []string{"get c/0/0"}, corner...)
		}
	})
	t.Run("a read of more than it holds adds nothing", func(t *testing.T) {
		c := cache.New(3000, cache.Immutable())
		s, a, all := cachedScene(t, false, c)
		s.reads(a, []int32{1, 2, 33, 34}, []string{"get c/0/0"}, corner...)
		if got, err := zarr.Read[int32](t.Context(), a); err != nil || !slices.Equal(got, all) {
			t.Error(err)
		}
		if got := len(s.st.take(false)); got != 15 {
			t.Errorf("%d requests, want 15", got)
		}
		for _, err := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{}) { // one call
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := len(s.st.take(false)); got != 15 {
			t.Errorf("%d requests, want 15", got)
		}
		s.reads(a, []int32{1, 2, 33, 34}, nil, corner...)
		if got := c.Stats(); got.Entries != 2 {
			t.Errorf("%+v", got)
		}
	})
}

// TestCachedRevalidates checks that a read sends no request within the ttl and one conditional
// request after it, and that it then returns the changes of another writer.
func TestCachedRevalidates(t *testing.T) {
	for _, shards := range []bool{false, true} {
		t.Run(fmt.Sprint("shards ", shards), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := cache.New(1<<20, cache.Revalidate(time.Minute))
				s, a, _ := cachedScene(t, shards, c, bubble())
				get, tail := "get c/0/0", "get c/0/0 last 260"
				again, fresh := []string{get + " unless of the version: unchanged"}, []string{get + " unless of the version"}
				first := []string{get}
				if shards {
					again = []string{tail + " unless of the version: unchanged"}
					fresh = []string{"get c/0/0 part of the version", tail + " unless of the version"}
					first = []string{"get c/0/0 part of the version", tail}
				}
				s.first(a, 1, first)
				s.first(a, 1, nil)
				time.Sleep(59 * time.Second)
				s.first(a, 1, nil)
				time.Sleep(time.Second)
				s.first(a, 1, again)
				s.first(a, 1, nil)
				succeed(t, zarr.Write(t.Context(), s.others(), []int32{77}, zarr.Index(0), zarr.Index(0)))
				s.first(a, 1, nil) // the change is not visible yet
				time.Sleep(time.Minute)
				s.first(a, 77, fresh)
				s.first(a, 77, nil)
				if got := c.Stats(); got.Revalidated != 1 {
					t.Errorf("%+v", got)
				}
				succeed(t, s.backing.Delete(t.Context(), "x/c/0/0", store.DeleteOptions{}))
				time.Sleep(time.Minute)
				s.first(a, 0, []string{strings.TrimSuffix(again[0], "unchanged") + "absent"})
				s.first(a, 0, nil)
				time.Sleep(time.Minute)
				if shards {
					get = tail
				}
				s.first(a, 0, []string{get + ": absent"})
			})
		})
	}
}

// leisurely is a store whose Gets take a second.
type leisurely struct{ store.Store }

func (s leisurely) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return store.Value{}, &zarr.KeyError{Op: "get", Key: key, Err: context.Cause(ctx)}
	}
	return s.Store.Get(ctx, key, o, buf)
}

// TestCachedJoins checks that concurrent readers of a chunk share one request, also if the first
// reader is cancelled, and that an error is not kept.
func TestCachedJoins(t *testing.T) {
	for _, shards := range []bool{false, true} {
		t.Run(fmt.Sprint("shards ", shards), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _, _ := cachedScene(t, shards, cache.New(1<<20, cache.Immutable()), bubble())
				s.st.Store = leisurely{s.backing}
				arrays := make([]*zarr.Array, 20) // each opened separately
				for i := range arrays {
					arrays[i] = s.open()
				}
				ctx, leave := context.WithCancel(t.Context())
				var wg sync.WaitGroup
				for i, a := range arrays {
					wg.Go(func() {
						ctx, gone := ctx, i == 0
						if !gone {
							time.Sleep(time.Millisecond)
							ctx = t.Context()
						}
						got, err := zarr.Read[int32](ctx, a, corner...)
						if gone != errors.Is(err, context.Canceled) || !gone && !slices.Equal(got, []int32{1, 2, 33, 34}) {
							t.Errorf("%d: %v, %v", i, got, err)
						}
					})
				}
				time.Sleep(500 * time.Millisecond)
				leave()
				wg.Wait()
				want := 1
				if shards {
					want = 2 // the index and the inner chunk
				}
				if got := s.st.take(false); len(got) != want {
					t.Errorf("%q", got)
				}
			})
		})
	}
	t.Run("an error", func(t *testing.T) {
		s, a, _ := cachedScene(t, false, cache.New(1<<20, cache.Immutable()))
		old, err := s.backing.Get(t.Context(), "x/c/0/0", store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		put := func(b []byte) {
			succeed(t, second(s.backing.Put(t.Context(), "x/c/0/0", b, store.PutOptions{})))
		}
		put([]byte("no chunk"))
		for range 2 {
			if _, err := zarr.Read[int32](t.Context(), a, corner...); !errors.Is(err, zarr.ErrCorrupt) {
				t.Error(err)
			}
		}
		put(old.Bytes)
		s.st.take(false)
		s.reads(a, []int32{1, 2, 33, 34}, []string{"get c/0/0"}, corner...)
	})
}

// TestCachedJoinsRefused checks that a call that waits for the load of another call does not fail
// by the limits of that call. The chunk has a long gzip header, so its load sends two requests.
func TestCachedJoinsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := cachedScene(t, false, cache.New(1<<20, cache.Immutable()), bubble())
		long := &bytes.Buffer{}
		w := gzip.NewWriter(long)
		w.Extra = make([]byte, 4000)
		succeed(t, second(w.Write(bytes.Repeat([]byte{7, 0, 0, 0}, 64))))
		succeed(t, w.Close())
		succeed(t, second(s.backing.Put(t.Context(), "x/c/0/0", long.Bytes(), store.PutOptions{})))
		s.st.Store = leisurely{s.backing}
		limited, free := s.open(zarr.Limit(zarr.Limits{Requests: 1})), s.open()
		s.st.take(false)
		var wg sync.WaitGroup
		wg.Go(func() {
			if got, err := zarr.Read[int32](t.Context(), limited, corner...); !errors.Is(err, zarr.ErrLimit) {
				t.Errorf("%v, %v; want ErrLimit", got, err)
			}
		})
		synctest.Wait()
		for range 3 {
			wg.Go(func() {
				got, err := zarr.Read[int32](t.Context(), free, corner...)
				if err != nil || !slices.Equal(got, []int32{7, 7, 7, 7}) {
					t.Errorf("%v, %v", got, err)
				}
			})
		}
		wg.Wait()
		if got := s.st.take(false); len(got) != 3 { // one of the call with limits, two of the others
			t.Errorf("%q", got)
		}
	})
}

// TestCachedJoinedAbsence checks that a read which starts after a write does not use the absence
// that an older load found.
func TestCachedJoinedAbsence(t *testing.T) {
	for _, shards := range []bool{false, true} {
		t.Run(fmt.Sprint("shards ", shards), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _, _ := cachedScene(t, shards, cache.New(1<<20, cache.Revalidate(0)), bubble())
				succeed(t, s.backing.Delete(t.Context(), "x/c/0/0", store.DeleteOptions{}))
				s.st.Store = late{s.backing}
				a := s.open()
				var wg sync.WaitGroup
				read := func(want int32) {
					wg.Go(func() {
						if got, err := zarr.Read[int32](t.Context(), a, zarr.Index(0), zarr.Index(0)); err != nil || got[0] != want {
							t.Errorf("%v, %v; want %d", got, err, want)
						}
					})
				}
				read(0)
				synctest.Wait()
				succeed(t, zarr.Write(t.Context(), s.others(), []int32{5}, zarr.Index(0), zarr.Index(0)))
				for range 3 {
					read(5)
				}
				wg.Wait()
			})
		})
	}
}

// TestCachedWrites checks that a write through an array with the cache is visible immediately to
// all arrays with the cache, also during a read.
func TestCachedWrites(t *testing.T) {
	for _, shards := range []bool{false, true} {
		t.Run(fmt.Sprint("shards ", shards), func(t *testing.T) {
			c := cache.New(1<<20, cache.Immutable())
			s, a, _ := cachedScene(t, shards, c)
			b := s.open()
			value := func(a *zarr.Array, want int32) {
				t.Helper()
				if got, err := zarr.Read[int32](t.Context(), a, zarr.Index(0), zarr.Index(0)); err != nil || got[0] != want {
					t.Errorf("%v, %v; want %d", got, err, want)
				}
			}
			write := func(v []int32, sel ...zarr.Selection) {
				t.Helper()
				succeed(t, zarr.Write(t.Context(), b, v, sel...))
			}
			value(a, 1)
			write([]int32{50}, zarr.Index(0), zarr.Index(0)) // part of the chunk
			value(a, 50)
			write(slices.Repeat([]int32{60}, 1024)) // the whole chunk
			value(a, 60)
			write(make([]int32, 1024)) // deletes
			value(a, 0)
			write([]int32{70}, zarr.Index(0), zarr.Index(0))
			value(a, 70)
			s.st.take(false)
			value(a, 70)
			if got := s.st.take(false); len(got) > 0 {
				t.Errorf("%q", got)
			}
			succeed(t, second(zarr.Replace(t.Context(), s.st, "x", zarr.Spec{Shape: []int{32, 32}, Chunks: []int{8, 8}, DType: dtype.Int32}, zarr.Cache(c))))
			value(s.open(), 0)
		})
	}
	t.Run("a read under way", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := cache.New(1<<20, cache.Immutable())
			s, _, _ := cachedScene(t, false, c, bubble())
			s.st.Store = late{s.backing} // its responses are a second old
			a := s.open()
			var wg sync.WaitGroup
			read := func(want int32) {
				wg.Go(func() {
					if got, err := zarr.Read[int32](t.Context(), a, zarr.Index(0), zarr.Index(0)); err != nil || got[0] != want {
						t.Errorf("%v, %v; want %d", got, err, want)
					}
				})
			}
			read(1)
			synctest.Wait()
			succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int32{9}, 64), zarr.Range(0, 8), zarr.Range(0, 8)))
			read(9) // does not join the load that started before the write
			wg.Wait()
			s.st.take(false)
			s.reads(a, []int32{9}, nil, zarr.Index(0), zarr.Index(0))
		})
	})
}

// TestCachedApart checks that stores, codecs and fields do not share chunks, and that stores with
// the same name do.
func TestCachedApart(t *testing.T) {
	c := cache.New(1<<20, cache.Immutable())
	value := func(st store.Store, c *cache.Cache, want int32) {
		t.Helper()
		a := mustOpen(t, st, "x", zarr.Cache(c))
		if got, err := zarr.Read[int32](t.Context(), a); err != nil || got[0] != want {
			t.Errorf("%v, %v; want %d", got, err, want)
		}
	}
	stores := make([]store.Store, 2)
	for i := range stores {
		stores[i] = mem.New()
		a := mustCreate(t, stores[i], "x", zarr.Spec{Shape: []int{2}, DType: dtype.Int32})
		succeed(t, zarr.Write(t.Context(), a, []int32{int32(i) + 1, 0}))
	}
	for i, st := range stores {
		value(st, c, int32(i)+1)
	}
	value(stores[0], c.Named("s"), 1)
	value(stores[1], c.Named("s"), 1) // the name declares that the stores are the same
	value(stores[1], c.Named("t"), 2)

	backing := mem.New()
	typ, err := dtype.Of[pairs]()
	if err != nil {
		t.Fatal(err)
	}
	a := mustCreate(t, backing, "p", zarr.Spec{Shape: []int{3}, DType: typ})
	succeed(t, zarr.Write(t.Context(), a, []pairs{{A: 1}, {A: 2}, {A: 3}}))
	a = mustOpen(t, backing, "p", zarr.Cache(c))
	for range 2 {
		whole, err := zarr.Read[pairs](t.Context(), a)
		if err != nil || whole[2].A != 3 {
			t.Errorf("%v, %v", whole, err)
		}
		field, err := a.Field("a")
		if err != nil {
			t.Fatal(err)
		}
		got, err := zarr.Read[int16](t.Context(), field)
		if err != nil || !slices.Equal(got, []int16{1, 2, 3}) {
			t.Errorf("%v, %v", got, err)
		}
	}
}

// TestCachedAtOnce checks that many goroutines which read and write through a cache that is too
// small never read elements older than their own writes. A read fails with a conflict if a shard
// changes during a hundred attempts (TestShardThatIsNeverTheSame). 16 writers can cause that on a
// busy machine, so the test then reads again.
func TestCachedAtOnce(t *testing.T) {
	for _, shards := range []bool{false, true} {
		s, a, _ := cachedScene(t, shards, cache.New(5000, cache.Immutable()))
		read := func(sel ...zarr.Selection) (got []int32, err error) {
			for range 20 {
				if got, err = zarr.Read[int32](s.Context(), a, sel...); !errors.Is(err, zarr.ErrConflict) {
					break
				}
			}
			return got, err
		}
		var wg sync.WaitGroup
		for g := range 16 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 1))
				for n := range 40 {
					v := int32(1000*g + n)
					if err := zarr.Write(s.Context(), a, []int32{v}, zarr.Index(g), zarr.Index(g)); err != nil {
						t.Error(err)
						return
					}
					got, err := read(zarr.Index(g), zarr.Index(g))
					if err != nil || got[0] != v {
						t.Errorf("%v, %v; want %d", got, err, v)
						return
					}
					if _, err := read(zarr.Range(r.IntN(16), 20), zarr.Range(r.IntN(16), 20)); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestCachedAllocations bounds the allocations of reading a cached chunk, and of each further
// chunk; see TestAllocations for those without a cache. The cache itself allocates nothing. The 3
// allocations are the box, the object and the key.
func TestCachedAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget at random, so allocations cannot be counted")
	}
	if _, ok := bytesview.Of([]int32{0}); !ok {
		t.Skip("without unsafe a call copies its values, which takes more")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, tt := range []struct {
		name   string
		shards bool
		one    float64
		each   float64
	}{
		{"chunks", false, 15, 3},
		{"inner chunks", true, 25, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _, _ := cachedScene(t, tt.shards, cache.New(1<<20, cache.Immutable()))
			a := s.open(own(1<<20), zarr.Limit(zarr.Limits{InFlight: 1}))
			allocates := func(sel ...zarr.Selection) float64 {
				n, err := a.Selected(sel...)
				if err != nil {
					t.Fatal(err)
				}
				v := make([]int32, n[0]*n[1])
				read := func() {
					succeed(t, zarr.ReadInto(context.Background(), a, v, sel...))
				}
				read()
				s.st.take(false)
				least := testing.AllocsPerRun(20, read)
				if got := s.st.take(false); len(got) > 0 {
					t.Errorf("%q", got)
				}
				return least
			}
			one := allocates(zarr.Range(0, 8), zarr.Range(0, 8))
			each := (allocates(zarr.All, zarr.All) - allocates(zarr.Range(0, 16), zarr.All)) / 8
			if one != tt.one || math.Round(each) != tt.each {
				t.Errorf("%v for one chunk and %v for each further one, want %v and %v", one, each, tt.one, tt.each)
			}
		})
	}
}

// TestCachedReports checks that hits are reported to traces and reports.
func TestCachedReports(t *testing.T) {
	var report zarr.Report
	s, _, _ := cachedScene(t, false, cache.New(1<<20, cache.Immutable()), zarr.WithReport(&report))
	a := s.open()
	var hits []store.Hit
	ctx := store.WithTrace(t.Context(), &store.Trace{Hit: func(_ context.Context, h store.Hit) { hits = append(hits, h) }})
	for range 2 {
		succeed(t, second(zarr.Read[int32](ctx, a, corner...)))
	}
	if want := []store.Hit{{Key: "x/c/0/0", Bytes: 256, Of: store.CachedChunk}}; !slices.Equal(hits, want) || report.Hits.Load() != 1 || report.Gets.Load() < 1 {
		t.Errorf("%+v, %d hits in the report", hits, report.Hits.Load())
	}
}

// BenchmarkCached reads a chunk of 256 KiB that zstd compresses to half, from a store in memory
// without a cache, and from a cache.
func BenchmarkCached(b *testing.B) {
	st := mem.New()
	a, err := zarr.Create(b.Context(), st, "x", zarr.Spec{Shape: []int{256, 256}, DType: dtype.Int32, Codecs: []codec.Spec{codec.Zstd(1)}})
	if err != nil {
		b.Fatal(err)
	}
	v, r := make([]int32, 1<<16), rand.New(rand.NewPCG(1, 2))
	for i := range v {
		v[i] = int32(r.IntN(1 << 16))
	}
	if err := zarr.Write(b.Context(), a, v); err != nil {
		b.Fatal(err)
	}
	for name, opts := range map[string][]zarr.Option{"no cache": nil, "hit": {zarr.Cache(cache.New(1<<24, cache.Immutable()))}} {
		a, err := zarr.OpenArray(b.Context(), st, "x", opts...)
		if err != nil {
			b.Fatal(err)
		}
		for what, sel := range map[string][]zarr.Selection{"all": nil, "a corner": corner} {
			n := 1 << 16
			if sel != nil {
				n = 4
			}
			b.Run(name+", "+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := zarr.ReadInto(b.Context(), a, v[:n], sel...); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestCachedOnce checks that concurrent goroutines request a chunk once.
func TestCachedOnce(t *testing.T) {
	for _, shards := range []bool{false, true} {
		s, _, _ := cachedScene(t, shards, cache.New(1<<20, cache.Immutable()))
		for range 200 {
			a, err := s.open().With(zarr.Cache(cache.New(1<<20, cache.Immutable())))
			if err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					if _, err := zarr.Read[int32](t.Context(), a, corner...); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			want := 1
			if shards {
				want = 2
			}
			if got := s.st.take(false); len(got) != want {
				t.Fatalf("%q", got)
			}
		}
	}
}
