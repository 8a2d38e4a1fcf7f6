package multiscale

import (
	"slices"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// Attributes returns the group attributes that describe a pyramid by the convention multiscales
// 0.1: multiscales, and zarr_conventions with the declaration of the convention. For levels with a
// Grid, Attributes adds the attributes of the convention spatial and declares that convention.
// [Read] returns an equal pyramid, except for Name and the types and units of axes.
//
// The values have the types that encoding/json produces. The caller owns the map.
//
// If the group already has the attribute zarr_conventions, the caller must keep its elements and
// append the new ones.
func Attributes(p Pyramid) map[string]any {
	m := map[string]any{}
	if p.Method != "" {
		m["resampling_method"] = p.Method
	}
	declared := []any{convention.Multiscales().Declaration()}
	out := map[string]any{"multiscales": m}
	layout := make([]any, len(p.Levels))
	spatial := false
	for i, l := range p.Levels {
		e := map[string]any{"asset": l.Path}
		if l.Method != "" {
			e["resampling_method"] = l.Method
		}
		if l.DerivedFrom != "" {
			e["derived_from"] = l.DerivedFrom
		}
		if t := relativeTo(p.Levels, l); t != nil {
			e["transform"] = t
		} else if l.DerivedFrom != "" {
			e["transform"] = map[string]any{} // required with derived_from
		}
		if g := l.Grid; g != nil {
			spatial = true
			if g.Transform != (crs.Affine{}) {
				e["spatial:transform"] = numbers(g.Transform[:])
			}
			if g.Shape[0] > 0 && g.Shape[1] > 0 {
				e["spatial:shape"] = numbers([]float64{float64(g.Shape[0]), float64(g.Shape[1])})
			}
			if g.Registration == crs.NodeRegistration {
				e["spatial:registration"] = string(crs.NodeRegistration)
			}
			if g.Dims != [2]string{} {
				out["spatial:dimensions"] = []any{g.Dims[0], g.Dims[1]}
			}
		}
		layout[i] = e
	}
	if spatial {
		declared = append(declared, convention.Spatial().Declaration())
	}
	m["layout"] = layout
	out[convention.Key] = declared
	return out
}

// relativeTo returns the member transform of a level: its scale and translation relative to its
// source, the level that it was derived from. It returns nil if they are unknown.
func relativeTo(levels []Level, l Level) map[string]any {
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
	return map[string]any{"scale": numbers(scale), "translation": numbers(offset)}
}

func numbers(values []float64) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
