package multiscale

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/internal/attributes/convention"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Attributes returns the group attributes that describe a pyramid by the convention multiscales
// 0.1: multiscales, and zarr_conventions with the declaration of the convention. For levels with a
// Grid, Attributes adds the attributes of the convention spatial and declares that convention.
// [Read] returns an equal pyramid, except for Name and the types and units of axes.
//
// The values have the types that encoding/json produces. The caller owns the map.
//
// If the group already has the attribute zarr_conventions, the caller must keep its elements and
// append the new ones. [AddLevels] does this for levels without a Grid.
func Attributes(p Pyramid) map[string]any {
	m := map[string]any{}
	if p.Method != "" {
		m["resampling_method"] = p.Method
	}
	declared := []any{convention.Multiscales().Declaration()}
	out := map[string]any{key: m}
	layout := make([]any, len(p.Levels))
	spatial := false
	for i, l := range p.Levels {
		layout[i] = entryOf(p.Levels, l).object(l.Grid)
		if l.Grid != nil {
			spatial = true
			if l.Grid.Dims != [2]string{} {
				out["spatial:dimensions"] = []any{l.Grid.Dims[0], l.Grid.Dims[1]}
			}
		}
	}
	if spatial {
		declared = append(declared, convention.Spatial().Declaration())
	}
	m["layout"] = layout
	out[convention.Key] = declared
	return out
}

// AddLevels returns the attributes of a group with entries for levels of the convention
// multiscales, and with the declaration of the convention. It ignores the Grid of the levels. It
// replaces the entries of these levels, except for an existing entry of the first level, which
// users may have written for the source. It keeps all other attributes and entries. AddLevels does
// not modify attrs.
//
// The error is fault.Exists if the attribute multiscales has another format, such as OME-Zarr.
func AddLevels(attrs map[string]any, levels []Level) (map[string]any, error) {
	entries, of, err := layoutIn(attrs)
	if err != nil {
		return nil, err
	}
	entries = slices.Clone(entries)
	for i, l := range levels {
		e := entryOf(levels, l)
		at := slices.IndexFunc(entries, func(x any) bool {
			m, ok := x.(map[string]any)
			return ok && m["asset"] == e.Asset
		})
		switch {
		case at < 0:
			entries = append(entries, e)
		case i > 0 && !e.same(entries[at]):
			entries[at] = e
		}
	}
	if of = maps.Clone(of); of == nil {
		of = map[string]any{}
	}
	of["layout"] = entries
	if attrs = maps.Clone(attrs); attrs == nil {
		attrs = map[string]any{}
	}
	attrs[key] = of
	list, _ := attrs[convention.Key].([]any)
	if !slices.ContainsFunc(list, func(c any) bool {
		m, ok := c.(map[string]any)
		return ok && m["uuid"] == convention.Multiscales().UUID
	}) {
		attrs[convention.Key] = append(slices.Clone(list), convention.Multiscales().Declaration())
	}
	return attrs, nil
}

// HasLevel reports whether the attributes of a group contain the entry that [AddLevels] writes for
// levels[i]. The entry may have other members.
func HasLevel(attrs map[string]any, levels []Level, i int) bool {
	entries, _, err := layoutIn(attrs)
	return err == nil && slices.ContainsFunc(entries, entryOf(levels, levels[i]).same)
}

// key is the name of the attribute.
const key = "multiscales"

// layoutIn returns the entries of the attribute multiscales, and the attribute itself.
func layoutIn(attrs map[string]any) (entries []any, of map[string]any, err error) {
	switch v := attrs[key].(type) {
	case nil:
		return nil, nil, nil
	case map[string]any:
		if entries, ok := v["layout"].([]any); ok {
			return entries, v, nil
		}
	}
	return nil, nil, fault.Newf(fault.Exists, "the group already has an attribute %q that is not a layout of levels", key)
}

// entry is an element of the member layout, without members of the convention spatial. Elements are
// stored with the members in this order.
type entry struct {
	Asset       string   `json:"asset"`
	DerivedFrom string   `json:"derived_from,omitempty"`
	Transform   *mapping `json:"transform,omitempty"`
	Method      string   `json:"resampling_method,omitempty"`
}

// mapping maps an index of a level to an index of its source: index × scale + translation.
// Integers are the centers of elements.
type mapping struct {
	Scale       []float64 `json:"scale,omitempty"`
	Translation []float64 `json:"translation,omitempty"`
}

// entryOf returns the entry of a level. It has an empty transform if the level has a source but the
// transform is unknown, because the convention requires both or neither.
func entryOf(levels []Level, l Level) entry {
	e := entry{Asset: l.Path, DerivedFrom: l.DerivedFrom, Transform: relativeTo(levels, l), Method: l.Method}
	if e.Transform == nil && l.DerivedFrom != "" {
		e.Transform = &mapping{}
	}
	return e
}

// same reports whether a stored entry has the members of e with the same values. It ignores other
// members.
func (e entry) same(stored any) bool {
	text, err := json.Marshal(stored)
	var got entry
	if err != nil || json.Unmarshal(text, &got) != nil {
		return false
	}
	x, err1 := json.Marshal(got)
	y, err2 := json.Marshal(e)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// object returns the entry with the types that encoding/json produces, and with the members of the
// convention spatial for g, which may be nil.
func (e entry) object(g *crs.Grid) map[string]any {
	out := map[string]any{"asset": e.Asset}
	if e.Method != "" {
		out["resampling_method"] = e.Method
	}
	if e.DerivedFrom != "" {
		out["derived_from"] = e.DerivedFrom
	}
	if t := e.Transform; t != nil && t.Scale != nil {
		out["transform"] = map[string]any{"scale": convention.Boxed(t.Scale), "translation": convention.Boxed(t.Translation)}
	} else if t != nil {
		out["transform"] = map[string]any{}
	}
	if g == nil {
		return out
	}
	if g.Transform != (crs.Affine{}) {
		out["spatial:transform"] = convention.Boxed(g.Transform[:])
	}
	if g.Shape[0] > 0 && g.Shape[1] > 0 {
		out["spatial:shape"] = convention.Boxed([]float64{float64(g.Shape[0]), float64(g.Shape[1])})
	}
	if g.Registration == crs.NodeRegistration {
		out["spatial:registration"] = string(crs.NodeRegistration)
	}
	return out
}

// relativeTo returns the scale and translation of a level relative to its source, the level that it
// was derived from. It returns nil if they are unknown.
func relativeTo(levels []Level, l Level) *mapping {
	if l.Scale == nil {
		return nil
	}
	scale, offset := slices.Clone(l.Scale), slices.Clone(l.Translation)
	if offset == nil {
		offset = make([]float64, len(scale))
	}
	if l.DerivedFrom != "" {
		i := slices.IndexFunc(levels, func(s Level) bool { return s.Path == l.DerivedFrom })
		if i < 0 || len(levels[i].Scale) != len(scale) {
			return nil
		}
		s := levels[i]
		for d := range scale {
			from := 0.0
			if s.Translation != nil {
				from = s.Translation[d]
			}
			scale[d] /= s.Scale[d]
			offset[d] = (offset[d] - from) / s.Scale[d]
		}
	}
	return &mapping{scale, offset}
}
