package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Grid divides an array into chunks: a regular grid has a Shape, a rectilinear one has Edges. The
// last chunk of a dimension may extend beyond the array. It is stored with its full length.
type Grid struct {
	Shape []int   // chunk length in each dimension, at least 1; nil if there are Edges
	Edges []Edges // chunk lengths in each dimension; nil in a regular grid; only in v3
}

// Edges are the chunk lengths in one dimension of a rectilinear grid. Either the chunks have the
// lengths of Runs, in order, or all chunks have the length Every. The chunks cover at least the
// whole dimension.
type Edges struct {
	Every int   // the length of every chunk, for any number of chunks; 0 if there are Runs
	Runs  []Run // adjacent runs differ in length, unless a Count would overflow
}

// Run is Count consecutive chunks of length Edge. Both are at least 1.
type Run struct{ Edge, Count int }

// EdgesOf returns the Edges of chunks with the given lengths.
func EdgesOf(lengths ...int) Edges {
	e := Edges{Runs: []Run{}}
	for _, n := range lengths {
		e.add(Run{n, 1})
	}
	return e
}

func (e *Edges) add(r Run) {
	if k := len(e.Runs) - 1; k >= 0 && e.Runs[k].Edge == r.Edge && e.Runs[k].Count <= math.MaxInt-r.Count {
		e.Runs[k].Count += r.Count
		return
	}
	e.Runs = append(e.Runs, r)
}

// Equal reports whether two grids are equal. A regular grid does not equal a rectilinear grid with
// the same chunks.
func (g Grid) Equal(h Grid) bool {
	same := func(a, b Edges) bool { return a.Every == b.Every && slices.Equal(a.Runs, b.Runs) }
	return (g.Edges == nil) == (h.Edges == nil) && slices.Equal(g.Shape, h.Shape) && slices.EqualFunc(g.Edges, h.Edges, same)
}

// And returns a copy of the grid with additional dimensions. In each of them all chunks have the
// given length.
func (g Grid) And(shape []int) Grid {
	if g.Edges == nil {
		return Grid{Shape: slices.Concat(g.Shape, shape)}
	}
	more := make([]Edges, len(shape))
	for i, n := range shape {
		more[i].Every = n
	}
	return Grid{Edges: slices.Concat(g.Edges, more)}
}

// Reaching returns the grid for another shape of the array, and whether it differs from g. If the
// chunks along an axis with Runs end before the shape, the new grid has one more chunk there, which
// contains the remaining elements, as in zarr-python. The chunks of g do not change. shape must
// have the rank of the grid.
func (g Grid) Reaching(shape []int) (Grid, bool) {
	longer := Grid{g.Shape, slices.Clone(g.Edges)}
	changed := false
	for i, e := range g.Edges {
		left := shape[i]
		for _, r := range e.Runs {
			if r.Edge > 0 && r.Count >= (left-1)/r.Edge+1 { // r covers the rest
				left = 0
				break
			}
			left -= r.Edge * r.Count
		}
		if e.Every > 0 || left <= 0 {
			continue
		}
		e.Runs = slices.Clone(e.Runs)
		e.add(Run{left, 1})
		longer.Edges[i], changed = e, true
	}
	return longer, changed
}

// Encode returns the grid as the member chunk_grid of zarr.json.
func (g Grid) Encode() json.RawMessage { return g.encode() }

// longest returns the length of the longest chunk.
func (e Edges) longest() int {
	n := max(e.Every, 1)
	for _, r := range e.Runs {
		n = max(n, r.Edge)
	}
	return n
}

// check returns an error if the chunk lengths are invalid or do not cover the dimension.
func (e Edges) check(length int) error {
	left := length
	for _, r := range e.Runs {
		if r.Edge < 1 || r.Count < 1 {
			return fault.Newf(fault.Metadata, "a run must have at least 1 chunk of at least 1 element, has %d of %d", r.Count, r.Edge)
		}
		if left > 0 && r.Count > (left-1)/r.Edge {
			left = 0 // the chunks may exceed the dimension
		} else if left > 0 {
			left -= r.Count * r.Edge
		}
	}
	switch {
	case e.Every < 0 || e.Every > 0 && len(e.Runs) > 0:
		return fault.Newf(fault.Metadata, "a grid must have equal chunks or runs, has chunks of length %d and %d runs", e.Every, len(e.Runs))
	case e.Every == 0 && left > 0:
		return fault.Newf(fault.Metadata, "the chunks end after %d of %d elements", length-left, length)
	}
	return nil
}

// rank returns the number of dimensions.
func (g Grid) rank() int {
	if g.Edges != nil {
		return len(g.Edges)
	}
	return len(g.Shape)
}

