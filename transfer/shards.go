package transfer

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
)

const (
	// partBytes is how long the parts are in which a large shard is sent: what package zarr takes
	// at most, where no more than mostParts of them are needed. 9000: S3 takes 10,000, and what is
	// encoded may be longer than its elements.
	partBytes = 8 << 20
	mostParts = 9000
)

// innerShape is the shape of the chunks of a shard, where a shard is filled chunk by chunk; nil
// where it is not: what transforms shards as a whole needs them whole, shards in shards are chunks
// that may be large themselves, and of elements without a size it is not known how many fit.
func innerShape(to *zarr.Array) []int {
	codecs := to.Metadata().Codecs
	if !to.Sharded() || len(codecs) != 1 || to.Chunks() == nil || to.DType().Size() == 0 {
		return nil
	}
	var c struct {
		Codecs []struct {
			Name string `json:"name"`
		} `json:"codecs"`
	}
	if json.Unmarshal(codecs[0].Config, &c) != nil {
		return nil
	}
	for _, of := range c.Codecs {
		if of.Name == "sharding_indexed" {
			return nil
		}
	}
	return to.Chunks()
}

// perShard is how many chunks the largest shard has along each dimension.
func perShard(to *zarr.Array) []int {
	n := objectShape(to)
	for d, each := range to.Chunks() {
		n[d] = max(n[d]/each, 1)
	}
	return n
}

// shardParts is the memory of one part of a shard that is sent, and that of its index.
func shardParts(to *zarr.Array) (part, index int64) {
	index = product(32, perShard(to)...)
	long := product(int64(itemSize(to)), objectShape(to)...)
	return min(sum(long, long/64, index), max(partBytes, long/mostParts, index)), index
}

// dividedNeed is the memory of a task that fills its shard in boxes of inner chunks: a box, and
// what is kept of the shard between two of them, beside what is read, or encoded and sent.
func dividedNeed(to *zarr.Array, inner []int, read int64) need {
	part, index := shardParts(to)
	one := product(int64(itemSize(to)), to.Chunks()...)
	return need{block: sum(boxBytes(to, inner), part, part, index), work: max(sum(read, read), sum(part, one, one))}
}

// boxBytes is the memory of the elements in a box of so many inner chunks.
func boxBytes(to *zarr.Array, inner []int) int64 {
	n, chunk, shape, shard := int64(itemSize(to)), to.Chunks(), to.Shape(), objectShape(to)
	for d, each := range chunk {
		n = product(n, int(min(product(int64(each), inner[d]), int64(shard[d]), int64(shape[d]))))
	}
	return n
}

// boxes calls f for each box of a task that fills a shard: what it reads and writes, and the shape
// of both.
func boxes(t Task, to *zarr.Array, f func(src, dst []zarr.Selection, n []int) error) error {
	shape, chunk := to.Shape(), to.Chunks()
	lo, hi := make([]int, len(shape)), make([]int, len(shape))
	for d := range shape {
		at, n := to.Edge(d, t.Lo[d])
		lo[d], hi[d] = at, min(at+n, shape[d])
	}
	at, each := append([]int{}, lo...), make([]int, len(shape))
	for d := range each {
		each[d] = int(min(product(int64(chunk[d]), t.Step.Inner[d]), int64(hi[d]-lo[d])))
	}
	for {
		src, dst, n := make([]zarr.Selection, len(at)), make([]zarr.Selection, len(at)), make([]int, len(at))
		for d, x := range at {
			end, start := min(x+each[d], hi[d]), t.Step.start(d)
			src[d], dst[d], n[d] = zarr.Range(start+x, start+end), zarr.Range(x, end), end-x
		}
		if err := f(src, dst, n); err != nil {
			return err
		}
		d := len(at) - 1
		for ; d >= 0; d-- {
			if at[d] += each[d]; at[d] < hi[d] {
				break
			}
			at[d] = lo[d]
		}
		if d < 0 {
			return nil
		}
	}
}

// fill copies one shard of the target in boxes of its inner chunks. The shard is sent in parts
// meanwhile, and shows when it is whole.
func (w *Worker) fill(ctx context.Context, t Task, from, to *zarr.Array) error {
	block, err := w.memory.Acquire(ctx, concurrency.Block, needOf(t.Step, from, to).block) // what is kept between boxes too
	if err != nil {
		return err
	}
	defer block.Release()
	shard, err := to.OpenShard(ctx, t.Lo...)
	if err != nil {
		return err
	}
	size := boxBytes(to, t.Step.Inner)
	buf := region(block, size, size)
	err = boxes(t, to, func(src, dst []zarr.Selection, n []int) error {
		b := buf[:product(int64(itemSize(to)), n...)]
		if err := from.ReadBytes(ctx, b, src...); err != nil {
			return err
		}
		return shard.WriteBytes(ctx, b, dst...)
	})
	if err != nil {
		return errors.Join(err, shard.Abort(context.WithoutCancel(ctx)))
	}
	return shard.Commit(ctx)
}
