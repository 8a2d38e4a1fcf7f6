package crash

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// order has a child's store and the first generation that the child writes.
type order struct {
	Provider string // provider's name, or empty for a directory
	Place    string // the bucket's URL or the directory
	First    int64
}

func TestMain(m *testing.M) { child.Main(m, order.run) }

func (o order) open(ctx context.Context) (store.Store, error) {
	for _, p := range bucket.All() {
		if p.Name == o.Provider {
			return p.Open(ctx, o.Place, 0)
		}
	}
	return dir.New(o.Place), nil
}

// run writes until the process is killed. It prints "ready", and then the name of each writer with
// the generation that it has just finished.
func (o order) run() error {
	ctx := context.Background()
	st, err := o.open(ctx)
	if err != nil {
		return err
	}
	var steps []func(ctx context.Context, g int64) error
	for _, w := range writers() {
		step, err := w.open(ctx, st)
		if err != nil {
			return err
		}
		steps = append(steps, step)
	}
	child.Say("ready", 0)
	return concurrency.EachN(ctx, len(steps), len(steps), func(ctx context.Context, i int) error {
		for g := o.First; ; g++ {
			if err := steps[i](ctx, g); err != nil {
				return err
			}
			child.Say(writers()[i].name, g)
		}
	})
}

// writer writes one generation after another to its part of one array.
type writer struct {
	name  string
	array string
	rows  [2]int // the rows of the array that it owns; the writer of attributes has none
	edge  int    // rows and columns of its objects
}

const (
	wholePath, partsPath = "whole", "deep/parts"
	streamed             = "streamed"
	shardPath            = "shard" // one shard of 8 MiB, sent in parts as its inner chunks arrive
	long, piece          = 1024, 256
	side                 = 500 // rows and columns of the array of whole chunks, not a multiple of the chunk
	chunk                = 128 // 128 KiB each, so that a put takes some time
	high, wide, split    = 128, 1000, 40
)

func writers() []writer {
	return []writer{
		{"whole", wholePath, [2]int{0, side}, chunk},
		{"top", partsPath, [2]int{0, split}, chunk},
		{"bottom", partsPath, [2]int{split, high}, chunk},
		{streamed, shardPath, [2]int{0, long}, long},
		{"attrs", wholePath, [2]int{}, 0},
	}
}

// open returns a function that writes one generation. Every writer opens its own array, so that the
// store and not a lock in the process separates the values of the writers.
func (w writer) open(ctx context.Context, st store.Store) (func(ctx context.Context, g int64) error, error) {
	if w.array == shardPath {
		return stream(ctx, st)
	}
	a, err := zarr.OpenArray(ctx, st, w.array)
	if err != nil {
		return nil, err
	}
	if w.rows == [2]int{} {
		return func(ctx context.Context, g int64) error {
			a, err = a.SetAttrs(ctx, map[string]any{"generation": g})
			return err
		}, nil
	}
	return func(ctx context.Context, g int64) error {
		src := slices.Repeat([]int64{g}, (w.rows[1]-w.rows[0])*a.Shape()[1])
		return zarr.Write(ctx, a, src, zarr.Range(w.rows[0], w.rows[1]))
	}, nil
}

// stream returns a function that writes one generation of the shard, piece by piece.
func stream(ctx context.Context, st store.Store) (func(ctx context.Context, g int64) error, error) {
	var parts atomic.Int64
	st = store.Around(st, store.Hooks{After: func(_ context.Context, c store.Call, r store.Result) {
		if c.Op == store.OpPart && r.Err == nil {
			parts.Add(1)
		}
	}})
	a, err := zarr.OpenArray(ctx, st, shardPath)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, g int64) error {
		parts.Store(0)
		w, err := a.OpenShard(ctx, 0, 0)
		if err != nil {
			return err
		}
		src := slices.Repeat([]int64{g}, piece*long)
		for at := 0; at < long; at += piece {
			if err := zarr.WriteShard(ctx, w, src, zarr.Range(at, at+piece)); err != nil {
				return err
			}
		}
		if err := w.Commit(ctx); err != nil {
			return err
		}
		if parts.Load() < 2 {
			return errors.New("the shard was not sent in parts, so nothing was tested")
		}
		return nil
	}, nil
}
