package transfer_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// tall creates an array of 60 maps, which is copied to shards of 24 maps, 24 MiB each. Map 22 and
// those from 40 on are not stored.
func tall(t *testing.T, st store.Store) *zarr.Array {
	t.Helper()
	a := must(zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{60, 1000, 512}, Chunks: []int{1, 500, 512}, DType: dtype.Uint16, Codecs: []codec.Spec{codec.CRC32C()}, Fill: uint16(7)}))
	values := make([]uint16, 1000*512)
	for i := range 40 {
		if i == 22 {
			continue
		}
		for k := range values {
			values[k] = uint16(k*(i+3)>>3 + i)
		}
		check(t, zarr.Write(t.Context(), a, values, zarr.At(i)))
	}
	return a
}

// inShards is the grid of the target. Its last shards extend beyond the array.
func inShards(*zarr.Array) (chunks, shards []int, err error) {
	return []int{8, 100, 256}, []int{24, 1000, 512}, nil
}

// TestDividedShards fills shards that do not fit in memory, and compares them with shards that were
// written in one piece.
func TestDividedShards(t *testing.T) {
	src := mem.New()
	a := tall(t, src)
	for _, o := range []transfer.Options{
		{},
		{Codecs: []codec.Spec{codec.Zstd(1)}},
		{Ranges: func(*zarr.Array) ([][2]int, error) { return [][2]int{{3, 50}, {17, 900}, {5, 400}}, nil }},
	} {
		o.Grid = inShards
		large, little := newWorld(t, src, mem.New()), newWorld(t, src, mem.New())
		o.Memory = 1 << 30
		p := large.plan(a, o)
		large.run(p)
		o.Memory = 98 << 20
		q := little.plan(a, o)
		if x, y := p.Stages[0].Steps[0].Inner, q.Stages[0].Steps[0].Inner; x != nil || y == nil {
			t.Fatalf("boxes of %v and %v", x, y)
		}
		little.run(q)
		b, c := must(zarr.OpenArray(t.Context(), large.dst, "")), must(zarr.OpenArray(t.Context(), little.dst, ""))
		equal(t, b, c)
		if o.Ranges == nil {
			equal(t, a, c)
		}
		x, y := all(t, large.dst, "c"), all(t, little.dst, "c")
		if len(x) != len(y) || o.Ranges == nil && len(x) != 2 {
			t.Fatalf("%d and %d shards are stored", len(x), len(y))
		}
		for key := range x { // the same inner chunks in another order
			if len(x[key]) != len(y[key]) {
				t.Errorf("%s: %d and %d bytes", key, len(x[key]), len(y[key]))
			}
		}
	}
}

// TestDividedCosts checks that the memory in the error of NewPlan suffices and that one byte less
// does not. It also compares the reads with the prediction of Costs.
func TestDividedCosts(t *testing.T) {
	src := mem.New()
	a := tall(t, src)
	o := transfer.Options{Grid: inShards, Memory: 65 << 20, OneStage: true}
	_, err := transfer.NewPlan(t.Context(), a, nil, o)
	if !errors.Is(err, fault.Limit) {
		t.Fatal(err)
	}
	least, err := strconv.ParseInt(regexp.MustCompile(`takes (\d+) bytes`).FindStringSubmatch(err.Error())[1], 10, 64)
	check(t, err)
	// 64 MiB, and 8/7 of the sum of: a box of one inner chunk of 400 KiB, two parts of 8 MiB and an
	// index of 60 entries, another part, and two inner chunks.
	if want := int64(64<<20 + (400<<10+16<<20+32*60+8<<20+800<<10)*8/7); least < want || least > want+8 {
		t.Errorf("at least %d bytes, not %d", least, want)
	}
	o.Memory = least - 1
	if _, err := transfer.NewPlan(t.Context(), a, nil, o); !errors.Is(err, fault.Limit) {
		t.Errorf("with a byte less: %v", err)
	}
	for _, c := range []struct {
		memory int64
		inner  []int
	}{{least, []int{1, 1, 1}}, {98 << 20, nil}, {110 << 20, nil}} {
		o.Memory = c.memory
		w := newWorld(t, src, mem.New())
		p := w.plan(a, o)
		step := p.Stages[0].Steps[0]
		if c.inner != nil && !slices.Equal(step.Inner, c.inner) {
			t.Errorf("boxes of %v", step.Inner)
		}
		var mu sync.Mutex
		gets := int64(0)
		open := func(ctx context.Context, name string) (store.Store, error) {
			return store.Observe(map[string]store.Store{"src": unproven{w.src}, "dst": w.dst}[name], func(_ context.Context, e store.Event) {
				mu.Lock()
				defer mu.Unlock()
				if name == "src" && e.Op == store.OpGet && e.Key != "a/zarr.json" {
					gets++
				}
			}), nil
		}
		check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
		costs, err := p.Costs()
		check(t, err)
		t.Logf("%d bytes: boxes of %v, %d reads", c.memory, step.Inner, gets)
		if gets != costs[0].Reads {
			t.Errorf("%d bytes: boxes of %v: %d reads, planned %d", c.memory, step.Inner, gets, costs[0].Reads)
		}
	}
}

