package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
)

const (
	// partBytes is the length of the parts in an upload of a large shard. It is the maximum of
	// package zarr. A shard that would need more than mostParts parts has longer parts. S3 allows
	// 10,000 parts; mostParts is smaller because an encoded shard may be longer than its elements.
	partBytes = 8 << 20
	mostParts = 9000
)

// innerShape returns the shape of the inner chunks, or nil if a shard cannot be filled in boxes of
// inner chunks. It returns nil in three cases: a codec around sharding needs the whole shard; a
// shard contains shards, which may be large too; or elements vary in length, so that their size is
// unknown before reading.
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

// perShard returns the number of inner chunks of the largest shard along each dimension.
func perShard(to *zarr.Array) []int {
	n := objectShape(to)
	for d, each := range to.Chunks() {
		n[d] = max(n[d]/each, 1)
	}
	return n
}

// shardParts returns the memory of one part of a shard in flight, and of the shard's index.
func shardParts(to *zarr.Array) (part, index int64) {
	index = product(32, perShard(to)...)
	long := product(int64(itemSize(to)), objectShape(to)...)
	return min(sum(long, long/64, index), max(partBytes, long/mostParts, index)), index
}

// dividedNeed returns the memory of a task that fills its shard in boxes of inner chunks. Field
// block includes a box, two unsent parts, and the index. Field work is the larger of two amounts: a
// source chunk of read bytes while it is decoded, or a part in flight and an inner chunk while it
// is encoded.
func dividedNeed(to *zarr.Array, inner []int, read int64) need {
	part, index := shardParts(to)
	one := product(int64(itemSize(to)), to.Chunks()...)
	return need{block: sum(boxBytes(to, inner), part, part, index), work: max(sum(read, read), sum(part, one, one))}
}

// boxBytes returns the size of the elements in a box. inner is the number of inner chunks of the
// box along each dimension.
func boxBytes(to *zarr.Array, inner []int) int64 {
	n, chunk, shape, shard := int64(itemSize(to)), to.Chunks(), to.Shape(), objectShape(to)
	for d, each := range chunk {
		n = product(n, int(min(product(int64(each), inner[d]), int64(shard[d]), int64(shape[d]))))
	}
	return n
}

// boxes calls f for each box of a task that fills a shard, in order, with the selections of the box
// in both arrays and its shape.
func boxes(t Task, to *zarr.Array, f func(src, dst []zarr.Selection, n []int) error) error {
	each := to.Chunks()
	for d, n := range each {
		each[d] = int(min(product(int64(n), t.Step.Inner[d]), math.MaxInt))
	}
	for b := range walk.Object(to, t.Lo).Parts(each) {
		if err := f(selections(source(t.Step.Start, b)), selections(b), b.Shape); err != nil {
			return err
		}
	}
	return nil
}

// fill copies one shard of the target in boxes of its inner chunks. The shard is sent in parts as
// it grows, and becomes visible when it is complete.
func (w *Worker) fill(ctx context.Context, t Task, from, to *zarr.Array) error {
	block, err := w.memory.Acquire(ctx, concurrency.Block, needOf(t.Step, from, to).block)
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
