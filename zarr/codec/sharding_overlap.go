package codec

import (
	"cmp"
	"fmt"
	"slices"
)

// stretch is where an inner chunk lies in a shard.
type stretch struct {
	chunk    int
	from, to int64
}

// overlap says which inner chunk lies partly in another or in the index, and "" where none does.
// Those that are the very same bytes do not count: a writer may store equal chunks once. The format
// does not forbid the rest, but no writer makes it, and a shard that lost bytes at its begin looks
// like that. Chunks that do not lie in the shard at all are for whoever reads them.
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
			return fmt.Sprintf("inner chunk %v is %d bytes at %d, and the index %d at %d", s.coord(i), n, off, s.size, index.from)
		}
		all = append(all, stretch{i, off, off + n})
	}
	slices.SortFunc(all, func(a, b stretch) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.chunk, b.chunk))
	})
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if b.from < a.to && (a.from != b.from || a.to != b.to) {
			return fmt.Sprintf("inner chunk %v is %d bytes at %d, and %v %d at %d", s.coord(a.chunk), a.to-a.from, a.from, s.coord(b.chunk), b.to-b.from, b.from)
		}
	}
	return ""
}