// unproven is a store whose listings do not prove absence, so that every read is sent.
type unproven struct{ store.Store }

// failing returns a store whose call number at of op fails. of counts the calls.
func failing(st store.Store, op store.Op, at int, of map[store.Op]int, mu *sync.Mutex) store.Store {
	return store.Around(st, store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			mu.Lock()
			defer mu.Unlock()
			of[c.Op]++
			if c.Op == op && of[op] == at {
				return nil, &fault.KeyError{Op: string(op), Key: c.Key, Kind: fault.Unavailable, Err: errors.New("cut")}
			}
			return ctx, nil
		},
	})
}

// TestDividedFaults checks that a task that fails in the middle of a shard stores nothing and can
// be repeated.
func TestDividedFaults(t *testing.T) {
	src := mem.New()
	a := tall(t, src)
	for _, c := range []struct {
		name   string
		op     store.Op
		at     int
		source bool
	}{{"a read", store.OpGet, 40, true}, {"a part", store.OpPart, 2, false}, {"the end", store.OpCommit, 1, false}} {
		w := newWorld(t, src, mem.New())
		p := w.plan(a, transfer.Options{Grid: inShards, Memory: 98 << 20})
		var mu sync.Mutex
		of, other := map[store.Op]int{}, map[store.Op]int{}
		open := func(_ context.Context, name string) (store.Store, error) {
			st := map[string]store.Store{"src": w.src, "dst": w.dst}[name]
			if c.source == (name == "src") {
				return failing(st, c.op, c.at, of, &mu), nil
			}
			return failing(st, "", 0, other, &mu), nil
		}
		written := of
		if c.source {
			written = other
		}
		if err := transfer.RunTask(t.Context(), p, 0, open); !errors.Is(err, fault.Unavailable) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if n := len(copied(t, w.dst)); n != 0 || written[store.OpBegin] != 1 || written[store.OpAbort] != 1 {
			t.Errorf("%s: %d objects are there, %v", c.name, n, written)
		}
		check(t, transfer.RunTask(t.Context(), p, 0, open))
		if written[store.OpBegin] != 2 || written[store.OpAbort] != 1 {
			t.Errorf("%s: again: %v", c.name, written)
		}
		check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
		equal(t, a, must(zarr.OpenArray(t.Context(), w.dst, "")))
	}
}

// TestHostileBoxes checks that plans are refused if their boxes are not whole inner chunks of one
// shard.
func TestHostileBoxes(t *testing.T) {
	src := mem.New()
	a := tall(t, src)
	w := newWorld(t, src, mem.New())
	for name, change := range map[string]func(*transfer.Step){
		"none":        func(s *transfer.Step) { s.Inner[1] = 0 },
		"negative":    func(s *transfer.Step) { s.Inner[1] = -1 },
		"too few":     func(s *transfer.Step) { s.Inner = s.Inner[1:] },
		"two shards":  func(s *transfer.Step) { s.Block[0] = 2 },
		"no shards":   func(s *transfer.Step) { s.Kind = transfer.Encoded },
		"a huge one":  func(s *transfer.Step) { s.Inner = []int{1 << 30, 1 << 30, 1 << 30} },
		"no elements": func(s *transfer.Step) { s.Inner = []int{} },
	} {
		p := w.plan(a, transfer.Options{Grid: inShards, Memory: 98 << 20})
		change(&p.Stages[0].Steps[0])
		err := p.Check()
		want := error(fault.Metadata)
		if name == "a huge one" {
			want = fault.Limit
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDividedIntoZip checks that SaveZip refuses shards that do not fit in memory.
func TestDividedIntoZip(t *testing.T) {
	w := newWorld(t, mem.New(), mem.New())
	a := tall(t, w.src)
	outer := mem.New()
	p, err := transfer.NewPlan(t.Context(), a, nil, transfer.Options{Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "archive"}, Grid: inShards, Memory: 98 << 20, OneStage: true})
	check(t, err)
	if err := transfer.SaveZip(t.Context(), p, w.open, outer, "a.zip"); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	if n := len(all(t, outer, "")); n != 0 {
		t.Errorf("%d objects are left", n)
	}
}
