package crs

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/convention"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Node is the metadata of an array or group that determines its georeference.
type Node struct {
	Array bool           // the node is an array, not a group
	Attrs map[string]any // of the node
	Dims  []string       // names of the dimensions of the array; nil if they are unknown
	Shape []int          // of the array

	// Parent contains the attributes of the group directly above the array; nil if unknown.
	Parent map[string]any

	// Var returns the attributes of another array in the same group. It reports false if the group
	// does not contain an array with this name. Read calls Var for grid mapping variables. Var may
	// be nil.
	Var func(name string) (attrs map[string]any, ok bool)

	// Coord returns the values of the index coordinate of a dimension of the array. It returns nil
	// if the dimension has no coordinate of numbers, and an error if the coordinate cannot be read.
	// Read calls Coord for the rows and the columns of the grid. Coord may be nil.
	Coord func(dim string) ([]float64, error)
}

// Read returns the georeference of a node. It ignores malformed attributes and returns a finding
// for each of them.
func Read(n Node) Reference { return read(n, false) }

// Validate returns the findings of [Read] and the violations of rules of the conventions proj and
// spatial that do not prevent reading. For example, zarr_conventions must declare both conventions
// if the node has their attributes.
func Validate(n Node) []rule.Finding { return read(n, true).Findings }

// reader collects the georeference of a node.
type reader struct {
	node    Node
	strict  bool
	systems []*CRS // in order of priority
	grids   []*Grid
	out     []rule.Finding
}

// about calls f and collects the findings that it adds about a node.
func (r *reader) about(node string, f func(*convention.Findings)) {
	found := convention.Findings{Strict: r.strict}
	f(&found)
	for i := range found.List {
		found.List[i].Path = node
	}
	r.out = append(r.out, found.List...)
}

func read(n Node, strict bool) Reference {
	r := &reader{node: n, strict: strict}
	r.gridMapping()
	r.about("", func(f *convention.Findings) {
		r.system(gdal(n.Attrs, f))
		r.system(proj(n.Attrs, FromProj, f))
		r.grid(r.spatial(n.Attrs, FromSpatial, f), true)
		if strict {
			convention.Check(n.Attrs, f)
			r.declared(f)
		}
	})
	if n.Array && n.Parent != nil {
		r.about("..", func(f *convention.Findings) {
			f.Strict = false // Validate checks the group separately
			r.system(proj(n.Parent, FromGroupProj, f))
			if n.describedBy(n.Parent) {
				r.grid(r.spatial(n.Parent, FromGroupSpatial, f), false)
			}
		})
	}
	r.rasterio()
	r.coordinates()
	ref := Reference{}
	if len(r.systems) > 0 {
		ref.CRS = r.systems[0]
		r.compareSystems()
	}
	if len(r.grids) > 0 {
		ref.Grid = r.grids[0]
		r.compareGrids()
	}
	ref.Findings = r.out
	return ref
}

// describedBy reports whether the grid of a group describes the array. If the group has the levels
// of a pyramid, its grid describes only the arrays with the shape in spatial:shape.
func (n Node) describedBy(parent map[string]any) bool {
	if _, levels := parent["multiscales"]; !levels {
		return true
	}
	g, _ := ReadGrid(parent)
	if g == nil || g.Shape == [2]int{} {
		return false
	}
	for i, dim := range g.Dims {
		if axis := slices.Index(n.Dims, dim); axis < 0 || axis >= len(n.Shape) || n.Shape[axis] != g.Shape[i] {
			return false
		}
	}
	return true
}

func (r *reader) system(c *CRS) {
	if c != nil {
		r.systems = append(r.systems, c)
	}
}

// grid appends a grid, or inserts it before the others if first is true and the grid has a
// transformation.
func (r *reader) grid(g *Grid, first bool) {
	switch {
	case g == nil:
	case first && g.Transform != (Affine{}):
		r.grids = append([]*Grid{g}, r.grids...)
	default:
		r.grids = append(r.grids, g)
	}
}

// compareSystems reports each source whose code differs from the code of the first source. It skips
// the group above the array, because the array overrides the group.
func (r *reader) compareSystems() {
	first := r.systems[0]
	for _, other := range r.systems[1:] {
		if other.Source == FromGroupProj || first.Code == (Code{}) || other.Code == (Code{}) || first.Code == other.Code {
			continue
		}
		r.about("", func(f *convention.Findings) {
			f.Add("", "%s has the coordinate reference system %s, and %s has %s; %s is used", first.Source, first.Code, other.Source, other.Code, first.Source)
		})
	}
}

// compareGrids reports each source whose grid is not near the grid of the first source. It skips
// the group above the array, because the array overrides the group.
func (r *reader) compareGrids() {
	first := r.grids[0]
	for _, other := range r.grids[1:] {
		if other.Source == FromGroupSpatial || first.Transform == (Affine{}) || other.Transform == (Affine{}) {
			continue
		}
		if !near(first, other) {
			r.about("", func(f *convention.Findings) {
				f.Add("", "%s has the transformation %v, and %s has %v; %s is used", first.Source, first.Transform, other.Source, other.Transform, first.Source)
			})
		}
	}
}

// near reports whether the first and the last element of two grids are at most a hundredth of an
// element apart, along the rows and along the columns.
func near(a, b *Grid) bool {
	inverse, ok := a.Transform.Inverse()
	if !ok {
		return false
	}
	last := [2]int{max(a.Shape[0], 2) - 1, max(a.Shape[1], 2) - 1}
	for _, at := range [2][2]int{{0, 0}, last} {
		x, y := a.At(at[0], at[1])
		u, v := b.At(at[0], at[1])
		col, row := inverse.Apply(x, y)
		otherCol, otherRow := inverse.Apply(u, v)
		if !(math.Abs(col-otherCol) <= 0.01 && math.Abs(row-otherRow) <= 0.01) {
			return false
		}
	}
	return true
}

// declared checks that zarr_conventions declares the conventions of the node's attributes.
func (r *reader) declared(f *convention.Findings) {
	for _, c := range []struct {
		convention.Convention
		attrs []string
	}{{convention.Proj(), projAttrs[:]}, {convention.Spatial(), spatialAttrs[:]}} {
		used := slices.IndexFunc(c.attrs, func(name string) bool { return r.node.Attrs[name] != nil })
		switch known := c.Declared(r.node.Attrs, f); {
		case known && used < 0 && c.Name == "proj":
			f.Rule("", "must have proj:code, proj:wkt2 or proj:projjson, because zarr_conventions declares the convention proj")
		case !known && used >= 0:
			f.Rule(convention.Pointer(c.attrs[used]), "zarr_conventions must declare the convention %s", c.Name)
		}
	}
}
