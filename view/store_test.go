package view_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/cache"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// kinds are the kinds of errors that a Get of a view may return.
var kinds = []error{fault.NotFound, fault.Conflict, fault.Unchanged, fault.Limit, fault.Corrupt, fault.Selection, fault.Path}

func kindOf(err error) string {
	for _, k := range kinds {
		if errors.Is(err, k) {
			return k.Error()
		}
	}
	return fmt.Sprint(err)
}

// keys returns the keys of a listing, with a slash after directories.
func keys(t *testing.T, st store.Store, prefix string, o store.ListOptions) (list []string) {
	t.Helper()
	for e, err := range store.Pages(t.Context(), st, prefix, o) {
		succeed(t, err)
		if e.Dir {
			e.Key += "/"
		}
		list = append(list, e.Key)
	}
	return list
}

// views returns views with each kind of keys, and stores in memory with the same values. Chunks of
// fill values are in memory as empty values.
func views(t *testing.T) (all []*view.Store, stored []*mem.Store) {
	t.Helper()
	for _, o := range []view.Options{
		{Format: 2}, {Format: 3}, {Format: 3, Chunks: map[string]int{"time": 1, "lat": 1, "lon": 1}}, {Format: 3, Shards: map[string]int{"time": 30}, Decode: true},
	} {
		o.Fresh = time.Hour
		v, m := must(view.New(t.Context(), sample(t, mem.New(), 2+len(all)%2), o)), mem.New()
		for _, key := range keys(t, v, "", store.ListOptions{}) {
			got, err := v.Get(t.Context(), key, store.GetOptions{}, nil)
			if !errors.Is(err, fault.NotFound) {
				succeed(t, err)
			}
			zarrtest.Put(t, m, key, string(got.Bytes))
		}
		all, stored = append(all, v), append(stored, m)
	}
	return all, stored
}

// TestLists compares listings of views with those of a store in memory, in order.
func TestLists(t *testing.T) {
	all, stored := views(t)
	r := rand.New(rand.NewPCG(1, 2))
	for i, v := range all {
		everything := keys(t, stored[i], "", store.ListOptions{})
		cut := func() string {
			key := everything[r.IntN(len(everything))]
			return key[:r.IntN(len(key)+1)]
		}
		for range 3000 {
			prefix, o := "", store.ListOptions{Depth: store.Depth(r.IntN(2))}
			if r.IntN(2) == 0 {
				prefix = path.Clean(strings.TrimPrefix(cut(), "/"))
				prefix = strings.TrimPrefix(prefix, ".")
			}
			if r.IntN(2) == 0 {
				o.KeyPrefix = strings.TrimPrefix(strings.TrimPrefix(cut(), prefix), "/")
			}
			if r.IntN(2) == 0 {
				o.StartAfter = strings.TrimPrefix(strings.TrimPrefix(cut(), prefix), "/")
			}
			if got, want := keys(t, v, prefix, o), keys(t, stored[i], prefix, o); !slices.Equal(got, want) {
				t.Fatalf("view %d: prefix %q, %+v:\n%q\nwant\n%q", i, prefix, o, got, want)
			}
		}
	}
}

// TestListOfManyChunks reads a page in the middle of a listing of 10^18 chunks.
func TestListOfManyChunks(t *testing.T) {
	st := mem.New()
	must(zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{1e9, 1e9}, Chunks: []int{1, 1}, DType: dtype.Int8, Dims: []string{"y", "x"}}))
	v := must(view.New(t.Context(), must(dataset.Open(t.Context(), st, "", dataset.Options{})), view.Options{}))
	for _, r := range []struct {
		depth        store.Depth
		prefix, from string
		n            int
		first        string
	}{
		{store.Deep, "a", "c/5/71", 1000, "a/c/5/710"},
		{store.OneLevel, "a/c", "99999/", 1000, "a/c/999990"},
		{store.OneLevel, "a", "", 2, "a/c"},
	} {
		var page []store.Entry
		page, _, err := v.ListPage(t.Context(), r.prefix, store.ListOptions{Depth: r.depth, StartAfter: r.from}, "")
		succeed(t, err)
		if len(page) != r.n || page[0].Key != r.first {
			t.Errorf("%s after %s: %d entries from %q to %q", r.prefix, r.from, len(page), page[0].Key, page[len(page)-1].Key)
		}
	}
}

