package crs

import (
	"slices"
	"strings"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// gridMapping reads the grid mapping variable of the array. Without the attribute grid_mapping, it
// reads the coordinate spatial_ref.
func (r *reader) gridMapping() {
	n := r.node
	v, named := n.Attrs["grid_mapping"]
	if !named || v == nil {
		if n.Array && n.Var != nil && !unplaced(n.Dims) {
			if attrs, ok := n.Var("spatial_ref"); ok {
				r.variable("spatial_ref", attrs, FromSpatialRef)
			}
		}
		return
	}
	var m mapping
	r.about("", func(f *convention.Findings) {
		at := convention.Pointer("grid_mapping")
		text := f.String(at, v)
		if text == "" {
			return
		}
		list, ok := parseMappings(text)
		if !ok {
			f.Add(at, "must be the name of a variable, or have the form \"name: coordinate coordinate\", is %s", convention.Kind(text))
			return
		}
		m = list[max(0, slices.IndexFunc(list, r.describes))]
	})
	if m.name == "" || n.Var == nil {
		return
	}
	attrs, ok := n.Var(m.name)
	if !ok {
		r.about("", func(f *convention.Findings) {
			f.Add(convention.Pointer("grid_mapping"), "the group has no variable %s", convention.Kind(m.name))
		})
		return
	}
	r.variable(m.name, attrs, FromGridMapping)
}

// parseMappings parses the attribute grid_mapping (CF conventions, section 5.6). It reports false
// if text has neither the simple nor the extended form.
func parseMappings(text string) ([]mapping, bool) {
	words := strings.Fields(strings.ReplaceAll(text, " :", ":"))
	if len(words) == 1 && !strings.Contains(words[0], ":") {
		return []mapping{{name: words[0]}}, true
	}
	var out []mapping
	for _, w := range words {
		name, ok := strings.CutSuffix(w, ":")
		switch {
		case ok && name != "" && !strings.Contains(name, ":") && len(out) < maxMappings:
			out = append(out, mapping{name: name})
		case ok || len(out) == 0 || strings.Contains(w, ":"):
			return nil, false
		default:
			out[len(out)-1].coords = append(out[len(out)-1].coords, w)
		}
	}
	return out, len(out) > 0
}

// mapping is an element of the attribute grid_mapping: the name of a grid mapping variable and, in
// the extended form "crs: x y", the coordinates that it applies to.
type mapping struct {
	name   string
	coords []string
}

// maxMappings bounds the grid mappings of one array. The CF conventions have an example with two.
const maxMappings = 16

// other are the names of dimensions that are never those of rows or columns: times, and the
// dimensions of bounds.
var other = [...]string{"time", "nv", "bnds", "nbnd", "nbnds", "bounds", "axis_nbounds", "vertices", "vertex", "nvertex"}

// unplaced reports whether an array cannot have a grid without naming it: it has no dimensions with
// horizontal names, and one of its last two is a time or the dimension of bounds.
func unplaced(dims []string) bool {
	if len(dims) < 2 || slices.ContainsFunc(dims, func(dim string) bool {
		dim = strings.ToLower(dim)
		return slices.Contains(rowNames[:], dim) || slices.Contains(colNames[:], dim)
	}) {
		return false
	}
	return slices.ContainsFunc(dims[len(dims)-2:], func(dim string) bool { return slices.Contains(other[:], strings.ToLower(dim)) })
}

// describes reports whether all coordinates of a grid mapping are dimensions of the array.
func (r *reader) describes(m mapping) bool {
	return !slices.ContainsFunc(m.coords, func(c string) bool { return !slices.Contains(r.node.Dims, c) })
}

// variable reads the attributes of a grid mapping variable.
func (r *reader) variable(name string, attrs map[string]any, from Source) {
	r.about(name, func(f *convention.Findings) {
		c := &CRS{Source: from, Var: name}
		for _, attr := range []string{"crs_wkt", "spatial_ref"} {
			at := convention.Pointer(attr)
			if text := f.String(at, attrs[attr]); c.WKT == "" {
				c.setWKT(at, text, f)
			} else if text != "" {
				c.setID(at, parseWKT(text).code, f)
			}
		}
		at := convention.Pointer("grid_mapping_name")
		if f.String(at, attrs["grid_mapping_name"]) != "" || c.WKT != "" {
			c.GridMapping = attrs
		} else if from == FromGridMapping {
			f.Add("", "must have crs_wkt, spatial_ref or grid_mapping_name")
		}
		r.system(c.known())
		at = convention.Pointer("GeoTransform")
		if t, ok := geoTransform(attrs["GeoTransform"]); ok {
			g := &Grid{Source: FromGeoTransform, Registration: PixelRegistration, Type: "affine"}
			g.setTransform(at, t, f)
			if g.Transform != (Affine{}) {
				r.shape(g, f)
				r.grid(g, false)
			}
		} else if v := attrs["GeoTransform"]; v != nil {
			f.Add(at, "must be 6 numbers, is %s", convention.Kind(v))
		}
	})
}

// geoTransform parses the attribute GeoTransform: six numbers in the order of GDAL, as a string of
// numbers separated by blanks, or as an array.
func geoTransform(v any) (Affine, bool) {
	list, _ := convention.Six(v)
	if list == nil || slices.ContainsFunc(list, func(f float64) bool { return f-f != 0 }) {
		return Affine{}, false
	}
	return GDALAffine([6]float64(list)), true
}
