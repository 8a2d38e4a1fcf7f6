package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// series returns options to copy maps to time series with little memory.
func series(o transfer.Options) transfer.Options {
	o.Memory = 66 << 20
	o.Grid = func(a *zarr.Array) ([]int, []int, error) { return []int{a.Shape()[0], 4, 4}, nil, nil }
	return o
}

// maps16 creates an array with a chunk for each time step. One chunk in eight is not stored.
func maps16(t *testing.T, w *world, n int) *zarr.Array {
	t.Helper()
	a := must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{n, 64, 64}, Chunks: []int{1, 64, 64}, DType: dtype.Uint16, Fill: uint16(3)}))
	r := rand.New(rand.NewPCG(1, 2))
	values := make([]uint16, 64*64)
	for i := range n {
		if i%8 == 3 {
			continue
		}
		for k := range values {
			values[k] = uint16(r.IntN(50))
		}
		check(t, zarr.Write(t.Context(), a, values, zarr.At(i)))
	}
	return a
}

func TestStages(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	a := maps16(t, w, 1024)
	p := w.plan(a, series(transfer.Options{}))
	if len(p.Stages) < 3 {
		t.Fatalf("%d stages", len(p.Stages))
	}
	one := newWorld(t, w.src, mem.New())
	q := one.plan(a, series(transfer.Options{OneStage: true}))
	if len(q.Stages) != 2 {
		t.Fatalf("%d stages", len(q.Stages))
	}
	if x, y := requests(t, p), requests(t, q); x > y/2 {
		t.Errorf("%d requests, and %d in one stage", x, y)
	}

	first, n := p.TasksOf(1)
	if err := transfer.RunTask(t.Context(), p, first, w.open); n == 0 || !errors.Is(err, fault.Conflict) {
		t.Fatalf("a stage began before the one it reads: %v", err)
	}
	if err := transfer.Run(t.Context(), p, w.open, transfer.RunOptions{Index: 1, Count: 2, Stage: 2}); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "of stage 1 are not done") {
		t.Fatalf("the second stage began before the first was complete: %v", err)
	}
	if err := transfer.Run(t.Context(), p, w.open, transfer.RunOptions{Index: 1, Count: 2}); !errors.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "of stage 1 are not done") {
		t.Fatalf("a process that does not wait for the first stage: %v", err)
	}
	for k := range len(p.Stages) - 1 {
		for _, i := range []int{1, 0} {
			check(t, transfer.Run(t.Context(), p, w.open, transfer.RunOptions{Index: i, Count: 2, Stage: k + 1}))
		}
	}
	one.run(q)
	b := must(zarr.OpenArray(t.Context(), w.dst, ""))
	equal(t, a, b)
	check(t, transfer.Clean(t.Context(), p, w.open))
	check(t, transfer.Clean(t.Context(), q, one.open))
	if x, y := all(t, w.dst, ""), all(t, one.dst, ""); !maps.Equal(x, y) {
		t.Error("through an intermediate array other objects are stored")
	}
}

// requests returns the maximum number of requests of a plan: its costs, and for each task a put of
// a marker and a get of the claim.
func requests(t *testing.T, p *transfer.Plan) (n int64) {
	t.Helper()
	costs, err := p.Costs()
	check(t, err)
	for _, c := range costs {
		n += c.Reads + c.Writes + 2*int64(c.Tasks)
	}
	return n
}

