package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// ExampleCopy stores an array of one chunk for each time again, with one chunk for each place.
func ExampleCopy() {
	ctx := context.Background()
	st := mem.New()
	a, err := zarr.Create(ctx, st, "maps", zarr.Spec{Shape: []int{100, 20, 30}, Chunks: []int{1, 20, 30}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	series := func(*zarr.Array) (chunks, shards []int, err error) { return []int{100, 10, 10}, nil, nil }
	n, err := transfer.Copy(ctx, a, st, transfer.Options{Target: transfer.Place{Path: "series"}, Grid: series})
	fmt.Println(n, err)
	// Output:
	// "series" float32 [100 20 30] chunks [100 10 10] v3 <nil>
}

func inEights(*zarr.Array) (chunks, shards []int, err error) { return []int{8}, nil, nil }

// TestCopyNode checks that a copy has the values of its source, and that nothing remains beside it.
func TestCopyNode(t *testing.T) {
	from := mem.New()
	g := must(zarr.CreateGroup(t.Context(), from, "in", zarr.Spec{Attrs: map[string]any{"a": "b"}}))
	want := []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	check(t, zarr.Write(t.Context(), must(g.CreateArray(t.Context(), "x", zarr.Spec{Shape: []int{10}, Chunks: []int{3}, DType: dtype.Int32})), want))
	for name, to := range map[string]store.Store{"one store": from, "two stores": mem.New()} {
		t.Run(name, func(t *testing.T) {
			o := transfer.Options{Target: transfer.Place{Path: "out"}, Grid: inEights, Consolidate: true}
			n := must(transfer.Copy(t.Context(), g, to, o))
			x := must(n.OpenArray(t.Context(), "x"))
			if got := must(zarr.Read[int32](t.Context(), x)); !slices.Equal(got, want) || !slices.Equal(x.Chunks(), []int{8}) {
				t.Errorf("%v: %v", x, got)
			}
			if n.Attrs()["a"] != "b" || n.Metadata().Consolidated == nil {
				t.Errorf("%v: %v", n, n.Attrs())
			}
			var keys []string
			for e, err := range store.ListAll(t.Context(), to, "out", store.ListOptions{}) {
				check(t, err)
				keys = append(keys, e.Key)
			}
			if slices.Sort(keys); !slices.Equal(keys, []string{"out/x/c/0", "out/x/c/1", "out/x/zarr.json", "out/zarr.json"}) {
				t.Errorf("stored %q", keys)
			}
			if _, err := transfer.Copy(t.Context(), g, to, o); !errors.Is(err, fault.Exists) {
				t.Errorf("a second copy: %v", err)
			}
		})
	}
}

// TestCopyNodeReadOnly checks that a node that was opened read-only can be copied within its store.
func TestCopyNodeReadOnly(t *testing.T) {
	st := mem.New()
	must(zarr.Create(t.Context(), st, "in", zarr.Spec{Shape: []int{10}, Chunks: []int{3}, DType: dtype.Int32}))
	a := must(zarr.OpenArray(t.Context(), store.ReadOnly(st), "in"))
	b := must(transfer.Copy(t.Context(), a, st, transfer.Options{Target: transfer.Place{Path: "out"}, Grid: inEights}))
	if !slices.Equal(b.Chunks(), []int{8}) {
		t.Errorf("%v", b)
	}
}

// TestCopyNodeInterrupted checks that the saved plan completes a copy whose store has failed.
func TestCopyNodeInterrupted(t *testing.T) {
	from, to := mem.New(), mem.New()
	a := must(zarr.Create(t.Context(), from, "in", zarr.Spec{Shape: []int{10}, Chunks: []int{3}, DType: dtype.Int32}))
	want := []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	check(t, zarr.Write(t.Context(), a, want))
	full := fault.Newf(fault.Refused, "the disk is full")
	failing := store.Around(to, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if c.Op == store.OpPut && c.Key == "out/c/1" {
			return ctx, full
		}
		return ctx, nil
	}})
	if _, err := transfer.Copy(t.Context(), a, failing, transfer.Options{Target: transfer.Place{Path: "out"}, Grid: inEights}); !errors.Is(err, full) {
		t.Fatalf("got %v", err)
	}
	if _, err := zarr.OpenArray(t.Context(), to, "out"); !errors.Is(err, fault.NotFound) {
		t.Errorf("an unfinished copy: %v", err)
	}
	p := must(transfer.Saved(t.Context(), to, "out"))
	open := func(_ context.Context, name string) (store.Store, error) {
		return map[string]store.Store{"source": from, "target": to}[name], nil
	}
	check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{}))
	check(t, transfer.Clean(t.Context(), p, open))
	if got := must(zarr.Read[int32](t.Context(), must(zarr.OpenArray(t.Context(), to, "out")))); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
