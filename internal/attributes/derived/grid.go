package derived

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// prefixes are the names of the conventions with a transform, a shape and a bbox: the Zarr
// convention spatial, and STAC, whose names GDAL and EOPF products use.
var prefixes = [...]string{"spatial:", "proj:"}

// placed contains the attributes of a grid mapping variable that depend on positions.
var placed = [...]string{"GeoTransform", "gcps", "rpcs"}

// dimsOf returns the dimensions in spatial:dimensions, or nil.
func dimsOf(attrs map[string]any, prefix string) []string {
	var f convention.Findings
	return f.Strings("", attrs[prefix+"dimensions"], 2)
}

// moved returns the transformation of the new array.
func moved(t crs.Affine, p pair, node bool) (crs.Affine, bool) {
	sx, ox, ok := p.col.linear()
	sy, oy, ok2 := p.row.linear()
	if !ok || !ok2 {
		return crs.Affine{}, false
	}
	half := 0.5 // position of the center of an element
	if node {
		half = 0
	}
	x, y := ox+half*(1-sx), oy+half*(1-sy) // position of the corner of the new array
	u, v := t.Apply(x, y)
	out := crs.Affine{t[0] * sx, t[1] * sy, u, t[3] * sx, t[4] * sy, v}
	for i := range out {
		if out[i] += 0; math.IsNaN(out[i]) || math.IsInf(out[i], 0) { // -0 becomes 0
			return crs.Affine{}, false
		}
	}
	return out, true
}

// spatial changes the transform, shape and bbox in attrs, which are the attributes of n or those of
// a level in n.
func (t *tree) spatial(n *Node, attrs map[string]any, prefix string, p pair) {
	has := func(name string) bool { return attrs[prefix+name] != nil }
	if !has("transform") && !has("shape") && !has("bbox") && !has("dimensions") {
		return
	}
	drop := func(name, why string) {
		if _, ok := attrs[prefix+name]; ok {
			delete(attrs, prefix+name)
			t.say(n, prefix+name, why)
		}
	}
	if p.row.kind == removed || p.col.kind == removed {
		for _, name := range []string{"dimensions", "transform", "transform_type", "shape", "bbox", "registration"} {
			drop(name, "the array lacks a dimension of the grid")
		}
		return
	}
	var f convention.Findings
	old := f.Numbers("", attrs[prefix+"transform"], -1)
	kindOf, _ := attrs[prefix+"transform_type"].(string)
	node, _ := attrs[prefix+"registration"].(string)
	affine := crs.Affine{}
	switch {
	case !has("transform"):
	case len(old) != 6 && len(old) != 9 || kindOf != "" && kindOf != "affine":
		drop("transform", "it is not an affine transformation")
	default:
		now, ok := moved(crs.Affine(old[:6]), p, node == "node")
		if !ok {
			drop("transform", "the elements are not at equal distances")
			break
		}
		affine = now
		list := convention.Boxed(now[:])
		for _, x := range old[6:] {
			list = append(list, x)
		}
		attrs[prefix+"transform"] = list
	}
	shape := [2]int{p.row.Now, p.col.Now}
	if has("shape") {
		if attrs[prefix+"shape"] = []any{float64(shape[0]), float64(shape[1])}; shape[0] == 0 || shape[1] == 0 {
			drop("shape", "the array has no elements")
		}
	}
	if has("bbox") {
		g := crs.Grid{Transform: affine, Shape: shape, Registration: crs.Registration(node)}
		box, ok := g.Extent()
		if ok {
			attrs[prefix+"bbox"] = convention.Boxed(box[:])
		} else {
			drop("bbox", "the position of the elements is unknown")
		}
	}
}

