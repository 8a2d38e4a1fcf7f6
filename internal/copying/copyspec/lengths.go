package copyspec

import (
	"slices"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Lengths are the lengths of the chunks or shards of copies along each axis: Each for arrays with
// as many axes, or Named for arrays with axes of these names. A name may follow the path of an
// array and a slash.
type Lengths struct {
	Each  []int
	Named map[string]int
	None  bool // the copies have no shards
	Used  bool // set when the lengths apply to an array
}

// Grid returns the new shapes of an array's chunks and shards for [Options]. path is the path of
// the array relative to the copied node. chunks and shards may be nil.
func Grid(a *zarr.Array, path string, chunks, shards *Lengths) (chunk, shard []int, err error) {
	was := a.Chunks()
	if was == nil && (chunks != nil && chunks.Named != nil || shards != nil && shards.Named != nil) {
		return nil, nil, fault.Newf(fault.Selection, "the chunks of %q differ in shape: set the chunks of the copy along each axis", a.Path())
	}
	chunk = chunks.of(a, path, was)
	if shards != nil && shards.None {
		if a.Shards() == nil {
			return chunk, nil, nil
		}
		return chunk, []int{}, nil
	}
	inner := chunk
	if inner == nil {
		inner = was
	}
	whole := a.Shards()
	if whole == nil {
		whole = inner
	}
	return chunk, shards.of(a, path, whole), nil
}

// of returns the new shape of an array's chunks or shards, or nil if the lengths do not apply to
// the array. was is the old shape.
//
// An index coordinate keeps its shape unless it is the copied node or named by its path. Readers
// load each index coordinate whole when they open a dataset, and should need one request for it.
func (l *Lengths) of(a *zarr.Array, path string, was []int) []int {
	if l == nil || l.None || len(l.Each)+len(l.Named) == 0 {
		return nil
	}
	index := path != "" && len(a.Dims()) == 1 && a.Dims()[0] == a.Name()
	if l.Named == nil {
		if index || len(l.Each) != len(a.Shape()) {
			return nil
		}
		l.Used = true
		return slices.Clone(l.Each)
	}
	shape, found := slices.Clone(was), false
	for d, name := range a.Dims() {
		at := name
		if path != "" {
			at = path + "/" + name
		}
		n, ok := l.Named[at]
		if !ok && !index {
			n, ok = l.Named[name]
		}
		if ok && d < len(shape) {
			shape[d], found, l.Used = n, true, true
		}
	}
	if !found {
		return nil
	}
	return shape
}
