package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// kept is a store that stays open: its Close does nothing.
type kept struct{ store.Store }

func (kept) Close() error { return nil }

// stores returns an Opener for the named stores. Stores other than *mem.Store lose their optional
// methods.
func stores(all map[string]store.Store) transfer.Opener {
	return func(_ context.Context, name string) (store.Store, error) {
		if s, ok := all[name].(*mem.Store); ok {
			return s, nil // its Close does nothing
		}
		return kept{all[name]}, nil
	}
}

// world is a source store and a target store.
type world struct {
	t        *testing.T
	src, dst store.Store
	open     transfer.Opener
}

func newWorld(t *testing.T, src, dst store.Store) *world {
	return &world{t, src, dst, stores(map[string]store.Store{"src": src, "dst": dst})}
}

func (w *world) plan(n zarr.Node, o transfer.Options) *transfer.Plan {
	w.t.Helper()
	o.Source.Store, o.Target.Store = "src", "dst"
	p, err := transfer.NewPlan(w.t.Context(), n, w.dst, o)
	if err != nil {
		w.t.Fatal(err)
	}
	again, err := transfer.Decode(p.Encode())
	if err != nil {
		w.t.Fatal(err)
	}
	if again.ID() != p.ID() {
		w.t.Fatal("a plan that was read again is another one")
	}
	return again
}

func (w *world) run(p *transfer.Plan) {
	w.t.Helper()
	if err := transfer.Run(w.t.Context(), p, w.open, transfer.RunOptions{}); err != nil {
		w.t.Fatal(err)
	}
	if missing, err := transfer.Verify(w.t.Context(), p, w.open); err != nil || len(missing) > 0 {
		w.t.Fatalf("after all: missing %v, %v", missing, err)
	}
}

// forest creates a hierarchy: groups with attributes, and arrays of several kinds that lack chunks.
func forest(t *testing.T, st store.Store, format int) *zarr.Group {
	t.Helper()
	ctx := t.Context()
	g := must(zarr.CreateGroup(ctx, st, "in", zarr.Spec{Format: format, Attrs: map[string]any{"title": "test"}}))
	must(g.CreateGroup(ctx, "deep", map[string]any{"n": 1}))
	blosc := []codec.Spec{codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: 5, Shuffle: "shuffle"})}
	a := must(g.CreateArray(ctx, "t2m", zarr.Spec{Shape: []int{37, 21, 10}, Chunks: []int{5, 7, 4}, DType: dtype.Float32, Fill: float32(-1), Codecs: blosc, Attrs: dims(format, "time", "lat", "lon"), Dims: v3dims(format, "time", "lat", "lon")}))
	src := make([]float32, 20*21*10)
	for i := range src {
		src[i] = float32(i)
	}
	check(t, zarr.Write(ctx, a, src, zarr.Range(10, 30)))
	b := must(g.CreateArray(ctx, "time", zarr.Spec{Shape: []int{37}, Chunks: []int{10}, DType: dtype.Int64, Attrs: dims(format, "time"), Dims: v3dims(format, "time")}))
	times := make([]int64, 37)
	for i := range times {
		times[i] = int64(i) * 3600
	}
	check(t, zarr.Write(ctx, b, times))
	s := must(g.CreateArray(ctx, "deep/names", zarr.Spec{Shape: []int{7}, Chunks: []int{3}, DType: dtype.String}))
	check(t, zarr.Write(ctx, s, []string{"a", "", "ccc", "d", "é", "f", "gg"}))
	must(g.CreateArray(ctx, "deep/empty", zarr.Spec{Shape: []int{0, 3}, Chunks: []int{1, 3}, DType: dtype.Uint8}))
	one := must(g.CreateArray(ctx, "deep/scalar", zarr.Spec{Shape: []int{}, DType: dtype.Float64}))
	check(t, zarr.Write(ctx, one, []float64{3.5}))
	return must(zarr.OpenGroup(ctx, st, "in"))
}

