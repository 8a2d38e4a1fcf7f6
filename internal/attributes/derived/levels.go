package derived

import (
	"math"
	"path"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// levels changes the levels of pyramids in the attributes of a group. It reports whether the group
// describes levels.
func (t *tree) levels(g *Node) bool {
	found := false
	switch v := g.Attrs["multiscales"].(type) {
	case map[string]any:
		found = true
		t.layout(g, v)
	case []any:
		if list := t.images(g, "multiscales", v); len(list) > 0 {
			g.Attrs["multiscales"] = list
		} else if len(v) > 0 {
			delete(g.Attrs, "multiscales")
		}
		found = true
	}
	if ome := clone(g.Attrs["ome"]); ome != nil {
		if v, ok := ome["multiscales"].([]any); ok {
			found = true
			if list := t.images(g, "ome", v); len(list) > 0 {
				ome["multiscales"] = list
				g.Attrs["ome"] = ome
			} else if len(v) > 0 {
				delete(g.Attrs, "ome")
			}
		}
	}
	return found
}

// axesOf returns the axes of the level at a path below a group. A level may be an array, or a group
// of arrays with the same axes. It reports false if the axes are unknown.
func (t *tree) axesOf(g *Node, level any, rank int) ([]Axis, bool) {
	name, ok := level.(string)
	if !ok {
		return nil, false
	}
	at := path.Join(g.Path, name)
	if n := t.nodes[at]; n != nil && n.Array {
		return n.Axes, true
	}
	var axes []Axis
	for _, n := range t.below(at, true) {
		switch {
		case len(n.Axes) < 2 || rank > 0 && len(n.Axes) != rank:
		case axes == nil:
			axes = n.Axes
		case !slices.EqualFunc(axes, n.Axes, func(a, b Axis) bool { return a.place() == b.place() }):
			return nil, false
		}
	}
	return axes, axes != nil
}

// layout changes the levels of the Zarr convention multiscales. The member transform of a level
// maps an index of the level to an index of the level in derived_from.
func (t *tree) layout(g *Node, m map[string]any) {
	layout, ok := m["layout"].([]any)
	if !ok {
		return
	}
	layout = slices.Clone(layout)
	for i, v := range layout {
		level := clone(v)
		if level == nil {
			continue
		}
		rank := 0
		transform := clone(level["transform"])
		var f convention.Findings
		scale, offset := f.Numbers("", transform["scale"], -1), f.Numbers("", transform["translation"], -1)
		rank = max(len(scale), len(offset))
		axes, known := t.axesOf(g, level["asset"], rank)
		from, related := t.axesOf(g, level["derived_from"], rank)
		if level["derived_from"] == nil {
			from, related = nil, true
		}
		if known && rank > 0 && (changed(axes) || changed(from)) {
			if !related || !relate(transform, scale, offset, axes, from) {
				transform = map[string]any{}
				t.say(g, "multiscales", "the transformation of a level is unknown now")
			}
			level["transform"] = transform
		}
		if p, ok := grid(axes, dimsOf(g.Attrs, "spatial:")); known && ok && p.changed() {
			t.spatial(g, level, "spatial:", p)
		}
		layout[i] = level
	}
	m = clone(m)
	m["layout"] = layout
	g.Attrs["multiscales"] = m
}

// relate changes the scale and the translation in transform. axes are those of the level, and from
// those of the level that it is derived from; nil for a level without one. It reports false if the
// elements are not at equal distances.
func relate(transform map[string]any, scale, offset []float64, axes, from []Axis) bool {
	rank := max(len(scale), len(offset))
	if len(axes) != rank || from != nil && len(from) != rank {
		return false
	}
	if from == nil && plain(scale, offset) {
		return true // positions are those in this level
	}
	newScale, newOffset := make([]float64, rank), make([]float64, rank)
	for d, a := range axes {
		s, o := 1.0, 0.0
		if d < len(scale) {
			s = scale[d]
		}
		if d < len(offset) {
			o = offset[d]
		}
		step, start, ok := a.linear()
		fromStep, fromStart := 1.0, 0.0
		if from != nil && ok {
			fromStep, fromStart, ok = from[d].linear()
		}
		if !ok {
			return false
		}
		newScale[d], newOffset[d] = s*step/fromStep, (s*start+o-fromStart)/fromStep
	}
	transform["scale"], transform["translation"] = convention.Boxed(newScale), convention.Boxed(newOffset)
	return true
}

// plain reports whether a transformation is the identity.
func plain(scale, offset []float64) bool {
	return !slices.ContainsFunc(scale, func(x float64) bool { return x != 1 }) && !slices.ContainsFunc(offset, func(x float64) bool { return x != 0 })
}

// images changes the images in the array multiscales of OME-Zarr. It drops an image with a level
// whose position is unknown.
func (t *tree) images(g *Node, name string, list []any) []any {
	var out []any
	for _, v := range list {
		image := clone(v)
		if image == nil {
			out = append(out, v)
			continue
		}
		datasets, _ := image["datasets"].([]any)
		datasets = slices.Clone(datasets)
		ok := true
		for i, v := range datasets {
			level := clone(v)
			axes, known := t.axesOf(g, level["path"], 0)
			if !known || !changed(axes) {
				continue
			}
			list, has := level["coordinateTransformations"].([]any)
			if slices.ContainsFunc(axes, func(a Axis) bool { _, _, ok := a.linear(); return !ok }) {
				ok = false
				break
			}
			if has {
				if level["coordinateTransformations"], ok = transformed(list, axes); !ok {
					break
				}
				datasets[i] = level
			}
		}
		if !ok {
			t.say(g, name, "the axes or the transformation of an image are unknown now")
			continue
		}
		if image["datasets"] != nil {
			image["datasets"] = datasets
		}
		out = append(out, image)
	}
	return out
}

// transformed returns the transformations of a level of OME-Zarr after a change of its axes: the
// selection of elements, followed by the stored transformations.
func transformed(list []any, axes []Axis) ([]any, bool) {
	scale, offset, ok := compose(list, len(axes), 0)
	if !ok {
		return nil, false
	}
	for d, a := range axes {
		step, start, _ := a.linear()
		offset[d] += scale[d] * start
		scale[d] *= step
		if math.IsInf(offset[d], 0) || math.IsInf(scale[d], 0) {
			return nil, false
		}
	}
	first := clone(list[0])
	out := []any{map[string]any{"type": "scale", "scale": convention.Boxed(scale)}}
	if !plain(nil, offset) || len(list) > 1 || first["type"] == "sequence" {
		out = append(out, map[string]any{"type": "translation", "translation": convention.Boxed(offset)})
	}
	if first["input"] == nil && first["output"] == nil {
		return out, true
	}
	one := out[0].(map[string]any) // version 0.6 has one transformation, with an input and an output
	if len(out) > 1 {
		one = map[string]any{"type": "sequence", "transformations": out}
	}
	for _, name := range []string{"input", "output", "name"} {
		if v, ok := first[name]; ok {
			one[name] = v
		}
	}
	return []any{one}, true
}

// compose returns the scale and the offset of transformations that are applied in order.
func compose(list []any, rank, depth int) (scale, offset []float64, ok bool) {
	scale, offset = slices.Repeat([]float64{1}, rank), make([]float64, rank)
	if len(list) == 0 || depth > 1 {
		return nil, nil, false
	}
	var f convention.Findings
	for _, v := range list {
		m := clone(v)
		kind, _ := m["type"].(string)
		by, add := slices.Repeat([]float64{1}, rank), make([]float64, rank)
		switch kind {
		case "identity":
		case "scale":
			by = f.Numbers("", m["scale"], rank)
		case "translation":
			add = f.Numbers("", m["translation"], rank)
		case "sequence":
			inner, _ := m["transformations"].([]any)
			if by, add, ok = compose(inner, rank, depth+1); !ok {
				return nil, nil, false
			}
		default:
			return nil, nil, false
		}
		if len(by) != rank || len(add) != rank {
			return nil, nil, false
		}
		for d := range rank {
			scale[d], offset[d] = scale[d]*by[d], offset[d]*by[d]+add[d]
		}
	}
	return scale, offset, true
}
