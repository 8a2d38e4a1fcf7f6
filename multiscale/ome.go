package multiscale

import (
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// readOME reads the array multiscales of OME-Zarr. version is the version in the attribute ome, or
// "" if each element of the array has its own version.
func readOME(at string, list []any, version string, f *convention.Findings) []Pyramid {
	if len(list) == 0 {
		f.Add(at, "must be an array of at least one image")
	}
	if len(list) > maxLevels {
		f.Add(at, "must have at most %d images, has %d; the others are ignored", maxLevels, len(list))
		list = list[:maxLevels]
	}
	var out []Pyramid
	for i, v := range list {
		at := convention.Index(at, i)
		m, ok := v.(map[string]any)
		if !ok {
			f.Add(at, "must be an object, is %s", convention.Kind(v))
			continue
		}
		p := Pyramid{Format: OME, Version: version}
		if version == "" {
			p.Version = f.String(at+"/version", m["version"])
		}
		checkVersion(at, p.Version, f)
		p.Name = f.String(at+"/name", m["name"])
		p.Method = f.String(at+"/type", m["type"])
		o := &omeImage{f: f, at: at, systems: map[string][]Axis{}}
		if _, ok := m["coordinateSystems"]; ok {
			o.readSystems(m)
		} else {
			p.Axes = o.axes(at+"/axes", m["axes"])
			o.oldRules(p.Axes, p.Version, m)
		}
		o.datasets(&p, m)
		out = append(out, p)
	}
	return out
}

// checkVersion reports versions that this package does not know.
func checkVersion(at, version string, f *convention.Findings) {
	switch release(version) {
	case "", "0.4", "0.5", "0.6":
	case "0.1", "0.2", "0.3":
		f.Rule(at+"/version", "the version %q has no transformations; the scales are unknown", version)
	default:
		f.Add(at+"/version", "%s is an unknown version of OME-Zarr; it is read as version 0.4, 0.5 or 0.6", convention.Kind(version))
	}
}

// release removes the suffix of a release candidate or development version, as in "0.6rc0" and
// "0.6.dev4".
func release(version string) string {
	version, _, _ = strings.Cut(version, "rc")
	version, _, _ = strings.Cut(version, ".dev")
	return version
}

// omeImage reads an element of multiscales.
type omeImage struct {
	f       *convention.Findings
	at      string
	newer   bool // version 0.6, in which transformations name their input and output
	systems map[string][]Axis
	inner   string // name of the output coordinate system of all datasets in version 0.6
}

// readSystems reads the member coordinateSystems of version 0.6.
func (o *omeImage) readSystems(m map[string]any) {
	o.newer = true
	at := o.at + "/coordinateSystems"
	list := o.f.Array(at, m["coordinateSystems"])
	if len(list) == 0 {
		o.f.Add(at, "must be an array of at least one coordinate system")
	}
	for i, v := range list {
		at := convention.Index(at, i)
		s := o.f.Object(at, v)
		name := o.f.String(at+"/name", s["name"])
		if name == "" {
			o.f.Rule(at+"/name", "must be the name of the coordinate system")
		}
		if _, twice := o.systems[name]; twice {
			o.f.Rule(at+"/name", "%s is the name of an earlier coordinate system too", convention.Kind(name))
			continue
		}
		axes := o.axes(at+"/axes", s["axes"])
		o.axisRules(at+"/axes", axes)
		o.systems[name] = axes
	}
}

// axes reads an array of axes. In version 0.3 each axis is a string.
func (o *omeImage) axes(at string, v any) []Axis {
	list := o.f.Array(at, v)
	if len(list) == 0 {
		o.f.Rule(at, "must be an array of axes")
		return nil
	}
	if len(list) > maxRank {
		o.f.Add(at, "must have at most %d axes, has %d", maxRank, len(list))
		return nil
	}
	out := make([]Axis, len(list))
	for i, v := range list {
		if name, ok := v.(string); ok {
			out[i].Name = name
			continue
		}
		at := convention.Index(at, i)
		m := o.f.Object(at, v)
		out[i] = Axis{o.f.String(at+"/name", m["name"]), o.f.String(at+"/type", m["type"]), o.f.String(at+"/unit", m["unit"])}
		if out[i].Name == "" {
			o.f.Rule(at+"/name", "must be the name of the axis")
		} else if slices.ContainsFunc(out[:i], func(a Axis) bool { return a.Name == out[i].Name }) {
			o.f.Rule(at+"/name", "%s is the name of an earlier axis too", convention.Kind(out[i].Name))
		}
	}
	return out
}

// datasets reads the member datasets, which contains the levels.
func (o *omeImage) datasets(p *Pyramid, m map[string]any) {
	at := o.at + "/datasets"
	list := o.f.Array(at, m["datasets"])
	if len(list) == 0 {
		o.f.Add(at, "must be an array of at least one dataset")
	}
	if len(list) > maxLevels {
		o.f.Add(at, "must have at most %d datasets, has %d; the others are ignored", maxLevels, len(list))
		list = list[:maxLevels]
	}
	var all []transform
	if !o.newer {
		all = o.transforms(o.at+"/coordinateTransformations", m["coordinateTransformations"])
	}
	for i, v := range list {
		at := convention.Index(at, i)
		d, ok := v.(map[string]any)
		if !ok {
			o.f.Add(at, "must be an object, is %s", convention.Kind(v))
			continue
		}
		l := Level{Path: path(o.f, at+"/path", d["path"])}
		if l.Path == "" {
			continue
		}
		own := o.transforms(at+"/coordinateTransformations", d["coordinateTransformations"])
		if o.newer {
			o.ends(at+"/coordinateTransformations", l.Path, d)
			p.Axes = o.systems[o.inner]
		}
		if d["coordinateTransformations"] == nil {
			o.f.Rule(at+"/coordinateTransformations", "must be an array of transformations")
		} else {
			o.datasetRules(at+"/coordinateTransformations", own)
			l.Scale, l.Translation = o.apply(at+"/coordinateTransformations", len(p.Axes), slices.Concat(own, all))
		}
		p.Levels = append(p.Levels, l)
	}
	o.orderRules(at, p.Levels)
	if o.newer {
		o.others(m)
	}
}

// transform is a transformation that apply computes, or a placeholder for one that it cannot
// compute.
type transform struct {
	kind   string // "scale", "translation" or "identity"; or "" for a placeholder
	values []float64
}

// transforms reads an array of transformations. It replaces a sequence by the members of the
// sequence.
func (o *omeImage) transforms(at string, v any) []transform {
	list := o.f.Array(at, v)
	if len(list) > maxLevels {
		o.f.Add(at, "must have at most %d transformations, has %d", maxLevels, len(list))
		return []transform{{}}
	}
	var out []transform
	for i, v := range list {
		at := convention.Index(at, i)
		m := o.f.Object(at, v)
		switch kind := o.f.String(at+"/type", m["type"]); kind {
		case "scale", "translation":
			values := vector(o.f, at+"/"+kind, m[kind])
			if values == nil {
				o.notComputed(at, kind, m)
				kind = ""
			}
			out = append(out, transform{kind, values})
		case "identity":
			out = append(out, transform{kind: kind})
		case "sequence":
			out = append(out, o.sequence(at+"/transformations", m["transformations"])...)
		default:
			o.f.Add(at, "the transformation %s is not computed; the scale of the level is unknown", convention.Kind(kind))
			out = append(out, transform{})
		}
	}
	return out
}

// sequence reads the members of a sequence. A sequence must not contain sequences.
func (o *omeImage) sequence(at string, v any) []transform {
	list := o.f.Array(at, v)
	if len(list) == 0 {
		o.f.Add(at, "must be an array of transformations")
		return []transform{{}}
	}
	for i, v := range list {
		if m, _ := v.(map[string]any); m["type"] == "sequence" {
			o.f.Add(convention.Index(at, i), "must not be a sequence; the scale of the level is unknown")
			return []transform{{}}
		}
	}
	return o.transforms(at, list)
}

// notComputed reports a scale or translation without numbers in the attributes.
func (o *omeImage) notComputed(at, kind string, m map[string]any) {
	if _, ok := m["path"]; ok {
		o.f.Note(at+"/path", "the numbers of the %s are in an array, which is not read; the scale of the level is unknown", kind)
	} else if m[kind] == nil {
		o.f.Add(at+"/"+kind, "must be an array of numbers")
	}
}

// apply composes transformations in their order. It returns nil if the result is unknown or
// invalid.
func (o *omeImage) apply(at string, rank int, list []transform) (scale, offset []float64) {
	for _, t := range list {
		if t.values != nil && rank == 0 {
			rank = len(t.values)
		}
		switch {
		case t.kind == "":
			return nil, nil
		case t.values != nil && len(t.values) != rank:
			o.f.Add(at, "a %s must have %d numbers, one for each axis, has %d; the scale of the level is unknown", t.kind, rank, len(t.values))
			return nil, nil
		}
	}
	if rank == 0 || len(list) == 0 {
		return nil, nil
	}
	scale, offset = slices.Repeat([]float64{1}, rank), make([]float64, rank)
	for _, t := range list {
		for d, v := range t.values {
			if t.kind == "scale" {
				scale[d] *= v
				offset[d] *= v
			} else {
				offset[d] += v
			}
		}
	}
	if !finite(scale) || !finite(offset) || slices.Contains(scale, 0) {
		o.f.Add(at, "the scale must be finite and not 0, is %v; the scale of the level is unknown", scale)
		return nil, nil
	}
	return scale, offset
}

func finite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// ends checks the input and the output of a dataset's transformation in version 0.6. All datasets
// must have the same output.
func (o *omeImage) ends(at, level string, d map[string]any) {
	list, _ := d["coordinateTransformations"].([]any)
	if len(list) == 0 {
		return
	}
	at = convention.Index(at, 0)
	m, _ := list[0].(map[string]any)
	input := end(m["input"], "path")
	if input == "" {
		o.f.Rule(at+"/input/path", "must be the path of the dataset")
	} else if input != level {
		o.f.Add(at+"/input/path", "must be %s, the path of the dataset, is %s", convention.Kind(level), convention.Kind(input))
	}
	output := end(m["output"], "name")
	_, known := o.systems[output]
	switch {
	case output == "" || !known:
		o.f.Add(at+"/output/name", "must be the name of a coordinate system, is %s", convention.Kind(output))
		if o.inner == "" && len(o.systems) == 1 {
			for name := range o.systems {
				o.inner = name
			}
		}
	case o.inner == "":
		o.inner = output
	case o.inner != output:
		o.f.Add(at+"/output/name", "must be %s as for other datasets, is %s", convention.Kind(o.inner), convention.Kind(output))
	}
}

// end returns a member of an input or output. In development versions of 0.6 an input or output is
// a string instead of an object.
func end(v any, member string) string {
	if s, ok := v.(string); ok {
		return s
	}
	m, _ := v.(map[string]any)
	s, _ := m[member].(string)
	return s
}

// others reports the transformations to other coordinate systems in version 0.6. Read does not
// apply them.
func (o *omeImage) others(m map[string]any) {
	at := o.at + "/coordinateTransformations"
	for i, v := range o.f.Array(at, m["coordinateTransformations"]) {
		at := convention.Index(at, i)
		t := o.f.Object(at, v)
		to := end(t["output"], "name")
		if to == "" {
			o.f.Rule(at+"/output/name", "must be the name of a coordinate system")
		}
		kind, _ := t["type"].(string)
		o.f.Note(at, "the transformation %s to the coordinate system %s is not applied; the scales are those of %s", convention.Kind(kind), convention.Kind(to), convention.Kind(o.inner))
	}
}