// TestGets compares values, ranges, conditions and errors with those of a store in memory.
func TestGets(t *testing.T) {
	all, stored := views(t)
	r := rand.New(rand.NewPCG(3, 4))
	for i, v := range all {
		everything := append(keys(t, v, "", store.ListOptions{}), "t/99.0.0", "t/c/0/0", "t/c/00/0/0", "x", "t", "t/", "../t", "t/c/0/0/-1", "t/c/0/0/0/0")
		for range 3000 {
			key := everything[r.IntN(len(everything))]
			now, err := v.Get(t.Context(), key, store.GetOptions{}, nil)
			if err == nil && (len(now.Bytes) == 0 || zarrtest.Get(t, stored[i], key) != string(now.Bytes)) {
				t.Fatalf("%s differs", key)
			}
			o, n := store.GetOptions{}, int64(r.IntN(200)-5)
			switch r.IntN(4) {
			case 0:
				o.Range = store.Within(int64(r.IntN(150)-5), n)
			case 1:
				o.Range = store.From(n)
			case 2:
				o.Range = store.Suffix(n)
			}
			o.Max = int64(r.IntN(2) * 100)
			want := store.GetOptions{Range: o.Range, Max: o.Max}
			m, merr := stored[i].Get(t.Context(), key, want, nil)
			if len(m.Bytes) == 0 && merr == nil || errors.Is(err, fault.NotFound) {
				if _, merr = stored[i].Get(t.Context(), "absent", want, nil); store.CheckKey(key) != nil {
					merr = store.CheckKey(key)
				}
			}
			switch {
			case r.IntN(4) == 0 && now.Version != "":
				if o.IfNotVersion = now.Version; !errors.Is(merr, fault.Selection) {
					merr = fault.Unchanged
				}
			case r.IntN(3) == 0 && now.Version != "":
				o.IfVersion = now.Version
			case r.IntN(3) == 0 && store.CheckKey(key) == nil:
				if o.IfVersion = "other"; !errors.Is(merr, fault.Selection) {
					merr = fault.Conflict
				}
			}
			got, err := v.Get(t.Context(), key, o, []byte("before"))
			if kindOf(err) != kindOf(merr) {
				t.Fatalf("view %d: %q %+v: %v, want %v", i, key, o, err, merr)
			}
			if err == nil && (string(got.Bytes) != "before"+string(m.Bytes) || got.Size != m.Size || got.Version != now.Version) {
				t.Fatalf("view %d: %q %+v differs", i, key, o)
			}
		}
		for _, err := range []error{v.Delete(t.Context(), "t/0", store.DeleteOptions{}), second(v.Put(t.Context(), "t/0", nil, store.PutOptions{}))} {
			if !errors.Is(err, fault.ReadOnly) || !store.IsReadOnly(v) {
				t.Errorf("a write: %v", err)
			}
		}
	}
}

func second[A any](_ A, err error) error { return err }