// TestRequests compares the requests that the stores receive with the costs of the plan. The costs
// do not include documents of arrays.
func TestRequests(t *testing.T) {
	for name, o := range map[string]transfer.Options{
		"stages":    series(transfer.Options{}),
		"one stage": series(transfer.Options{OneStage: true}),
		"encoded":   {},
	} {
		var documents, others atomic.Int64
		seen := func(s store.Store) store.Store {
			return store.Observe(s, func(_ context.Context, e store.Event) {
				file := e.Key[strings.LastIndexByte(e.Key, '/')+1:]
				switch {
				case e.Op != store.OpGet && e.Op != store.OpPut:
				case file == "zarr.json" || strings.HasPrefix(file, ".z"):
					documents.Add(1)
				default:
					others.Add(1)
				}
			})
		}
		w := newWorld(t, seen(mem.New()), seen(mem.New()))
		p := w.plan(maps16(t, w, 256), o)
		documents.Store(0)
		others.Store(0)
		var last transfer.Progress
		check(t, transfer.Run(t.Context(), p, w.open, transfer.RunOptions{Progress: func(x transfer.Progress) { last = x }}))
		most := requests(t, p) + 6 // puts and gets of the claim
		t.Logf("%s: %d requests, and %d for documents; planned %d", name, others.Load(), documents.Load(), most)
		if got := others.Load(); got > most || got < most/2 {
			t.Errorf("%s: %d requests, planned %d", name, got, most)
		}
		if moved := last.Moved.Gets + last.Moved.Puts; moved < others.Load() || moved > others.Load()+documents.Load() {
			t.Errorf("%s: Moved has %d requests, %d and %d for documents were made", name, moved, others.Load(), documents.Load())
		}
		// The last task reads two documents of other formats and kinds after it has put that of the
		// array.
		if got := documents.Load(); got > 9+2 {
			t.Errorf("%s: %d requests for documents", name, got)
		}
	}
}

// TestERA5 plans the example of rechunker, from maps to time series of ERA5. The plan has two
// intermediate arrays within 1 GiB, and one within 4 GiB.
func TestERA5(t *testing.T) {
	src := mem.New()
	a := must(zarr.Create(t.Context(), src, "t2m", zarr.Spec{Shape: []int{350640, 721, 1440}, Chunks: []int{1, 721, 1440}, DType: dtype.Float32}))
	for _, c := range []struct {
		memory int64
		stages int
	}{{1 << 30, 3}, {4 << 30, 2}} {
		p, err := transfer.NewPlan(t.Context(), a, nil, transfer.Options{Memory: c.memory, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{350640, 10, 10}, nil, nil }})
		check(t, err)
		if got := len(p.Stages) - 1; got != c.stages {
			t.Errorf("%d bytes: %d stages", c.memory, got)
		}
		costs, err := p.Costs()
		check(t, err)
		for _, c := range costs {
			if c.Step.To != nil {
				t.Logf("%v: %d tasks, %d reads, %d writes, block %v of %v", c.Step.To, c.Tasks, c.Reads, c.Writes, c.Step.Block, c.Step.Grid)
			}
		}
		if n := len(p.Encode()); n > 20<<10 {
			t.Errorf("a plan of %d bytes", n)
		}
	}
}

// TestHostileStages checks that Decode refuses invalid changes of plans with several stages.
func TestHostileStages(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	p := w.plan(must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{1024, 64, 64}, Chunks: []int{1, 64, 64}, DType: dtype.Uint16})), series(transfer.Options{}))
	last := len(p.Stages) - 2
	p.Stages[0], p.Stages[last] = p.Stages[last], p.Stages[0]
	if _, err := transfer.Decode(p.Encode()); !errors.Is(err, fault.Metadata) || !strings.Contains(err.Error(), "before it is complete") {
		t.Errorf("stages in another order: %v", err)
	}
	if _, err := transfer.Decode(bytes.ReplaceAll(p.Encode(), []byte(`"temporary"`), []byte(`"target"`))); !errors.Is(err, fault.Metadata) {
		t.Errorf("no temporary data: %v", err)
	}
}

// TestProcessesOfStages runs all stages of a plan in several processes at once. Each waits for the
// others before it begins the next stage.
func TestProcessesOfStages(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	a := must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{1024, 64, 64}, Chunks: []int{1, 64, 64}, DType: dtype.Uint16}))
	check(t, zarr.Write(t.Context(), a, make([]uint16, 64*64), zarr.Index(0)))
	p := w.plan(a, series(transfer.Options{}))
	if len(p.Stages) != 3 {
		t.Fatalf("%d stages", len(p.Stages))
	}
	const n = 3
	check(t, concurrency.EachN(t.Context(), n, n, func(ctx context.Context, i int) error {
		return transfer.Run(ctx, p, w.open, transfer.RunOptions{Index: i, Count: n, Wait: time.Minute})
	}))
	if missing := must(transfer.Verify(t.Context(), p, w.open)); len(missing) > 0 {
		t.Errorf("tasks %v are not done", missing)
	}
	equal(t, a, must(zarr.OpenArray(t.Context(), w.dst, "")))
}

