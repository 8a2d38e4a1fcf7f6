package codec

import (
	"cmp"
	"fmt"
	"slices"
)

// stretch is the byte range of an inner chunk in a shard.
type stretch struct {
	chunk    int
	from, to int64
}

// overlap describes an inner chunk that partly overlaps another chunk or the index, or returns ""
// if no chunk does. Inner chunks may have exactly the same bytes, because a writer may store equal
// chunks once. The format does not forbid other overlaps, but no known writer makes them. They
// occur in a shard that lost bytes at its start. overlap ignores chunks outside the shard, because
// reading such a chunk already fails.
func (s *sharding) overlap(x ShardIndex) string {
	index := stretch{-1, x.size - s.size, x.size}
	if s.atStart {
		index = stretch{-1, 0, s.size}
	}
	all := make([]stretch, 0, x.Len())
	for i := range x.Len() {
		off, n, ok, err := x.At(i)
		if !ok || err != nil {
			continue
		}
		if off < index.to && index.from < off+n {
			return fmt.Sprintf("inner chunk %v (%d bytes at offset %d) overlaps the index (%d bytes at offset %d)", s.coord(i), n, off, s.size, index.from)
		}
		all = append(all, stretch{i, off, off + n})
	}
	slices.SortFunc(all, func(a, b stretch) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.chunk, b.chunk))
	})
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if b.from < a.to && (a.from != b.from || a.to != b.to) {
			return fmt.Sprintf("inner chunk %v (%d bytes at offset %d) overlaps inner chunk %v (%d bytes at offset %d)", s.coord(a.chunk), a.to-a.from, a.from, s.coord(b.chunk), b.to-b.from, b.from)
		}
	}
	return ""
}