// consistent returns an error if the grid does not fit the shape or the format, so that its
// encoding could not be parsed.
func (g Grid) consistent(shape []int, format int) error {
	switch {
	case g.Edges != nil && g.Shape != nil:
		return fault.Newf(fault.Metadata, "the grid is both regular and rectilinear")
	case g.rank() != len(shape):
		return fault.Newf(fault.Metadata, "the grid has %d axes, which does not fit the shape %v", g.rank(), shape)
	case g.Edges != nil && format != 3:
		return fault.Newf(errors.ErrUnsupported, "v%d has no rectilinear grids", format)
	}
	for i, e := range g.Edges {
		if err := e.check(shape[i]); err != nil {
			return fmt.Errorf("chunks along axis %d: %w", i, err)
		}
	}
	return nil
}

// readEdges parses the configuration of the registered grid "rectilinear" (zarr-extensions).
func (a *Array) readEdges(config object) error {
	kind, p, err := config.need("kind")
	if err != nil {
		return err
	}
	if name, err := p.text(kind); err != nil || name != "inline" {
		return p.unsupported("chunk shapes of kind %s", brief(kind))
	}
	raw, p, err := config.need("chunk_shapes")
	if err != nil {
		return err
	}
	if err := a.readAxes(p, raw); err != nil {
		return err
	}
	return config.allow("kind", "chunk_shapes")
}

// readAxes parses the chunk lengths of all dimensions.
func (a *Array) readAxes(p place, raw []byte) error {
	all, err := p.list(raw)
	if err != nil {
		return err
	}
	if len(all) != len(a.Shape) {
		return p.bad("there are chunk lengths for %d axes, but the array has %d", len(all), len(a.Shape))
	}
	a.Grid.Edges = make([]Edges, len(all))
	longest := make([]int, len(all))
	for i, raw := range all {
		at := p.index(i)
		e, err := at.edges(raw)
		if err != nil {
			return err
		}
		if err := e.check(a.Shape[i]); err != nil {
			return at.err(err)
		}
		a.Grid.Edges[i], longest[i] = e, e.longest()
	}
	return p.fits(longest, a.DType.Size())
}

// edges parses the chunk lengths of a dimension. They are one length for all chunks, or a list in
// which an item is the length of one chunk or a run [length, count].
func (p place) edges(raw []byte) (e Edges, err error) {
	if raw[0] != '[' {
		e.Every, err = p.length(raw, 1)
		return e, err
	}
	all, err := p.list(raw)
	if err != nil {
		return e, err
	}
	e.Runs = []Run{}
	for i, raw := range all {
		at := p.index(i)
		run := Run{Count: 1}
		if raw[0] != '[' {
			run.Edge, err = at.edge(raw)
		} else {
			var pair []int
			if pair, err = at.pair(raw); err == nil && len(pair) != 2 {
				err = at.wrong("a length and a count", raw)
			}
			if err == nil {
				run = Run{pair[0], pair[1]}
			}
		}
		if err != nil {
			return e, err
		}
		e.add(run)
	}
	e.Runs = slices.Clip(e.Runs)
	return e, nil
}

// edge parses the length of a chunk. Like zarr-python, it accepts 4.0, and true as 1.
func (p place) edge(raw []byte) (int, error) {
	if string(raw) == "true" {
		return 1, p.lenient(rule.NumberSpelling, "true")
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && fraction(raw) && f == math.Trunc(f) && f >= 1 && f < 1<<53 {
		return int(f), p.lenient(rule.NumberSpelling, brief(raw))
	}
	return p.length(raw, 1)
}

// pair parses a run: the length of a chunk and a count.
func (p place) pair(raw []byte) ([]int, error) {
	all, err := p.list(raw)
	if err != nil || len(all) != 2 {
		return nil, err
	}
	edge, err := p.index(0).edge(all[0])
	if err != nil {
		return nil, err
	}
	count, err := p.index(1).length(all[1], 1)
	return []int{edge, count}, err
}

// encode returns the grid as a v3 extension.
func (g Grid) encode() json.RawMessage {
	var config writer
	if g.Edges == nil {
		config.add("chunk_shape", intList(g.Shape))
		return Named{Name: "regular", Config: config.done()}.encode()
	}
	axes := make([]json.RawMessage, len(g.Edges))
	for i, e := range g.Edges {
		axes[i], _ = e.MarshalJSON()
	}
	config.text("kind", "inline")
	config.add("chunk_shapes", list(axes))
	return Named{Name: "rectilinear", Config: config.done()}.encode()
}

// MarshalJSON returns the lengths as metadata documents contain them: 5 for equal chunks, or
// [1,[2,3]] for 1, 2, 2, 2. The error is nil.
func (e Edges) MarshalJSON() ([]byte, error) {
	if e.Every > 0 {
		return strconv.AppendInt(nil, int64(e.Every), 10), nil
	}
	runs := make([]json.RawMessage, len(e.Runs))
	for i, r := range e.Runs {
		if r.Count == 1 {
			runs[i] = strconv.AppendInt(nil, int64(r.Edge), 10)
		} else {
			runs[i] = intList([]int{r.Edge, r.Count})
		}
	}
	return list(runs), nil
}
