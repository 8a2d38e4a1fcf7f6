package keys

import (
	"slices"

	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Place is the class of a key below an array.
type Place uint8

// The possible classes of keys.
const (
	None      Place = iota // not the key of a chunk
	Inside                 // a chunk of the grid
	UnderWay               // a chunk beyond the grid that a change in progress may write or delete
	Beyond                 // any other chunk beyond the grid
	Elsewhere              // a chunk under another key encoding of the same format
)

// Keys classifies the keys of one array.
type Keys struct {
	Encoding meta.KeyEncoding
	Format   int   // format of the metadata
	Grid     []int // number of chunks along each axis
	// Reach is the number of chunks along each axis that a change in progress may write or delete,
	// at least Grid. It is nil if no change is in progress.
	Reach []int
}

// Array is an array with a grid. *zarr.Array implements it.
type Array interface {
	Metadata() *meta.Array
	GridShape() []int
	ChunkAt(axis, i int) (chunk, start, length int) // i may be outside the shape
}

// Of returns the Keys of an array. c is the claim in the document of the array.
func Of(a Array, c claim.Claim) Keys {
	m := a.Metadata()
	k := Keys{Encoding: m.Keys, Format: m.Format, Grid: a.GridShape()}
	if to := Reach(c, m.Shape); to != nil {
		k.Reach = make([]int, len(k.Grid))
		for i, n := range to {
			if n > 0 {
				last, _, _ := a.ChunkAt(i, n-1)
				k.Reach[i] = last + 1
			}
		}
	}
	return k
}

// Found is the class of one key.
type Found struct {
	Place    Place
	Coord    []int            // position of the chunk; nil for None
	Encoding meta.KeyEncoding // the encoding of the key
}

// Find classifies a key, which is relative to the path of the array.
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

// others returns the key encodings that arrays of the format may have. For v1 it returns nil, as v1
// has only one encoding.
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

// Reach returns the largest shape in which the change with claim c may write or delete chunks of an
// array of this shape. It returns nil for the zero Claim.
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
