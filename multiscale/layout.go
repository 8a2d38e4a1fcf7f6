package multiscale

import (
	"slices"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// relation is a level of the convention multiscales and its source, the level that it was derived
// from.
type relation struct {
	level
	from int // index of the source among the levels; or -1
}

// level is a level before its scale is known.
type level struct {
	Level
	pointer string
	scale   []float64 // relative to the source; nil if it is not stored
	offset  []float64
	stored  bool // scale or offset is stored
	bad     bool // scale or offset is malformed; the scale of the level is unknown
	state   state
}

// state records whether compose has computed the scale of a level.
type state uint8

const (
	waiting state = iota
	active        // the level is in the current chain of sources
	done
)

// readLayout reads the convention multiscales. It reports false if the layout lacks a valid level.
func readLayout(attrs, m map[string]any, f *convention.Findings) (Pyramid, bool) {
	at := convention.Pointer("multiscales")
	p := Pyramid{Format: Convention, Version: "0.1"}
	p.Method = f.String(at+convention.Pointer("resampling_method"), m["resampling_method"])
	at += convention.Pointer("layout")
	layout := f.Array(at, m["layout"])
	if len(layout) == 0 {
		f.Add(at, "must be an array of at least one level")
		return p, false
	}
	if len(layout) > maxLevels {
		f.Add(at, "must have at most %d levels, has %d; the others are ignored", maxLevels, len(layout))
		layout = layout[:maxLevels]
	}
	var levels []*relation
	for i, v := range layout {
		if l := readRelation(convention.Index(at, i), v, f); l != nil {
			if slices.ContainsFunc(levels, func(other *relation) bool { return other.Path == l.Path }) {
				f.Add(l.pointer+"/asset", "%s is the path of an earlier level too", convention.Kind(l.Path))
				continue
			}
			levels = append(levels, l)
		}
	}
	if len(levels) == 0 {
		return p, false
	}
	for _, l := range levels {
		if l.DerivedFrom == "" {
			continue
		}
		l.from = slices.IndexFunc(levels, func(other *relation) bool { return other.Path == l.DerivedFrom })
		if l.from < 0 {
			f.Rule(l.pointer+"/derived_from", "%s is not a level; the scale of the level is unknown", convention.Kind(l.DerivedFrom))
		}
	}
	rank := commonRank(levels, f)
	for i := range levels {
		compose(levels, i, rank, f)
	}
	fromGrids(levels, rank)
	p.Axes = layoutAxes(attrs, rank)
	for _, l := range levels {
		if l.Grid != nil && l.Grid.Dims == [2]string{} && len(p.Axes) == 2 {
			l.Grid.Dims = [2]string{p.Axes[0].Name, p.Axes[1].Name}
		}
		p.Levels = append(p.Levels, l.Level)
	}
	return p, true
}

// readRelation reads an element of layout. It returns nil if its path is missing or malformed.
func readRelation(at string, v any, f *convention.Findings) *relation {
	m, ok := v.(map[string]any)
	if !ok {
		f.Add(at, "must be an object, is %s", convention.Kind(v))
		return nil
	}
	l := &relation{level: level{pointer: at}, from: -1}
	if l.Path = path(f, at+"/asset", m["asset"]); l.Path == "" {
		return nil
	}
	if v := m["derived_from"]; v != nil {
		l.DerivedFrom = path(f, at+"/derived_from", v)
	}
	l.Method = f.String(at+"/resampling_method", m["resampling_method"])
	t := f.Object(at+"/transform", m["transform"])
	if l.DerivedFrom != "" && t == nil {
		f.Add(at, "must have the member transform, because it has derived_from; the scale of the level is unknown")
	}
	l.scale = vector(f, at+"/transform/scale", t["scale"])
	l.offset = vector(f, at+"/transform/translation", t["translation"])
	l.stored = l.scale != nil || l.offset != nil
	l.bad = l.scale == nil && t["scale"] != nil || l.offset == nil && t["translation"] != nil
	for i, s := range l.scale {
		if s <= 0 {
			f.Add(convention.Index(at+"/transform/scale", i), "must be positive, is %v; the scale of the level is unknown", s)
			l.bad = true
			break
		}
	}
	grid, found := crs.ReadGrid(m)
	for _, x := range found {
		x.Pointer = at + x.Pointer
		f.Collect(x)
	}
	l.Grid = grid
	return l
}

// vector reads an array of numbers. It returns nil for an empty array, which the schema of the
// convention multiscales permits, and adds a note.
func vector(f *convention.Findings, pointer string, v any) []float64 {
	out := f.Numbers(pointer, v, -1)
	if len(out) > maxRank {
		f.Add(pointer, "must have at most %d numbers, has %d", maxRank, len(out))
		return nil
	}
	if out != nil && len(out) == 0 {
		f.Note(pointer, "has no numbers; the scale of the level is unknown")
		return nil
	}
	return out
}

// commonRank returns the number of dimensions of the levels, or 0 if it is unknown. It marks levels
// whose transformations have another number of dimensions as bad.
func commonRank(levels []*relation, f *convention.Findings) int {
	rank := 0
	for _, l := range levels {
		for _, v := range [][]float64{l.scale, l.offset} {
			switch {
			case v == nil || rank == len(v):
			case rank == 0:
				rank = len(v)
			default:
				f.Add(l.pointer+"/transform", "must have %d numbers as other levels do, has %d; the scale of the level is unknown", rank, len(v))
				l.bad = true
			}
		}
	}
	if rank == 0 && slices.ContainsFunc(levels, func(l *relation) bool { return l.Grid != nil }) {
		return 2
	}
	return rank
}

// compose computes the scale of a level from the scale of its source:
//
//	position in source = scale·i + translation
//
// A level without a source has its stored transformation. If none is stored, the first such level
// has the scale 1 and the translation 0, and the scales of the others are unknown.
func compose(levels []*relation, i, rank int, f *convention.Findings) {
	// Follow the sources in a loop, not by recursion: the chain may be as long as the layout.
	var chain []int
	for i >= 0 && levels[i].state == waiting {
		levels[i].state = active
		chain = append(chain, i)
		i = levels[i].from
	}
	if i >= 0 && levels[i].state == active {
		f.Add(levels[i].pointer+"/derived_from", "the level is derived from itself; the scales of such levels are unknown")
		for _, j := range chain {
			levels[j].state = done
		}
		return
	}
	for _, j := range slices.Backward(chain) {
		l := levels[j]
		l.state = done
		var source *relation
		if l.from >= 0 {
			source = levels[l.from]
		}
		switch {
		case rank == 0, l.bad, l.DerivedFrom != "" && (source == nil || source.Scale == nil || !l.stored):
			continue
		case l.DerivedFrom == "" && !l.stored && j != first(levels):
			continue // neither the layout nor a source determines its scale
		}
		l.Scale, l.Translation = make([]float64, rank), make([]float64, rank)
		for d := range rank {
			scale, offset := 1.0, 0.0
			if l.scale != nil {
				scale = l.scale[d]
			}
			if l.offset != nil {
				offset = l.offset[d]
			}
			if source != nil {
				scale, offset = source.Scale[d]*scale, source.Scale[d]*offset+source.Translation[d]
			}
			l.Scale[d], l.Translation[d] = scale, offset
		}
		if !finite(l.Scale) || !finite(l.Translation) {
			f.Add(l.pointer+"/transform", "the scale is beyond the range of float64")
			l.Scale, l.Translation = nil, nil
		}
	}
}

// first returns the index of the first level without a source, or -1.
func first(levels []*relation) int {
	return slices.IndexFunc(levels, func(l *relation) bool { return l.DerivedFrom == "" })
}

// fromGrids computes unknown scales of levels that have a spatial:transform. It compares their
// grids with the grid of the base, the first level that has both a scale and a spatial:transform.
func fromGrids(levels []*relation, rank int) {
	if rank != 2 {
		return
	}
	placed := func(l *relation) bool { return l.Grid != nil && l.Grid.Transform != crs.Affine{} }
	base := slices.IndexFunc(levels, func(l *relation) bool { return placed(l) && l.Scale != nil })
	if base < 0 {
		return
	}
	back, ok := levels[base].Grid.Transform.Inverse()
	if !ok {
		return
	}
	b := levels[base]
	for _, l := range levels {
		if l.Scale != nil || !placed(l) {
			continue
		}
		// The positions in the base of the first two columns and rows of the level.
		x, y := l.Grid.At(0, 0)
		u, v := l.Grid.At(1, 1)
		col, row := back.Apply(x, y)
		nextCol, nextRow := back.Apply(u, v)
		half := 0.5
		if b.Grid.Registration == crs.NodeRegistration {
			half = 0
		}
		scale := []float64{b.Scale[0] * (nextRow - row), b.Scale[1] * (nextCol - col)}
		offset := []float64{b.Scale[0]*(row-half) + b.Translation[0], b.Scale[1]*(col-half) + b.Translation[1]}
		if finite(scale) && finite(offset) && scale[0] > 0 && scale[1] > 0 {
			l.Scale, l.Translation = scale, offset
		}
	}
}

// layoutAxes returns the axes of a layout. If a layout has two dimensions, the axes have the names
// in spatial:dimensions.
func layoutAxes(attrs map[string]any, rank int) []Axis {
	if rank == 0 {
		return nil
	}
	axes := make([]Axis, rank)
	if g, _ := crs.ReadGrid(attrs); g != nil && rank == 2 {
		for i, name := range g.Dims {
			if name != "" {
				axes[i] = Axis{Name: name, Type: "space"}
			}
		}
	}
	return axes
}
