package metamorphic

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// extents are the maximum lengths of arrays with one, two and three axes.
var extents = [][]int{nil, {14}, {7, 7}, {4, 4, 4}}

// array is the model of an array.
type array struct {
	elems *elements
	shape []int
	names []string // names of the axes, or nil
	attrs map[string]any
	// cells has every element that the array can have, in C order of its extents. It includes
	// elements outside the shape, because a resize may make them visible again.
	cells []cell
	// loose is set if chunks outside the shape may be stored.
	loose bool
	open  *zarr.Array // the current handle, or nil if the array is not open
	// immutable is set if the cache of the handle does not notice changes by other processes.
	immutable bool
}

type cell struct {
	value int8
	// faded is set if the cell is the fill value or value. This is the case if a write replaced a
	// chunk that extends beyond the shape, because elements outside the shape are not specified.
	faded bool
}

func (m *array) extent() []int { return extents[len(m.shape)] }

// inside returns the index of each cell in the first elements of every axis, in C order.
func (m *array) inside(shape []int) []int {
	return indexes(m.extent(), make([]int, len(shape)), shape)
}

// at returns the index of the cell of each element that the lists select, in C order.
func (m *array) at(lists [][]int) []int {
	out := []int{0}
	for d, list := range lists {
		var next []int
		for _, at := range out {
			for _, i := range list {
				next = append(next, at*m.extent()[d]+i)
			}
		}
		out = next
	}
	return out
}

// fade records a write to the array: cells outside the shape may have become the fill value.
func (m *array) fade() {
	in := map[int]bool{}
	for _, i := range m.inside(m.shape) {
		in[i] = true
	}
	for i := range m.cells {
		if !in[i] && m.cells[i].value != 0 {
			m.cells[i].faded = true
		}
	}
}

// set writes elements.
func (m *array) set(at []int, v []int8) {
	m.fade()
	for i, k := range at {
		m.cells[k] = cell{value: v[i]}
	}
}

// compare returns the difference between the model and the elements that were read. Faded cells are
// set to the value that was read.
func (m *array) compare(got []int8) error {
	at := m.inside(m.shape)
	if len(got) != len(at) {
		return fmt.Errorf("%d elements, want %d", len(got), len(at))
	}
	for i, k := range at {
		c := &m.cells[k]
		if c.faded && (got[i] == 0 || got[i] == c.value) {
			*c = cell{value: got[i]}
		}
	}
	if want := m.values(at); !slices.Equal(got, want) {
		return fmt.Errorf("the elements of shape %v are\n%v, want\n%v", m.shape, got, want)
	}
	return nil
}

// values returns the values of cells.
func (m *array) values(at []int) []int8 {
	v := make([]int8, len(at))
	for i, k := range at {
		v[i] = m.cells[k].value
	}
	return v
}

// part returns the model of a copy of the region [lo,hi). Stored objects may be copied unchanged,
// with elements outside the region.
func (m *array) part(lo, hi []int) *array {
	out := &array{elems: m.elems, names: m.names, attrs: maps.Clone(m.attrs), cells: make([]cell, len(m.cells)), loose: true}
	rest := make([]int, len(lo))
	lists := make([][]int, len(lo))
	for d, n := range m.extent() {
		out.shape = append(out.shape, hi[d]-lo[d])
		rest[d] = n - lo[d]
		for i := lo[d]; i < n; i++ {
			lists[d] = append(lists[d], i)
		}
	}
	from := m.at(lists)
	for i, k := range out.inside(rest) {
		out.cells[k] = m.cells[from[i]]
	}
	out.fade()
	return out
}

// newArray returns a random array and its specification.
func newArray(r *rand.Rand, format int) (*array, zarr.Spec) {
	m := &array{elems: types[r.IntN(len(types))], attrs: randomAttrs(r)}
	spec := zarr.Spec{Format: format, DType: m.elems.dtype, Fill: m.elems.fill, Attrs: m.attrs}
	axes := 1 + r.IntN(3)
	total := 1
	inner, outer := make([]int, axes), make([]int, axes)
	edges := make([][]int, axes)
	for d, n := range extents[axes] {
		total *= n
		m.shape = append(m.shape, r.IntN(n+1))
		inner[d] = 1 + r.IntN(3)
		outer[d] = inner[d] * (1 + r.IntN(2))
		// The lengths add up to the extent, so that the array can be extended to it.
		for sum := 0; sum < n; {
			edges[d] = append(edges[d], inner[d]*(1+r.IntN(2)))
			sum += edges[d][len(edges[d])-1]
		}
	}
	m.cells = make([]cell, total)
	spec.Shape = slices.Clone(m.shape)
	spec.Codecs = codecs(r, format)
	if m.elems.dtype.HasOrder() && r.IntN(3) == 0 {
		spec.Codecs = append([]codec.Spec{codec.Bytes(dtype.Big)}, spec.Codecs...)
	}
	if axes > 1 && r.IntN(5) == 0 {
		if format == 2 {
			spec.Order = "F"
		} else {
			spec.Codecs = append([]codec.Spec{codec.Transpose(r.Perm(axes)...)}, spec.Codecs...)
		}
	}
	spec.Chunks = outer
	spec.Separator = []string{"", "/", "."}[r.IntN(3)]
	if format == 3 {
		switch r.IntN(6) {
		case 0, 1:
			spec.Chunks, spec.Shards = inner, outer
		case 2:
			spec.Chunks, spec.ShardEdges = inner, edges
		case 3:
			spec.Chunks, spec.ChunkEdges = nil, edges
		}
		if r.IntN(4) == 0 {
			m.names = []string{"x", "y", "z"}[:axes]
			spec.Dims = m.names
		}
	}
	return m, spec
}

// codecs returns random codecs of a format.
func codecs(r *rand.Rand, format int) []codec.Spec {
	switch r.IntN(6) {
	case 0:
		return []codec.Spec{codec.Zstd(1)}
	case 1:
		return []codec.Spec{codec.Blosc(codec.BloscOptions{Cname: "lz4"})}
	case 2:
		return []codec.Spec{codec.Gzip(1)}
	case 3:
		if format == 3 {
			return []codec.Spec{codec.CRC32C()}
		}
	}
	return []codec.Spec{}
}

func randomAttrs(r *rand.Rand) map[string]any {
	out := map[string]any{}
	for _, name := range []string{"units", "long name", "π"} {
		switch r.IntN(6) {
		case 0:
			out[name] = fmt.Sprint("text ", r.IntN(100))
		case 1:
			out[name] = float64(r.IntN(1000)) / 8
		case 2:
			out[name] = []any{true, nil, map[string]any{"a": "b"}}
		}
	}
	return out
}
