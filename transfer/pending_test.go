package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestFewStored copies 20 billion chunks, of which a few are stored, in 400 million tasks. The
// number of requests must depend on the stored chunks, also if the copy is interrupted and
// continued, and for a region.
func TestFewStored(t *testing.T) {
	part := func(*zarr.Array) ([][2]int, error) { return [][2]int{{0, 20_000}, {400, 4_000_000}}, nil }
	for _, spec := range []zarr.Spec{{Format: 2}, {Format: 3}} {
		for _, ranges := range []func(*zarr.Array) ([][2]int, error){nil, part} {
			src := &counted{Store: mem.New(), complete: true}
			spec.Shape, spec.Chunks, spec.DType = []int{20_000, 4_000_000}, []int{1, 4}, dtype.Uint8
			a := must(zarr.Create(t.Context(), src.Store, "in", spec))
			var want []string
			for _, at := range [][2]int{{0, 0}, {0, 400}, {3, 404}, {10_000, 2_000_000}, {10_000, 2_000_004}, {19_999, 3_999_996}} {
				check(t, zarr.Write(t.Context(), a, []uint8{uint8(at[1]/4) + 1}, zarr.At(at[0]), zarr.At(at[1])))
				if ranges == nil || at[1] >= 400 {
					if ranges != nil {
						at[1] -= 400
					}
					want = append(want, a.ChunkKey(at[0], at[1]/4)[len("in/"):])
				}
			}
			dst := &counted{Store: mem.New()}
			p, err := transfer.NewPlan(t.Context(), a, dst.Store, transfer.Options{
				Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst"}, Ranges: ranges,
			})
			check(t, err)
			var puts atomic.Int64
			fail := atomic.Bool{}
			fail.Store(true)
			stores := map[string]store.Store{"src": src.around(), "dst": store.Around(dst.Store, store.Hooks{
				Before: func(ctx context.Context, c store.Call) (context.Context, error) {
					if c.Op == store.OpPut {
						puts.Add(1)
						if fail.Load() && strings.HasSuffix(c.Key, want[len(want)-1]) {
							return nil, errors.New("broken")
						}
					}
					return ctx, nil
				},
			})}
			open := func(_ context.Context, name string) (store.Store, error) { return stores[name], nil }
			if err := transfer.Run(t.Context(), p, open, transfer.RunOptions{}); err == nil {
				t.Fatal("a failed put is no error")
			}
			fail.Store(false)
			var last transfer.Progress
			check(t, transfer.Run(t.Context(), p, open, transfer.RunOptions{Progress: func(x transfer.Progress) { last = x }}))
			if last.Done != last.Tasks {
				t.Errorf("%d of %d tasks are done", last.Done, last.Tasks)
			}
			// The source is listed after 16 gets of absent chunks, or after up to 80,000 if one of the
			// first 16 chunks is stored. Other tasks continue during the listing.
			if n := puts.Load(); n > 20_000 {
				t.Errorf("v%d, part %v: %d puts", spec.Format, ranges != nil, n)
			}
			var got []string
			for key := range all(t, dst.Store, "") {
				if !strings.HasPrefix(key, "__") && !strings.Contains(key, "z") {
					got = append(got, key)
				}
			}
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("v%d, part %v: %v is stored, not %v", spec.Format, ranges != nil, got, want)
			}
			missing, err := transfer.Verify(t.Context(), p, open)
			if err != nil || len(missing) > 0 {
				t.Error(fmt.Sprint(missing, err))
			}
		}
	}
}

// TestFewStoredStages checks that a process that runs a single stage, or a share of the tasks,
// marks all of its tasks, because other processes need the markers.
func TestFewStoredStages(t *testing.T) {
	for _, o := range []transfer.RunOptions{{Stage: 1}, {Count: 2}} {
		src := &counted{Store: mem.New(), complete: true}
		a := must(zarr.Create(t.Context(), src.Store, "in", zarr.Spec{Shape: []int{48_000}, Chunks: []int{1}, DType: dtype.Uint8}))
		dst := &counted{Store: mem.New()}
		p, err := transfer.NewPlan(t.Context(), a, dst.Store, transfer.Options{Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst"}})
		check(t, err)
		stores := map[string]store.Store{"src": src.around(), "dst": dst.around()}
		open := func(_ context.Context, name string) (store.Store, error) { return stores[name], nil }
		for i := range max(o.Count, 1) {
			o.Index = i
			check(t, transfer.Run(t.Context(), p, open, o))
		}
		n := 0
		for key := range all(t, dst.Store, "") {
			if strings.Contains(key, "/done/") {
				n++
			}
		}
		if n != p.Tasks()-1 {
			t.Errorf("%+v: %d markers for %d tasks", o, n, p.Tasks())
		}
	}
}