// TestRequests records the requests to the source for chunks of views.
func TestRequests(t *testing.T) {
	for _, r := range []struct {
		name   string
		format int
		o      view.Options
		key    string
		want   string // of the first Get
		again  string // of the second Get
	}{
		{"document", 3, view.Options{Format: 2}, "t/.zarray", "", ""},
		{"other format", 3, view.Options{Format: 2}, "t/1.0.1", "get t/c/1/0/1, get t/zarr.json", "get t/c/1/0/1 0+1 unchanged, get t/zarr.json"},
		{"decoded v2", 2, view.Options{Decode: true}, "t/4.1.1", "get t/.zarray, get t/.zattrs, get t/4.1.1, get t/zarr.json absent", "get t/.zarray, get t/.zattrs, get t/4.1.1 0+1 unchanged, get t/zarr.json absent"},
		{"fresh", 3, view.Options{Fresh: time.Hour}, "t/c/0/0/0", "get t/c/0/0/0, get t/zarr.json", ""},
		{"chunks", 3, view.Options{Chunks: map[string]int{"time": 15, "lat": 3}}, "t/c/1/0/0", "get t/c/1/0/0, get t/c/1/1/0, get t/c/2/0/0, get t/c/2/1/0, get t/zarr.json", "get t/c/1/0/0 0+1 unchanged, get t/c/1/1/0 0+1 unchanged, get t/c/2/0/0 0+1 unchanged, get t/c/2/1/0 0+1 unchanged, get t/zarr.json"},
		{"selection", 3, view.Options{Sel: []dataset.Query{dataset.Slice("time", 20, 31), dataset.Label("lat", 40)}}, "t/c/0/0/1", "get t/c/2/1/1, get t/zarr.json", "get t/c/2/1/1 0+1 unchanged, get t/zarr.json"},
		{"shard", 3, view.Options{Shards: map[string]int{"t/time": 20}}, "t/c/0/0/1", "get t/c/0/0/1, get t/c/1/0/1, get t/zarr.json", "get t/c/0/0/1 0+1 unchanged, get t/c/1/0/1 0+1 unchanged, get t/zarr.json"},
		{"absent", 3, view.Options{}, "empty/c/1", "get empty/c/1 absent, get empty/zarr.json", "get empty/c/1 0+1 absent, get empty/zarr.json"},
	} {
		t.Run(r.name, func(t *testing.T) {
			st, tr := mem.New(), &zarrtest.Transcript{}
			sample(t, st, r.format)
			if r.format == 3 {
				must(zarr.Create(t.Context(), st, "empty", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int8}))
			}
			ds := must(dataset.Open(t.Context(), store.Observe(st, tr.Record), "", dataset.Options{}, zarr.IgnoreConsolidated()))
			tr.Requests()
			v := must(view.New(t.Context(), ds, r.o))
			if got := tr.Requests(); got != "" {
				t.Errorf("New: %s", got)
			}
			plan := must(v.Plan(r.key))
			for _, want := range []string{r.want, r.again} {
				_, err := v.Get(t.Context(), r.key, store.GetOptions{Range: store.Suffix(8)}, nil)
				if err != nil && r.name != "absent" {
					t.Fatal(err)
				}
				got := regexp.MustCompile(` get "[^"]*" in [^ ]*: `).ReplaceAllString(tr.Requests(), " ")
				if n := int64(strings.Count(got, "get ")); n > plan.Gets || n == 0 && want != "" {
					t.Errorf("%d requests, the plan has %d", n, plan.Gets)
				}
				if got != want {
					t.Errorf("%s\nwant %s", got, want)
				}
			}
		})
	}
}

// TestOnce requests a key concurrently.
func TestOnce(t *testing.T) {
	st, tr := mem.New(), &zarrtest.Transcript{}
	sample(t, st, 3)
	wait := make(chan struct{})
	slow := store.Around(store.Observe(st, tr.Record), store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if strings.HasPrefix(c.Key, "t/c/") {
			<-wait
		}
		return ctx, nil
	}})
	v := must(view.New(t.Context(), must(dataset.Open(t.Context(), slow, "", dataset.Options{})), view.Options{Fresh: time.Hour}))
	tr.Requests()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := v.Get(t.Context(), "t/c/0/0/0", store.GetOptions{}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	time.AfterFunc(50*time.Millisecond, func() { close(wait) })
	all.Wait()
	if got := tr.Requests(); got != "get t/c/0/0/0, get t/zarr.json" {
		t.Errorf("20 concurrent Gets: %s", got)
	}
}