// TestPlainSource checks the number of stages from slices of 256 MiB to columns. One stage suffices
// for uncompressed slices, because a task reads only its rows of them. For compressed slices an
// intermediate array is cheaper than reading each slice four times.
func TestPlainSource(t *testing.T) {
	for name, c := range map[string]struct {
		codecs []codec.Spec
		stages int
	}{
		"plain":      {[]codec.Spec{}, 1},
		"big-endian": {[]codec.Spec{codec.Bytes(dtype.Big)}, 1},
		"compressed": {[]codec.Spec{codec.Zstd(1)}, 2},
		"turned":     {[]codec.Spec{codec.Transpose(2, 1, 0)}, 2},
	} {
		a := must(zarr.Create(t.Context(), mem.New(), "a", zarr.Spec{Shape: []int{16, 8192, 8192}, Chunks: []int{1, 8192, 8192}, DType: dtype.Float32, Codecs: c.codecs}))
		p, err := transfer.NewPlan(t.Context(), a, nil, transfer.Options{Memory: 2 << 30, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{16, 1024, 1024}, nil, nil }})
		check(t, err)
		if got := len(p.Stages) - 1; got != c.stages {
			t.Errorf("%s: %d stages, want %d", name, got, c.stages)
		}
	}
}

// cloud returns a store with the RangeGap of a cloud store.
func cloud() store.Store {
	return store.Around(mem.New(), store.Hooks{Provide: func(target any) bool {
		t, ok := target.(*store.Tuning)
		if ok {
			*t = store.Tuning{RangeGap: 1 << 20}
		}
		return ok
	}})
}

// TestPrices checks the number of stages from 1 GiB of slices to columns within 200 MiB. If
// requests to the source are cheap, the tasks read rows in one stage. If they are expensive, the
// copy goes through an intermediate array.
func TestPrices(t *testing.T) {
	disk := func() store.Store { return dir.New(t.TempDir()) }
	unknown := func() store.Store { return nil }
	for _, c := range []struct {
		name     string
		src, dst func() store.Store
		stages   int
	}{
		{"disk to disk", disk, disk, 1},
		{"cloud to cloud", cloud, cloud, 2},
		{"cloud to disk", cloud, disk, 2},
		{"disk to cloud", disk, cloud, 1},
		{"disk to what is not known", disk, unknown, 1},
		{"cloud to what is not known", cloud, unknown, 2},
	} {
		a := must(zarr.Create(t.Context(), c.src(), "a", zarr.Spec{Shape: []int{256, 1024, 1024}, Chunks: []int{1, 1024, 1024}, DType: dtype.Float32, Codecs: []codec.Spec{}}))
		p, err := transfer.NewPlan(t.Context(), a, c.dst(), transfer.Options{Memory: 200 << 20, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{256, 64, 64}, nil, nil }})
		check(t, err)
		if got := len(p.Stages) - 1; got != c.stages {
			t.Errorf("%s: %d stages, not %d", c.name, got, c.stages)
		}
	}
}

// TestERA5InClouds is [TestERA5] with the tuning of cloud stores.
func TestERA5InClouds(t *testing.T) {
	a := must(zarr.Create(t.Context(), cloud(), "t2m", zarr.Spec{Shape: []int{350640, 721, 1440}, Chunks: []int{1, 721, 1440}, DType: dtype.Float32}))
	for memory, stages := range map[int64]int{1 << 30: 3, 4 << 30: 2} {
		p, err := transfer.NewPlan(t.Context(), a, cloud(), transfer.Options{Memory: memory, Grid: func(*zarr.Array) ([]int, []int, error) { return []int{350640, 10, 10}, nil, nil }})
		check(t, err)
		if got := len(p.Stages) - 1; got != stages {
			t.Errorf("%d bytes: %d stages, not %d", memory, got, stages)
		}
	}
}
