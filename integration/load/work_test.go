package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

const (
	own     = 13 // rows of each worker; fewer than in a chunk, so that neighbours share chunks
	columns = 24
)

// spec returns the spec of an array with own rows for each of n workers, in chunks that several
// workers share.
func spec(n int) zarr.Spec {
	return zarr.Spec{
		Shape: []int{n * own, columns}, Chunks: []int{32, 16}, DType: dtype.Int64, Fill: -1, Codecs: []codec.Spec{codec.Zstd(1), codec.CRC32C()},
	}
}

func create(t *testing.T, st store.Store, path string, s zarr.Spec) *zarr.Array {
	t.Helper()
	a, err := zarr.Create(t.Context(), st, path, s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// value returns the value that worker w writes in a turn at an element of its region. The value
// identifies the worker.
func value(w, turn, i int) int64 { return int64(w)<<40 | int64(turn)<<20 | int64(i) }

func region(w, turn int) []int64 {
	src := make([]int64, own*columns)
	for i := range src {
		src[i] = value(w, turn, i)
	}
	return src
}

func rows(w int) zarr.Selection { return zarr.Range(w*own, (w+1)*own) }

// crew is n goroutines that write separate parts of one array in turns.
type crew struct {
	st     store.Store
	path   string
	n      int
	turns  int
	opts   []zarr.Option
	report zarr.Report

	begun, done []atomic.Int64 // number of turns by worker
}

// work lets n goroutines write their regions in turns, read them back, and read the regions of
// others. Half of them share one opened array and take turns. The others open their own arrays and
// conflict. At the end every element must be from its owner's last turn. opts are options for
// opening.
func work(ctx context.Context, st store.Store, path string, n, turns int, opts ...zarr.Option) (*zarr.Report, error) {
	c := &crew{st: st, path: path, n: n, turns: turns, opts: opts, begun: make([]atomic.Int64, n), done: make([]atomic.Int64, n)}
	shared, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	err = concurrency.EachN(ctx, n, n, func(ctx context.Context, w int) error {
		if w%2 == 0 {
			return c.worker(ctx, shared, w)
		}
		a, err := c.open(ctx)
		if err != nil {
			return err
		}
		return c.worker(ctx, a, w)
	})
	if err != nil {
		return nil, err
	}
	all, err := zarr.Read[int64](ctx, shared)
	if err != nil {
		return nil, err
	}
	for w := range n {
		if i := differ(all[w*own*columns:(w+1)*own*columns], region(w, turns-1)); i >= 0 {
			return nil, fmt.Errorf("worker %d's last write is lost at element %d: %x", w, i, all[w*own*columns+i])
		}
	}
	return &c.report, nil
}

func (c *crew) open(ctx context.Context) (*zarr.Array, error) {
	return zarr.OpenArray(ctx, c.st, c.path, append([]zarr.Option{zarr.WithReport(&c.report)}, c.opts...)...)
}

func (c *crew) worker(ctx context.Context, a *zarr.Array, w int) error {
	r := rand.New(rand.NewPCG(1, uint64(w)))
	for turn := range c.turns {
		src := region(w, turn)
		c.begun[w].Store(int64(turn + 1))
		if err := zarr.Write(ctx, a, src, rows(w)); err != nil {
			return err
		}
		c.done[w].Store(int64(turn + 1))
		got, err := zarr.Read[int64](ctx, a, rows(w))
		if err != nil {
			return err
		}
		if i := differ(got, src); i >= 0 {
			return fmt.Errorf("worker %d, turn %d: element %d is %x right after %x was written", w, turn, i, got[i], src[i])
		}
		if err := c.visit(ctx, a, w, r.IntN(c.n)); err != nil {
			return err
		}
	}
	return nil
}

// visit reads another worker's region. Every element must be from a turn that had started when the
// read ended, and not from a turn before the last one that had ended when the read started. Only
// before the first turn may it be the fill value.
func (c *crew) visit(ctx context.Context, a *zarr.Array, w, other int) error {
	least := c.done[other].Load() - 1
	got, err := zarr.Read[int64](ctx, a, rows(other))
	if err != nil {
		return err
	}
	most := c.begun[other].Load() - 1
	for i, v := range got {
		if v == -1 && least < 0 {
			continue
		}
		turn := v >> 20 & (1<<20 - 1)
		if v != value(other, int(turn), i) || turn < least || turn > most {
			return fmt.Errorf("worker %d finds %x at element %d of worker %d, want its turn %d to %d", w, v, i, other, least, most)
		}
	}
	return nil
}

func differ(a, b []int64) int {
	for i := range b {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