// TestChanges changes the source of a view.
func TestChanges(t *testing.T) {
	for _, r := range []struct {
		name   string
		change func(t *testing.T, st store.Store, a *zarr.Array)
		want   error
	}{
		{"nothing", func(*testing.T, store.Store, *zarr.Array) {}, nil},
		{"values", func(t *testing.T, _ store.Store, a *zarr.Array) {
			succeed(t, zarr.Write(t.Context(), a, []int16{7}, zarr.At(0), zarr.At(0), zarr.At(0)))
		}, nil},
		{"shape", func(t *testing.T, st store.Store, a *zarr.Array) {
			must(must(zarr.OpenArray(t.Context(), st, "time")).Resize(t.Context(), []int{60}, zarr.ResizeOptions{}))
			must(a.Resize(t.Context(), []int{60, 3, 4}, zarr.ResizeOptions{}))
		}, fault.Conflict},
		{"attributes", func(t *testing.T, _ store.Store, a *zarr.Array) {
			must(a.SetAttrs(t.Context(), map[string]any{"scale_factor": 2}))
		}, fault.Conflict},
		{"codecs", func(t *testing.T, st store.Store, a *zarr.Array) {
			s := a.Spec()
			s.Codecs = []codec.Spec{codec.Gzip(1)}
			must(zarr.Replace(t.Context(), st, "t", s))
		}, fault.Conflict},
		{"deleted", func(t *testing.T, st store.Store, _ *zarr.Array) {
			for _, key := range []string{"t/zarr.json", "t/.zarray", "t/.zattrs"} {
				succeed(t, st.Delete(t.Context(), key, store.DeleteOptions{}))
			}
		}, fault.Conflict},
		{"corrupt", func(t *testing.T, st store.Store, a *zarr.Array) {
			zarrtest.Put(t, st, a.ChunkKey(0, 0, 0), "garbage")
		}, fault.Corrupt},
	} {
		for _, format := range []int{2, 3} {
			for _, warm := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/v%d/%v", r.name, format, warm), func(t *testing.T) {
					st := mem.New()
					ds := sample(t, st, format)
					v := must(view.New(t.Context(), ds, view.Options{Format: 2, Decode: true}))
					var was store.Value
					if warm {
						was = must(v.Get(t.Context(), "t/0.0.0", store.GetOptions{}, nil))
					}
					r.change(t, st, must(ds.Var("t")).Array())
					got, err := v.Get(t.Context(), "t/0.0.0", store.GetOptions{}, nil)
					if r.want == nil && err != nil || !errors.Is(err, r.want) {
						t.Fatalf("%v, want %v", err, r.want)
					}
					if warm && err == nil && bytes.Equal(was.Bytes, got.Bytes) != (r.name == "nothing") {
						t.Error("the value is the wrong one")
					}
					err = v.Refresh(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					_, err = v.Get(t.Context(), "t/0.0.0", store.GetOptions{}, nil)
					if want := map[string]error{"deleted": fault.NotFound, "corrupt": fault.Corrupt}[r.name]; !errors.Is(err, want) || want == nil && err != nil {
						t.Errorf("refreshed: %v, want %v", err, want)
					}
				})
			}
		}
	}
}

// TestFailures checks that no failure of the source makes a chunk absent.
func TestFailures(t *testing.T) {
	for _, kind := range []error{fault.Unavailable, fault.Throttled, fault.Refused, fault.Corrupt} {
		for _, suffix := range []string{"c/0/0/0", "zarr.json"} {
			st, broken := mem.New(), false
			sample(t, st, 3)
			bad := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if broken && c.Key == "t/"+suffix {
					return ctx, &fault.KeyError{Op: "get", Key: c.Key, Kind: kind}
				}
				return ctx, nil
			}})
			v := must(view.New(t.Context(), must(dataset.Open(t.Context(), bad, "", dataset.Options{})), view.Options{}))
			for _, warm := range []bool{false, true} {
				broken = false
				if warm {
					must(v.Get(t.Context(), "t/c/0/0/0", store.GetOptions{}, nil))
				}
				broken = true
				if _, err := v.Get(t.Context(), "t/c/0/0/0", store.GetOptions{}, nil); !errors.Is(err, kind) || errors.Is(err, fault.NotFound) {
					t.Errorf("%s %v: %v", suffix, kind, err)
				}
			}
		}
	}
}

// TestCachedSource reads a source through a cache of chunks, which hides requests from the view.
func TestCachedSource(t *testing.T) {
	st := mem.New()
	sample(t, st, 3)
	ds := must(dataset.Open(t.Context(), st, "", dataset.Options{}, zarr.Cache(cache.New(1<<20, cache.Revalidate(time.Hour)))))
	v := must(view.New(t.Context(), ds, view.Options{Chunks: map[string]int{"t/time": 5}}))
	var before [2]store.Value
	for i := range before { // the second chunk is in the cache of the source
		before[i] = must(v.Get(t.Context(), fmt.Sprintf("t/c/%d/0/0", i), store.GetOptions{}, nil))
	}
	succeed(t, zarr.Write(t.Context(), must(zarr.OpenArray(t.Context(), st, "t")), []int16{9, 9}, zarr.Range(4, 6), zarr.At(0), zarr.At(0)))
	for i := range before {
		if after := must(v.Get(t.Context(), fmt.Sprintf("t/c/%d/0/0", i), store.GetOptions{}, nil)); after.Version == before[i].Version {
			t.Errorf("chunk %d is out of date", i)
		}
	}
}