func dims(format int, names ...any) map[string]any {
	if format == 2 {
		return map[string]any{"_ARRAY_DIMENSIONS": names, "units": "K"}
	}
	return map[string]any{"units": "K"}
}

func v3dims(format int, names ...string) []string {
	if format == 2 {
		return nil
	}
	return names
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares the elements of all arrays of two hierarchies.
func same(t *testing.T, from, to *zarr.Group) {
	t.Helper()
	ctx, arrays := t.Context(), 0
	for n, err := range from.Walk(ctx) {
		check(t, err)
		path := n.Path()[len(from.Path())+1:]
		other, err := to.Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		a, ok := n.(*zarr.Array)
		if !ok {
			continue
		}
		arrays++
		equal(t, a, other.(*zarr.Array))
	}
	if arrays == 0 {
		t.Fatal("no arrays were compared")
	}
}

func equal(t *testing.T, a, b *zarr.Array, sel ...zarr.Selection) {
	t.Helper()
	ctx := t.Context()
	if a.DType().Size() == 0 {
		x, y := must(a.ReadItems(ctx, sel...)), must(b.ReadItems(ctx))
		if !slices.EqualFunc(x, y, bytes.Equal) {
			t.Fatalf("%s: %q and %q", a.Path(), x, y)
		}
		return
	}
	n := a.DType().Size()
	for _, d := range b.Shape() {
		n *= d
	}
	x, y := make([]byte, n), make([]byte, n)
	check(t, a.ReadBytes(ctx, x, sel...))
	check(t, b.ReadBytes(ctx, y))
	if !bytes.Equal(x, y) {
		t.Fatalf("%s differs", a.Path())
	}
}

// all returns the stored values below a path.
func all(t *testing.T, st store.Store, below string) map[string]string {
	t.Helper()
	values := map[string]string{}
	for e, err := range st.List(t.Context(), below, store.ListOptions{}) {
		check(t, err)
		values[e.Key] = string(must(st.Get(t.Context(), e.Key, store.GetOptions{}, nil)).Bytes)
	}
	return values
}

// copied returns the stored values of a target, without those that a transfer keeps until Clean.
func copied(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	values := all(t, st, "")
	maps.DeleteFunc(values, func(key, _ string) bool { return strings.Contains(key, "__zargo_transfer/") })
	return values
}

func TestCopyAsItIs(t *testing.T) {
	for _, format := range []int{2, 3} {
		for name, dst := range map[string]store.Store{"mem": mem.New(), "dir": dir.New(t.TempDir())} {
			t.Run(fmt.Sprint(name, format), func(t *testing.T) {
				w := newWorld(t, mem.New(), dst)
				g := forest(t, w.src, format)
				p := w.plan(g, transfer.Options{Target: transfer.Place{Path: "in"}})
				for _, s := range p.Stages[0].Steps {
					if s.Kind != transfer.Encoded {
						t.Errorf("%v is %s", s.To, s.Kind)
					}
				}
				w.run(p)
				check(t, transfer.Clean(t.Context(), p, w.open))
				was, is := all(t, w.src, ""), all(t, w.dst, "")
				delete(was, "zarr.json") // the root group is not copied
				delete(was, ".zgroup")
				delete(is, "zarr.json")
				delete(is, ".zgroup")
				if !maps.Equal(was, is) {
					t.Errorf("stored %v, not %v", slices.Sorted(maps.Keys(is)), slices.Sorted(maps.Keys(was)))
				}
			})
		}
	}
}

func TestCopyChanged(t *testing.T) {
	grid := func(chunks, shards []int) func(*zarr.Array) ([]int, []int, error) {
		return func(a *zarr.Array) ([]int, []int, error) {
			if len(a.Shape()) == len(chunks) && a.Len() > 0 {
				return chunks, shards, nil
			}
			return nil, nil, nil
		}
	}
	zstd := []codec.Spec{codec.Zstd(3)}
	for _, c := range []struct {
		name   string
		format int // of the source
		o      transfer.Options
		codecs bool // objects are copied without decoding
	}{
		{name: "v2 to v3", format: 2, o: transfer.Options{Format: 3}, codecs: true},
		{name: "v2 to v3 sharded zstd", format: 2, o: transfer.Options{Format: 3, Codecs: zstd, Grid: grid([]int{5, 7, 5}, []int{10, 21, 10})}},
		{name: "v3 to v2", format: 3, o: transfer.Options{Format: 2, Codecs: zstd}},
		{name: "chunks", format: 3, o: transfer.Options{Grid: grid([]int{37, 3, 2}, nil)}},
		{name: "shards", format: 3, o: transfer.Options{Grid: grid([]int{1, 7, 2}, []int{4, 14, 4})}},
		{name: "codecs", format: 2, o: transfer.Options{Codecs: []codec.Spec{}}},
		{name: "consolidated", format: 3, o: transfer.Options{Consolidate: true}, codecs: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, mem.New(), dir.New(t.TempDir()))
			g := forest(t, w.src, c.format)
			p := w.plan(g, c.o)
			w.run(p)
			to := must(zarr.OpenGroup(t.Context(), w.dst, ""))
			if c.o.Format != 0 && to.Format() != c.o.Format {
				t.Errorf("format %d", to.Format())
			}
			same(t, g, to)
			if c.o.Consolidate && to.Metadata().Consolidated == nil {
				t.Error("there is no consolidated metadata")
			}
			a := must(to.OpenArray(t.Context(), "t2m"))
			if want := []string{"time", "lat", "lon"}; !slices.Equal(a.Dims(), want) {
				t.Errorf("dimensions %v", a.Dims())
			}
			if c.o.Grid != nil {
				chunks, shards, _ := c.o.Grid(a)
				if !slices.Equal(a.Chunks(), chunks) || !slices.Equal(a.Shards(), shards) {
					t.Errorf("chunks %v, shards %v", a.Chunks(), a.Shards())
				}
			}
			for _, s := range p.Stages[0].Steps {
				if s.To.Path == "t2m" && (s.Kind == transfer.Encoded) != c.codecs {
					t.Errorf("%v is %s", s.To, s.Kind)
				}
			}
		})
	}
}

