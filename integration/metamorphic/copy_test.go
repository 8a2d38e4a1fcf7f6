package metamorphic

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
)

// copyArray copies an array, or a part of it, to another path of the store.
func (w *world) copyArray(ctx context.Context) {
	from, m := w.pick(ctx)
	to := w.free()
	if m == nil || to == "" || len(w.arrays) > 4 {
		return
	}
	lo, hi := make([]int, len(m.shape)), slices.Clone(m.shape)
	o := w.copyOptions(w.format)
	o.Source, o.Target = transfer.Place{Store: "here", Path: from}, transfer.Place{Store: "here", Path: to}
	// A part of an array whose chunks differ in shape needs another grid.
	if w.rng.IntN(3) == 0 && !slices.Contains(m.shape, 0) && (m.open.Regular() || o.Grid != nil) {
		for d, n := range m.shape {
			lo[d] = w.rng.IntN(n)
			hi[d] = lo[d] + 1 + w.rng.IntN(n-lo[d])
		}
		o.Ranges = func(*zarr.Array) ([][2]int, error) {
			out := make([][2]int, len(lo))
			for d := range lo {
				out[d] = [2]int{lo[d], hi[d]}
			}
			return out, nil
		}
	}
	w.note("copy %v to %v of %s to %s, codecs %v, other grid %v", lo, hi, from, to, o.Codecs, o.Grid != nil)
	w.transfer(ctx, m.open, w.st, w.st, o)
	w.arrays[to] = m.part(lo, hi)
}

// copyAll copies the hierarchy to an empty store and continues there.
func (w *world) copyAll(ctx context.Context) {
	to, err := newPlace(w.T, w.rng)
	w.must(err)
	o := w.copyOptions(2 + w.rng.IntN(2))
	o.Source, o.Target = transfer.Place{Store: "here"}, transfer.Place{Store: "there"}
	w.note("copy all to %s, format %d, codecs %v, other grid %v, consolidate %v", to.name, o.Format, o.Codecs, o.Grid != nil, o.Consolidate)
	g, err := zarr.OpenGroup(ctx, w.st, "", append(w.options(), zarr.IgnoreConsolidated())...)
	w.must(err)
	w.transfer(ctx, g, w.st, to, o)
	w.st, w.format, w.consolidated, w.v2left = to, o.Format, nil, false
	arrays := map[string]*array{}
	for p, m := range w.arrays {
		arrays[p] = m.part(make([]int, len(m.shape)), m.shape)
	}
	w.arrays, w.groups = arrays, maps.Clone(w.groups)
	if o.Consolidate {
		w.consolidated = w.texts()
	}
}

// copyOptions returns random options of a copy to a format.
func (w *world) copyOptions(format int) transfer.Options {
	r := w.rng
	o := transfer.Options{Format: format, NoFillAttribute: true, Memory: 256 << 20, OneStage: r.IntN(2) == 0, Consolidate: r.IntN(3) == 0}
	toV2 := format == 2 && w.format == 3
	if toV2 || r.IntN(3) == 0 {
		o.Codecs = codecs(r, format)
	}
	if toV2 || r.IntN(3) == 0 {
		side, sharded := 1+r.IntN(3), format == 3 && r.IntN(2) == 0
		o.Grid = func(a *zarr.Array) (chunks, shards []int, err error) {
			chunks, shards = slices.Repeat([]int{side}, len(a.Shape())), []int{}
			if sharded {
				shards = slices.Repeat([]int{2 * side}, len(a.Shape()))
			}
			return chunks, shards, nil
		}
	} else if o.Codecs != nil && format == 3 {
		o.Codecs = []codec.Spec{codec.Zstd(1)}
	}
	return o
}

// transfer creates the plan, encodes, decodes and runs it, verifies the copy and removes the
// objects that the plan leaves.
func (w *world) transfer(ctx context.Context, n zarr.Node, from, to *place, o transfer.Options) {
	p, err := transfer.NewPlan(ctx, n, to, o)
	if err != nil && strings.Contains(err.Error(), string(rule.Stale)) {
		// A strict reader refuses a source whose consolidated metadata is out of date.
		n, err = zarr.Open(ctx, from, n.Path(), zarr.IgnoreConsolidated())
		w.must(err)
		p, err = transfer.NewPlan(ctx, n, to, o)
	}
	w.must(err)
	p, err = transfer.Decode(p.Encode())
	w.must(err)
	// Without this option the tasks would compare the source with stale consolidated metadata.
	opts := []zarr.Option{zarr.IgnoreConsolidated()}
	open := func(_ context.Context, name string) (store.Store, error) {
		if name == o.Source.Store {
			return unclosed{store.Forward{Store: from}}, nil
		}
		return unclosed{store.Forward{Store: to}}, nil
	}
	if w.rng.IntN(3) == 0 {
		for i := range p.Tasks() {
			w.must(transfer.RunTask(ctx, p, i, open, opts...))
		}
	} else {
		w.must(transfer.Run(ctx, p, open, transfer.RunOptions{Parallel: 1 + w.rng.IntN(3), Zarr: opts}))
	}
	missing, err := transfer.Verify(ctx, p, open)
	w.must(err)
	if len(missing) > 0 {
		w.Fatalf("the tasks %v are incomplete", missing)
	}
	w.must(transfer.Clean(ctx, p, open))
}

// unclosed is a store that stays open when a plan closes it.
type unclosed struct{ store.Forward }

func (unclosed) Close() error { return nil }
