package shard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Plan is what to read of one shard whose index is known.
type Plan struct {
	Reads   []Read
	Missing []int // inner chunks of the Cut that the shard does not have
}

// Read is one request for a range of a shard, with the inner chunks that lie in it.
type Read struct {
	Off, Len int64
	Chunks   []Chunk // by offset
}

// Chunk is an inner chunk in a shard.
type Chunk struct {
	I        int // its number in the Cut
	Off, Len int64
}

// Locate finds the inner chunks in a shard, in the order of the Cut, and those that it does not have. fault.Corrupt when the
// index has one outside the shard, or longer than any encoder makes it; shards in shards may have unused space of any length.
func (c Cut) Locate(x codec.ShardIndex) (chunks []Chunk, missing []int, err error) {
	most := c.layout.Inner.Worst()
	coord := make([]int, len(c.layout.Chunk))
	for i := range c.n {
		off, n, ok, err := x.At(c.place(i, coord))
		switch {
		case err != nil:
			return nil, nil, err
		case !ok:
			missing = append(missing, i)
		case n > most && c.layout.Below == nil:
			return nil, nil, fault.Newf(fault.Corrupt, "index of the shard: inner chunk %v has %d bytes, its codecs make at most %d", coord, n, most)
		default:
			chunks = append(chunks, Chunk{i, off, n})
		}
	}
	return chunks, missing, nil
}

// Plan merges the inner chunks into ranges to read.
func (c Cut) Plan(x codec.ShardIndex) (Plan, error) {
	chunks, missing, err := c.Locate(x)
	if err != nil {
		return Plan{}, err
	}
	return Plan{c.layout.Merge(chunks), missing}, nil
}

// Merge sorts chunks by offset and merges them into ranges to read. They may share bytes and overlap.
func (l *Layout) Merge(chunks []Chunk) []Read {
	slices.SortStableFunc(chunks, func(a, b Chunk) int { return cmp.Or(cmp.Compare(a.Off, b.Off), cmp.Compare(a.Len, b.Len)) })
	var reads []Read
	first := 0 // of the range under way
	var off, end int64
	for i, k := range chunks {
		to := max(end, k.Off+k.Len)
		if i > first && (k.Off-end > l.Gap || to > end && to-off > l.Max) {
			reads = append(reads, Read{off, end - off, chunks[first:i:i]})
			first = i
		}
		if i == first {
			off, to = k.Off, k.Off+k.Len
		}
		end = to
	}
	if len(chunks) > 0 {
		reads = append(reads, Read{off, end - off, chunks[first:]})
	}
	return reads
}

// String lists the ranges, one a line, each with the number of inner chunks in it.
func (p Plan) String() string {
	var b strings.Builder
	for _, r := range p.Reads {
		fmt.Fprintf(&b, "%d+%d for %d\n", r.Off, r.Len, len(r.Chunks))
	}
	if len(p.Missing) > 0 {
		fmt.Fprintf(&b, "missing %d\n", len(p.Missing))
	}
	return b.String()
}