func TestCopyPart(t *testing.T) {
	for _, c := range []struct {
		lo, hi int
		kind   transfer.Kind
	}{{10, 30, transfer.Encoded}, {30, 37, transfer.Encoded}, {10, 32, transfer.Blocks}, {11, 31, transfer.Blocks}} {
		w := newWorld(t, mem.New(), mem.New())
		a := must(forest(t, w.src, 3).OpenArray(t.Context(), "t2m"))
		p := w.plan(a, transfer.Options{Target: transfer.Place{Path: "out/t2m"}, Ranges: func(a *zarr.Array) ([][2]int, error) {
			return [][2]int{{c.lo, c.hi}, {7, 21}, {0, 10}}, nil
		}})
		w.run(p)
		b := must(zarr.OpenArray(t.Context(), w.dst, "out/t2m"))
		equal(t, a, b, zarr.Range(c.lo, c.hi), zarr.Range(7, 21))
		if got := p.Stages[0].Steps[0].Kind; got != c.kind {
			t.Errorf("%v: %v", c, got)
		}
	}
}

// TestWithinAStore checks that a copy within a store uses Copy and reads no chunks.
func TestWithinAStore(t *testing.T) {
	st := mem.New()
	g := forest(t, st, 3)
	gets, chunks := 0, 0
	var mu sync.Mutex
	seen := store.Observe(st, func(_ context.Context, e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case e.Op != store.OpGet || strings.HasSuffix(e.Key, "__zargo_transfer/claim"):
		case strings.HasSuffix(e.Key, "zarr.json"), strings.HasSuffix(e.Key, "/.zarray"), strings.HasSuffix(e.Key, "/.zgroup"), e.Key == "out/.zattrs", e.Key == "out/meta":
			gets++
		default:
			chunks++
		}
	})
	open := func(context.Context, string) (store.Store, error) { return seen, nil }
	p, err := transfer.NewPlan(t.Context(), g, st, transfer.Options{Source: transfer.Place{Store: "one"}, Target: transfer.Place{Store: "one", Path: "out/x"}})
	check(t, err)
	check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
	same(t, g, must(zarr.OpenGroup(t.Context(), st, "out/x")))
	// These requests check that the target is free. They read its document before the claim, the
	// document of each of the 4 arrays with chunks before the first write, and the documents of
	// both formats of the 7 nodes before they are stored. After the claim, the target is listed.
	// Each source array is compared with the plan twice. The creation of the group above the target
	// reads the four documents that make a node, and after the put the two of other nodes.
	// After their documents are stored, two documents of other nodes are read for each of the 7
	// nodes.
	if gets != 1+4+3*7+2*4+4+2+2*7 || chunks > 0 {
		t.Errorf("%d documents were read, %d chunks", gets, chunks)
	}
	must(zarr.OpenGroup(t.Context(), st, "out"))
}