// TestShardedSource changes shards of the source, also after a read that needed only their index.
func TestShardedSource(t *testing.T) {
	for _, at := range []int{0, 5} { // a stored inner chunk, and an absent one
		const n = 1 << 14 // long enough for requests of single inner chunks
		st := mem.New()
		a := must(zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{64 * n}, Chunks: []int{n}, Shards: []int{64 * n}, DType: dtype.Int8, Dims: []string{"x"}, Codecs: []codec.Spec{}}))
		succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int8{1}, 4*n), zarr.Range(0, 4*n)))
		v := must(view.New(t.Context(), must(dataset.Open(t.Context(), st, "", dataset.Options{})), view.Options{Chunks: map[string]int{"x": n}, NoShards: true}))
		for round := range int8(3) {
			for _, i := range []int{0, at, 7} {
				_, err := v.Get(t.Context(), fmt.Sprint("a/c/", i), store.GetOptions{}, nil)
				if err != nil && !errors.Is(err, fault.NotFound) {
					t.Fatal(err)
				}
			}
			succeed(t, zarr.Write(t.Context(), a, []int8{round + 2}, zarr.At(at*n)))
			got, err := v.Get(t.Context(), fmt.Sprint("a/c/", at), store.GetOptions{}, nil)
			if err != nil || got.Bytes[0] != byte(round+2) {
				t.Errorf("element %d, round %d: %v", at, round, err)
			}
		}
	}
}

// TestRefused opens views that cannot exist.
func TestRefused(t *testing.T) {
	ds := sample(t, mem.New(), 3)
	for _, r := range []struct {
		name string
		ds   *dataset.Dataset
		o    view.Options
		want error
	}{
		{"no dataset", nil, view.Options{}, fault.Selection},
		{"selected", must(ds.Sel(dataset.At("time", 0))), view.Options{}, fault.Selection},
		{"format", ds, view.Options{Format: 1}, fault.Selection},
		{"length", ds, view.Options{Chunks: map[string]int{"time": 0}}, fault.Selection},
		{"unknown dimension", ds, view.Options{Chunks: map[string]int{"nothing": 1}}, fault.Selection},
		{"shards in v2", ds, view.Options{Format: 2, Shards: map[string]int{"time": 10}}, fault.Selection},
		{"shards of no chunks", ds, view.Options{Shards: map[string]int{"time": 11}}, fault.Metadata},
		{"unknown variable", ds, view.Options{Vars: []string{"nothing"}}, fault.NotFound},
		{"unknown label", ds, view.Options{Sel: []dataset.Query{dataset.Label("lat", 51)}}, fault.Selection},
		{"points", ds, view.Options{Sel: []dataset.Query{dataset.Pointwise("p", dataset.At("lat", []int{0, 1}), dataset.At("lon", []int{0, 1}))}}, fault.Selection},
		{"codec", ds, view.Options{Codecs: []codec.Spec{{Name: "nothing"}}}, errors.ErrUnsupported},
		{"memory", ds, view.Options{Memory: 200}, fault.Limit},
		{"cache", ds, view.Options{Cache: 200, Shards: map[string]int{"time": 100}}, fault.Limit},
	} {
		if _, err := view.New(t.Context(), r.ds, r.o); !errors.Is(err, r.want) {
			t.Errorf("%s: %v, want %v", r.name, err, r.want)
		}
	}
}

// TestNested reads a view of a view of a view in one process, by many goroutines, with little
// memory. The reads of one view wait for each other, and must not wait for those of the other
// views.
func TestNested(t *testing.T) {
	ds, shared := sample(t, mem.New(), 3), &concurrency.Limits{CPU: concurrency.NewCPU(1), Bytes: concurrency.NewBudget(2048)}
	for range 3 {
		v := must(view.New(t.Context(), ds, view.Options{Memory: 4096, Chunks: map[string]int{"t/time": 9}}))
		ds = must(dataset.Open(t.Context(), v, "", dataset.Options{}, zarr.Limit(zarr.Limits{Shared: shared})))
	}
	want := must(dataset.Read[float64](t.Context(), must(sample(t, mem.New(), 3).Var("t"))))
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			if got, err := dataset.Read[float64](t.Context(), must(ds.Var("t"))); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("the values differ: %v", err)
			}
		})
	}
	all.Wait()
}
