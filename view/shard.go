package view

import (
	"context"
	"crypto/sha256"

	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// shard has the inner chunks of the shards of an array, as an array without shards. A shard that is
// too large for the cache is never in memory: its inner chunks are computed one by one. Their
// lengths must be known for the index, so that the first request of a shard computes all of them.
type shard struct {
	inner  *zarr.Array
	counts []int // inner chunks of a shard along each axis
}

// inner is an inner chunk in a shard, or the zero inner if all of its elements are the fill value.
type inner struct {
	size int64
	sum  [16]byte // of the bytes
}

// newShard returns the shard of an array of the view. open opens an array with the documents in a
// store. The error is fault.Limit if the shards have an index of another form.
func newShard(ctx context.Context, made *zarr.Array, opts []zarr.Option, open func(name string, docs *mem.Store) (*zarr.Array, error)) (*shard, error) {
	spec := made.Spec()
	if spec.Shards == nil || spec.Chunks == nil { // then the index is not in the default form
		return nil, fault.Newf(fault.Limit, "large shards must have the index of new arrays: set Codecs")
	}
	s := &shard{counts: make([]int, len(spec.Shards))}
	for i, n := range spec.Shards {
		s.counts[i] = n / spec.Chunks[i]
	}
	spec.Shards, spec.Attrs = nil, nil
	st := mem.New()
	_, err := zarr.Create(ctx, st, made.Path(), spec, opts...)
	if err == nil {
		s.inner, err = open(made.Path(), st)
	}
	return s, err
}

// number returns the number of inner chunks of a shard.
func (s *shard) number() int64 { return walk.Bytes(s.counts, 1) }

// position returns the position of an inner chunk of a shard in the grid of inner chunks.
func (s *shard) position(coord []int, i int) []int {
	at := make([]int, len(coord))
	for d := len(at) - 1; d >= 0; d-- {
		at[d] = coord[d]*s.counts[d] + i%s.counts[d]
		i /= s.counts[d]
	}
	return at
}

// steps returns the shape of the boxes in which the elements of a shard are read: whole inner
// chunks, and at most limit bytes of memory, if possible.
func (s *shard) steps(each, limit int64) []int {
	step := s.inner.Chunks()
	for d := len(step) - 1; d >= 0; d-- {
		one := step[d]
		for k := s.counts[d]; k > 1; k = (k + 1) / 2 {
			if step[d] = one * k; walk.Bytes(step, each) <= limit {
				break
			}
			step[d] = one
		}
		if step[d] < one*s.counts[d] {
			break
		}
	}
	return step
}

func innerOf(b []byte) inner {
	sum := sha256.Sum256(b)
	return inner{int64(len(b)), [16]byte(sum[:16])}
}