func TestResumed(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	g := forest(t, w.src, 3)
	p := w.plan(g, transfer.Options{Codecs: []codec.Spec{codec.Gzip(1)}, Grid: func(a *zarr.Array) ([]int, []int, error) {
		if len(a.Shape()) == 3 {
			return []int{1, 21, 10}, []int{}, nil
		}
		return nil, nil, nil
	}})
	for i := range p.Stages[0].Steps {
		if s := &p.Stages[0].Steps[i]; s.Kind == transfer.Blocks {
			for d := range s.Block {
				s.Block[d] = 1 // many tasks
			}
		}
	}
	check(t, transfer.Save(t.Context(), w.dst, p))
	ctx, cancel := context.WithCancel(t.Context())
	err := transfer.Run(ctx, p, w.open, transfer.RunOptions{Parallel: 2, Progress: func(x transfer.Progress) {
		if x.Done == 9 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := zarr.Open(t.Context(), w.dst, ""); !errors.Is(err, fault.NotFound) {
		t.Fatalf("a half-copied target is seen: %v", err)
	}
	missing, err := transfer.Verify(t.Context(), p, w.open)
	check(t, err)
	if n := p.Tasks() - len(missing); n < 9 || n > 11 {
		t.Fatalf("%d tasks were done", n)
	}
	if err := transfer.RunTask(t.Context(), p, p.Tasks()-1, w.open); !errors.Is(err, fault.Conflict) {
		t.Fatalf("the target was published too early: %v", err)
	}
	saved, err := transfer.Saved(t.Context(), w.dst, "")
	check(t, err)
	if saved.ID() != p.ID() {
		t.Fatal("another plan was saved")
	}
	last := transfer.Progress{}
	check(t, transfer.Run(t.Context(), saved, w.open, transfer.RunOptions{Progress: func(x transfer.Progress) { last = x }}))
	if last.Skipped != p.Tasks()-len(missing) || last.Done != last.Tasks || last.Done != p.Tasks()-1 {
		t.Errorf("at the end: %+v", last)
	}
	var again []transfer.Progress
	check(t, transfer.Run(t.Context(), saved, w.open, transfer.RunOptions{Progress: func(x transfer.Progress) { again = append(again, x) }}))
	if len(again) != 1 || again[0].Done != p.Tasks()-1 || again[0].Skipped != p.Tasks()-1 || again[0].Tasks != p.Tasks()-1 || again[0].Moved.BytesWritten != 0 {
		t.Errorf("of a complete target: %+v", again)
	}
	same(t, g, must(zarr.OpenGroup(t.Context(), w.dst, "")))
	check(t, transfer.Clean(t.Context(), p, w.open))
	if missing, err := transfer.Verify(t.Context(), p, w.open); err != nil || len(missing) > 0 {
		t.Errorf("after clean: %v, %v", missing, err)
	}
	for key := range all(t, w.dst, "__zargo_transfer") {
		t.Errorf("%s is left", key)
	}
	if _, err := transfer.NewPlan(t.Context(), g, w.dst, transfer.Options{}); !errors.Is(err, fault.Exists) {
		t.Errorf("over what is there: %v", err)
	}
}

// TestTasksTwice checks that tasks store the same bytes if they run several times, also
// concurrently.
func TestTasksTwice(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	g := forest(t, w.src, 2)
	p := w.plan(g, transfer.Options{Format: 3, Codecs: []codec.Spec{codec.Zstd(1)}})
	once := newWorld(t, w.src, mem.New())
	once.run(p)
	for i := range p.Tasks() {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if err := transfer.RunTask(t.Context(), p, i, w.open); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		check(t, transfer.RunTask(t.Context(), p, i, w.open))
	}
	if x, y := copied(t, once.dst), copied(t, w.dst); !maps.Equal(x, y) || len(x) < 20 {
		t.Errorf("%d and %d objects, which differ", len(x), len(y))
	}
}

// TestIndexes divides the tasks among four processes.
func TestIndexes(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	g := forest(t, w.src, 3)
	p := w.plan(g, transfer.Options{Codecs: []codec.Spec{}})
	for _, i := range []int{2, 0, 3, 1} {
		check(t, transfer.Run(t.Context(), p, w.open, transfer.RunOptions{Index: i, Count: 4}))
		missing, err := transfer.Verify(t.Context(), p, w.open)
		check(t, err)
		if (len(missing) == 0) != (i == 1) {
			t.Errorf("after %d: %v", i, missing)
		}
	}
	same(t, g, must(zarr.OpenGroup(t.Context(), w.dst, "")))
}

// refusing is a store whose puts of chunks fail with fault.NotFound.
type refusing struct{ store.Store }

func (r refusing) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if strings.Contains(key, "c/") {
		return "", &fault.KeyError{Op: "put", Key: key, Err: fault.NotFound}
	}
	return r.Store.Put(ctx, key, value, o)
}

// TestOnlyAbsenceIsAbsent checks that fault.NotFound of a put is an error, and does not mean that a
// chunk is absent.
func TestOnlyAbsenceIsAbsent(t *testing.T) {
	src := mem.New()
	a := must(zarr.Create(t.Context(), src, "a", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Uint8}))
	check(t, zarr.Write(t.Context(), a, []byte{1, 2, 3, 4}))
	for _, codecs := range [][]codec.Spec{nil, {codec.Gzip(1)}} {
		w := newWorld(t, src, refusing{mem.New()})
		p := w.plan(a, transfer.Options{Codecs: codecs})
		if err := transfer.RunTask(t.Context(), p, 0, w.open); !errors.Is(err, fault.NotFound) {
			t.Errorf("%v", err)
		}
		if missing, err := transfer.Verify(t.Context(), p, w.open); err != nil || len(missing) != p.Tasks() {
			t.Errorf("%v are missing, %v", missing, err)
		}
	}
}

// TestLargeObjects checks that a large object is copied in parts.
func TestLargeObjects(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	a := must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{80 << 20}, Chunks: []int{40 << 20}, DType: dtype.Uint8, Codecs: []codec.Spec{}}))
	values := make([]byte, 40<<20)
	for i := range values {
		values[i] = byte(i >> 10)
	}
	check(t, zarr.Write(t.Context(), a, values, zarr.Range(40<<20, 80<<20)))
	p := w.plan(a, transfer.Options{Memory: 128 << 20})
	var parts, puts atomic.Int64
	open := func(ctx context.Context, name string) (store.Store, error) {
		st, err := w.open(ctx, name)
		return store.Observe(st, func(_ context.Context, e store.Event) {
			switch {
			case e.Op == store.OpPart:
				parts.Add(1)
			case e.Op == store.OpPut && e.Bytes > 1<<20:
				puts.Add(1)
			}
		}), err
	}
	check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
	if parts.Load() != 3 || puts.Load() != 0 {
		t.Errorf("%d parts and %d puts", parts.Load(), puts.Load())
	}
	got := must(w.dst.Get(t.Context(), "c/1", store.GetOptions{}, nil))
	if !bytes.Equal(got.Bytes, values) {
		t.Error("it differs")
	}
}
