package multiscale

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// The minimum and maximum number of axes, and of axes of type "space", in OME-Zarr 0.4 to 0.6.
const (
	minAxes, maxAxes   = 2, 5
	minSpace, maxSpace = 2, 3
)

// axisRules checks the number of axes and of spatial axes.
func (o *omeImage) axisRules(at string, axes []Axis) {
	if axes == nil {
		return
	}
	if n := len(axes); n < minAxes || n > maxAxes {
		o.f.Rule(at, "must have %d to %d axes, has %d", minAxes, maxAxes, n)
	}
	types := map[string]int{}
	for _, a := range axes {
		types[a.Type]++
	}
	if n := types["space"]; (n < minSpace || n > maxSpace) && types["array"] < minSpace {
		o.f.Rule(at, "must have %d or %d axes of the type \"space\", has %d", minSpace, maxSpace, n)
	}
}

// oldRules checks the axes of versions 0.4 and 0.5. The time axis must be first and the spatial
// axes must be last.
func (o *omeImage) oldRules(axes []Axis, version string, m map[string]any) {
	if version == "0.1" || version == "0.2" || version == "0.3" {
		return
	}
	at := o.at + "/axes"
	if axes == nil {
		return
	}
	o.axisRules(at, axes)
	var times, channels, custom int
	for i, a := range axes {
		switch a.Type {
		case "time":
			if times++; i > 0 {
				o.f.Rule(convention.Index(at, i), "the axis of the type \"time\" must be the first")
			}
		case "channel":
			channels++
		case "space":
		default:
			custom++
		}
		if i > 0 && a.Type != "space" && axes[i-1].Type == "space" {
			o.f.Rule(convention.Index(at, i), "the axes of the type \"space\" must be the last")
		}
	}
	if times > 1 || channels > 1 || custom > 1 || channels+custom > 1 {
		o.f.Rule(at, "must have at most one axis of the type \"time\", and at most one that is a channel or of another type")
	}
}

// datasetRules checks the transformations of a dataset. They must be one scale and at most one
// translation, in this order. In version 0.6 they may also be a single identity.
func (o *omeImage) datasetRules(at string, list []transform) {
	scales, offsets, same := 0, 0, 0
	for i, t := range list {
		switch t.kind {
		case "scale":
			if scales++; offsets > 0 {
				o.f.Rule(convention.Index(at, i), "the scale must be before the translation")
			}
		case "translation":
			offsets++
		case "identity":
			same++
		case "":
			return // transforms has reported it
		}
	}
	switch {
	case o.newer && same == 1 && len(list) == 1:
	case scales != 1 || offsets > 1 || same > 0:
		o.f.Rule(at, "must be one scale, and at most one translation after it")
	}
}

// orderRules checks that the levels are in order from fine to coarse.
func (o *omeImage) orderRules(at string, levels []Level) {
	if !o.f.Strict {
		return
	}
	for i := 1; i < len(levels); i++ {
		a, b := levels[i-1].Scale, levels[i].Scale
		if len(a) != len(b) {
			continue
		}
		for d := range a {
			if math.Abs(b[d]) < math.Abs(a[d]) {
				o.f.Rule(convention.Index(at, i), "the scale must not be smaller than that of the level before it; the levels must be in order from fine to coarse")
				break
			}
		}
		if slices.ContainsFunc(levels[:i], func(l Level) bool { return l.Path == levels[i].Path }) {
			o.f.Rule(convention.Index(at, i)+"/path", "%s is the path of an earlier level too", convention.Kind(levels[i].Path))
		}
	}
}
