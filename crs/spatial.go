package crs

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/convention"
	"github.com/zargo-io/zargo/zarr/rule"
)

// spatial reads the convention spatial from the attributes of the node or of the group above it,
// and compares the grid with the array. It returns nil if the attributes do not describe the array.
func (r *reader) spatial(attrs map[string]any, from Source, f *convention.Findings) *Grid {
	g := readGrid(attrs, f)
	if g == nil {
		return nil
	}
	g.Source = from
	n := r.node
	if !n.Array {
		r.levels(attrs, f)
		return g
	}
	if from == FromGroupSpatial {
		g.BBox = nil // the box of a group contains all its arrays
		if g.Transform == (Affine{}) || n.Dims == nil || !slices.Contains(n.Dims, g.Dims[0]) || !slices.Contains(n.Dims, g.Dims[1]) {
			return nil
		}
	}
	r.shape(g, f)
	if from == FromSpatial && attrs["spatial:dimensions"] == nil {
		f.Rule("", "an array with the convention spatial must have spatial:dimensions")
	}
	r.bbox(g, f)
	return g
}

func readGrid(attrs map[string]any, f *convention.Findings) *Grid {
	if !slices.ContainsFunc(spatialAttrs[:], func(name string) bool { return attrs[name] != nil }) {
		return nil
	}
	g := &Grid{Source: FromSpatial, Registration: PixelRegistration, Type: "affine"}
	at := func(name string) (string, any) { return convention.Pointer(name), attrs[name] }
	p, v := at("spatial:dimensions")
	if dims := f.Strings(p, v, 2); dims != nil {
		g.Dims = [2]string(dims)
	}
	p, v = at("spatial:shape")
	if shape := f.Numbers(p, v, 2); shape != nil {
		for i, n := range shape {
			if n != math.Trunc(n) || n < 1 || n > math.MaxInt32 {
				f.Add(convention.Index(p, i), "must be a positive whole number, is %v", n)
				g.Shape = [2]int{}
				break
			}
			g.Shape[i] = int(n)
		}
	}
	p, v = at("spatial:registration")
	switch r := Registration(f.String(p, v)); r {
	case NodeRegistration:
		g.Registration = NodeRegistration
	case PixelRegistration, "":
	default:
		f.Add(p, "must be %q or %q, is %s", PixelRegistration, NodeRegistration, convention.Kind(v))
	}
	p, v = at("spatial:bbox")
	if box := f.Numbers(p, v, 4); box != nil {
		if box[0] > box[2] || box[1] > box[3] {
			f.Add(p, "must be xmin, ymin, xmax and ymax, is %v", box)
		} else {
			g.BBox = box
		}
	}
	p, v = at("spatial:transform_type")
	if kind := f.String(p, v); kind != "" && kind != "affine" {
		g.Type = kind
		f.Note(p, "the transformation %s is not known; only affine is", convention.Kind(kind))
		return g
	}
	p, v = at("spatial:transform")
	if t := f.Numbers(p, v, 6); t != nil {
		g.setTransform(p, Affine(t), f)
	}
	return g
}

// setTransform sets the transformation. It reports a transformation that is not invertible instead.
func (g *Grid) setTransform(pointer string, t Affine, f *convention.Findings) {
	if _, ok := t.Inverse(); !ok {
		f.Add(pointer, "maps all elements to one line or point: %v", t)
		return
	}
	g.Transform = t
}

// spatialAttrs contains the names of the attributes of the convention spatial.
var spatialAttrs = [...]string{"spatial:dimensions", "spatial:transform", "spatial:bbox", "spatial:shape", "spatial:registration", "spatial:transform_type"}

// shape sets the shape of a grid to the lengths of its dimensions in the array, and reports
// differences. If the dimensions of the grid are unknown, shape sets them to the last two
// dimensions of the array.
func (r *reader) shape(g *Grid, f *convention.Findings) {
	n := r.node
	if g.Dims == [2]string{} && len(n.Dims) >= 2 {
		g.Dims = [2]string(n.Dims[len(n.Dims)-2:])
	}
	for i, dim := range g.Dims {
		axis := slices.Index(n.Dims, dim)
		switch {
		case dim == "" || n.Dims == nil:
		case axis < 0:
			f.Add(convention.Index(convention.Pointer("spatial:dimensions"), i), "the array has no dimension %s; it has %q", convention.Kind(dim), n.Dims)
		case axis < len(n.Shape):
			if g.Shape[i] != 0 && g.Shape[i] != n.Shape[axis] {
				f.Add(convention.Index(convention.Pointer("spatial:shape"), i), "must be %d, the length of the dimension %s, is %d", n.Shape[axis], convention.Kind(dim), g.Shape[i])
			}
			g.Shape[i] = n.Shape[axis]
		}
	}
}

// bbox reports a bounding box that differs from the extent of the transformation by more than a
// hundredth of an element.
func (r *reader) bbox(g *Grid, f *convention.Findings) {
	if g.BBox == nil || g.Transform == (Affine{}) {
		return
	}
	extent, ok := g.Extent()
	dx, dy := g.Transform.Resolution()
	if g.Transform[1] != 0 || g.Transform[3] != 0 { // both sides of a pixel contribute to both axes
		dx, dy = math.Max(dx, dy), math.Max(dx, dy)
	}
	for i := range extent {
		if ok && math.Abs(extent[i]-g.BBox[i]) > [2]float64{dx, dy}[i%2]/100 {
			f.Add(convention.Pointer("spatial:bbox"), "is %v, and the transformation and the shape have the bounding box %v, which is used", g.BBox, extent)
			return
		}
	}
}

// levels checks spatial:transform in a group with the convention multiscales. The group must not
// have it, and either all levels or no level must have it.
func (r *reader) levels(attrs map[string]any, f *convention.Findings) {
	m, _ := attrs["multiscales"].(map[string]any)
	layout, _ := m["layout"].([]any)
	if len(layout) == 0 {
		return
	}
	if attrs["spatial:transform"] != nil {
		f.Rule(convention.Pointer("spatial:transform"), "must be an attribute of each level in multiscales/layout, not of their group")
	}
	with, without := 0, -1
	for i, v := range layout {
		if level, _ := v.(map[string]any); level["spatial:transform"] != nil {
			with++
		} else if without < 0 {
			without = i
		}
	}
	if without >= 0 && (with > 0 || attrs["spatial:transform"] != nil) {
		f.Rule(convention.Index(convention.Pointer("multiscales", "layout"), without), "must have spatial:transform, because the group or other levels have it")
	}
}

// ReadGrid reads the attributes of the convention spatial from an object, such as the attributes of
// a node or a level of a pyramid. It returns a nil grid if the object has none of these attributes.
// The pointers of the findings are relative to the object.
func ReadGrid(attrs map[string]any) (*Grid, []rule.Finding) {
	var f convention.Findings
	g := readGrid(attrs, &f)
	return g, f.List
}
