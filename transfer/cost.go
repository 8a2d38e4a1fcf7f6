package transfer

import (
	"context"

	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Cost is an upper bound of the cost of a step. It includes the objects that are absent in the
// source, although those are not written.
type Cost struct {
	Stage int
	Step  *Step
	Tasks int
	// Reads is the number of objects, or of inner chunks of shards, that are read. An object that
	// several tasks read counts once for each task. Reads is 0 if the store copies the objects
	// itself.
	Reads  int64
	Writes int64 // objects that are written; a large object takes one request per part. 0 for a step of kind Objects
	Bytes  int64 // size of the written elements in memory
}

// Costs returns the cost of each step, in the order of the steps. It sends no request. opts are as
// for [Plan.Check].
func (p *Plan) Costs(opts ...zarr.Option) ([]Cost, error) {
	none := account.Uncounted(mem.New())
	all := newArrays(p, none, none, none, opts)
	var costs []Cost
	for k := range p.Stages {
		for i := range p.Stages[k].Steps {
			s := &p.Stages[k].Steps[i]
			c := Cost{Stage: k, Step: s, Tasks: s.tasks()}
			if s.Kind == Finish {
				c.Writes = int64(len(p.Documents.Target))
				costs = append(costs, c)
				continue
			}
			if s.Kind == Objects {
				c.Writes = 0 // the number of objects is unknown before the listing
				costs = append(costs, c)
				continue
			}
			from, to, err := all.both(context.Background(), s)
			if err != nil {
				return nil, err
			}
			c.Writes, c.Bytes = product(1, s.Grid...), product(int64(itemSize(to)), to.Shape()...)
			switch {
			case s.Kind == Blocks:
				c.Reads = 1
				units, objects, shape := unitShape(from), objectShape(to), to.Shape()
				for d := range s.Grid {
					n := s.reads(d, s.Block[d], units[d], objects[d], shape[d])
					if s.Inner != nil {
						n = s.readsInside(d, to.Chunks()[d], units[d], objects[d], shape[d])
					}
					c.Reads = times(c.Reads, n)
				}
			case p.Source.Store != p.Target.Store:
				c.Reads = c.Writes
			}
			costs = append(costs, c)
		}
	}
	return costs, nil
}

// counted is the maximum number of blocks along a dimension that are counted one by one. Counting
// 2^20 blocks takes some milliseconds.
const counted = 1 << 20

// reads returns the number of reads of source chunks along dimension d if tasks have the given
// number of objects (block). A chunk counts once for each block that it touches. unit, object and
// shape are the lengths of a source chunk, of an object and of the dimension. For more than counted
// blocks the result is an upper bound.
func (s *Step) reads(d, block, unit, object, shape int) int64 {
	each, start := int(min(product(int64(object), block), int64(shape))), s.start(d)
	blocks := ceil(shape, each)
	if blocks > counted {
		return product(int64(blocks), ceil(each, unit)+1)
	}
	total := int64(0)
	for i := range blocks {
		lo, hi := start+i*each, start+min(shape-i*each, each)+i*each
		total += int64((hi-1)/unit - lo/unit + 1)
	}
	return total
}

// readsInside returns the number of reads of source chunks along dimension d if tasks fill shards
// in boxes of Inner inner chunks. Like reads, it counts a chunk once for each box that the chunk
// touches. chunk and shard are the lengths of an inner chunk and a shard.
func (s *Step) readsInside(d, chunk, unit, shard, shape int) int64 {
	each, start := int(min(product(int64(chunk), s.Inner[d]), int64(shard), int64(shape))), s.start(d)
	if shards := ceil(shape, shard); product(int64(shards), ceil(shard, each)) > counted {
		return product(int64(shards), ceil(shard, each), ceil(each, unit)+1)
	}
	total := int64(0)
	for first := 0; first < shape; first += shard {
		end := min(shard, shape-first) + first
		for at := first; at < end; at += each {
			total += int64((start+min(at+each, end)-1)/unit - (start+at)/unit + 1)
		}
	}
	return total
}
