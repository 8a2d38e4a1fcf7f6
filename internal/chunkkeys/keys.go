package chunkkeys

import (
	"slices"

	"github.com/zargo-io/zargo/internal/claim"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Place is what a key is to an array.
type Place uint8

// The places.
const (
	None      Place = iota // not the key of a chunk
	Inside                 // a chunk of the grid
	UnderWay               // a chunk beyond the grid that the change under way may be writing or deleting
	Beyond                 // a chunk beyond the grid
	Elsewhere              // what a chunk would have as its key under another layout of the same format
)

// Keys classifies the keys of one array.
type Keys struct {
	Encoding meta.KeyEncoding
	Format   int   // of the metadata
	Grid     []int // chunks along each axis
	Reach    []int // chunks along each axis that a change under way extends to, at least Grid; nil for no change
}

// Of classifies the keys of an array with some chunks along each axis, whose document carries a
// claim. chunkAt is the chunk that holds an element along an axis, which may lie beyond the shape.
func Of(m *meta.Array, grid []int, c claim.Claim, chunkAt func(axis, i int) (chunk, start, length int)) Keys {
	k := Keys{Encoding: m.Keys, Format: m.Format, Grid: grid}
	if to := Reach(c, m.Shape); to != nil {
		k.Reach = make([]int, len(grid))
		for i, n := range to {
			if n > 0 {
				last, _, _ := chunkAt(i, n-1)
				k.Reach[i] = last + 1
			}
		}
	}
	return k
}

// Found is what a key was found to be.
type Found struct {
	Place    Place
	Coord    []int            // of the chunk; nil for None
	Encoding meta.KeyEncoding // under which it is the key of the chunk
}

// Find classifies a key, which is given below the path of the array.
func (k Keys) Find(key string) Found {
	if coord, ok := k.Encoding.Parse(key, len(k.Grid)); ok {
		f := Found{Beyond, coord, k.Encoding}
		switch {
		case within(coord, k.Grid):
			f.Place = Inside
		case k.Reach != nil && within(coord, k.Reach):
			f.Place = UnderWay
		}
		return f
	}
	for _, e := range k.others() {
		if coord, ok := e.Parse(key, len(k.Grid)); ok {
			return Found{Elsewhere, coord, e}
		}
	}
	return Found{}
}

// others are the layouts that an array of the format may have; v1 has one.
func (k Keys) others() []meta.KeyEncoding {
	v2 := []meta.KeyEncoding{{Name: "v2", Separator: "."}, {Name: "v2", Separator: "/"}}
	switch k.Format {
	case 2:
		return v2
	case 3:
		return append(v2, meta.KeyEncoding{Name: "default", Separator: "."}, meta.KeyEncoding{Name: "default", Separator: "/"})
	}
	return nil
}

// In reports whether a position is in the grid.
func (k Keys) In(coord []int) bool { return within(coord, k.Grid) }

func within(coord, grid []int) bool {
	for i, n := range coord {
		if n >= grid[i] {
			return false
		}
	}
	return true
}

// Reach is the shape up to which a change under way may write or delete chunks of an array of some
// shape; nil where none is under way.
func Reach(c claim.Claim, shape []int) []int {
	if !c.Under() {
		return nil
	}
	to := slices.Clone(shape)
	if c.What == claim.Append && c.Dim == "" && c.Axis < len(to) {
		to[c.Axis] = max(to[c.Axis], c.To)
	}
	for i, n := range c.Was[:min(len(c.Was), len(to))] {
		to[i] = max(to[i], n)
	}
	return to
}