// legacy changes the attributes transform and res, which xarray wrote for rasterio.
func (t *tree) legacy(n *Node, p pair) {
	var f convention.Findings
	old := f.Numbers("", n.Attrs["transform"], -1)
	if len(old) != 6 && len(old) != 9 {
		return
	}
	res := f.Numbers("", n.Attrs["res"], 2)
	now, ok := moved(crs.Affine(old[:6]), p, false)
	if !ok {
		t.drop(n, "transform", "the elements are not at equal distances")
		t.drop(n, "res", "the elements are not at equal distances")
		return
	}
	list := convention.Boxed(now[:])
	for _, x := range old[6:] {
		list = append(list, x)
	}
	n.Attrs["transform"] = list
	if res != nil {
		x, y := now.Resolution()
		n.Attrs["res"] = []any{x, y}
	}
}

// geoTransform changes the attributes of a grid mapping variable that describes arrays.
func (t *tree) geoTransform(v *Node, arrays []pair) {
	if !slices.ContainsFunc(arrays, pair.changed) {
		return
	}
	for _, name := range placed[1:] {
		t.drop(v, name, "it describes other positions")
	}
	first := arrays[0]
	if slices.ContainsFunc(arrays, func(p pair) bool { return !p.same(first) }) {
		t.drop(v, "GeoTransform", "it describes arrays that have other positions now")
		return
	}
	old, text := convention.Six(v.Attrs["GeoTransform"])
	if old == nil {
		return
	}
	now, ok := moved(crs.GDALAffine([6]float64(old)), first, false)
	if !ok {
		t.drop(v, "GeoTransform", "the elements are not at equal distances")
		return
	}
	list := now.GDAL()
	if !text {
		v.Attrs["GeoTransform"] = convention.Boxed(list[:])
		return
	}
	words := make([]string, len(list))
	for i, x := range list {
		if words[i] = strconv.FormatFloat(x, 'g', -1, 64); !strings.ContainsAny(words[i], ".e") {
			words[i] += ".0"
		}
	}
	v.Attrs["GeoTransform"] = strings.Join(words, " ")
}

// inherited changes the attributes of a group that describe the grid of its arrays. levels reports
// whether the group has the levels of a pyramid, whose grids are elsewhere.
func (t *tree) inherited(g *Node, prefix string, levels bool) {
	var all []pair
	dims := dimsOf(g.Attrs, prefix)
	for _, n := range t.below(g.Path, !levels && dims != nil) {
		if p, ok := grid(n.Axes, dims); ok {
			all = append(all, p)
		}
	}
	switch {
	case !slices.ContainsFunc(all, pair.changed):
	case levels || slices.ContainsFunc(all, func(p pair) bool { return !p.same(all[0]) }):
		for _, name := range []string{"transform", "shape", "bbox"} {
			t.drop(g, prefix+name, "it describes arrays that have other positions now")
		}
	default:
		t.spatial(g, g.Attrs, prefix, all[0])
	}
}

// undeclare removes the declaration of the convention spatial if the change dropped all attributes
// that belong to it.
func undeclare(attrs, old map[string]any) {
	list, ok := attrs[convention.Key].([]any)
	of := func(name string) bool { return strings.HasPrefix(name, "spatial:") }
	if !ok || !slices.ContainsFunc(names(old), of) || slices.ContainsFunc(names(attrs), of) {
		return
	}
	if m, ok := attrs["multiscales"].(map[string]any); ok { // levels may have attributes of the convention
		if layout, _ := m["layout"].([]any); slices.ContainsFunc(layout, func(v any) bool {
			level, _ := v.(map[string]any)
			return slices.ContainsFunc(names(level), func(name string) bool { return strings.HasPrefix(name, "spatial:") })
		}) {
			return
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(v any) bool {
		d, _ := v.(map[string]any)
		uuid, _ := d["uuid"].(string)
		return strings.EqualFold(uuid, convention.Spatial().UUID)
	})
	if attrs[convention.Key] = list; len(list) == 0 {
		delete(attrs, convention.Key)
	}
}

// clone copies an object, or returns nil.
func clone(v any) map[string]any {
	m, _ := v.(map[string]any)
	return maps.Clone(m)
}
