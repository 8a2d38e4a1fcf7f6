package multiscale

import (
	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/internal/attributes/convention"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Pyramid describes the levels of a pyramid.
type Pyramid struct {
	Name    string // of the image, in OME-Zarr; or ""
	Format  Format
	Version string  // of the format, as stored; or "" if it is not stored
	Axes    []Axis  // one for each dimension; nil if the number of dimensions is unknown
	Levels  []Level // in stored order, which is from fine to coarse in OME-Zarr
	Method  string  // how the levels were computed, unless a level has its own method; or ""
}

// Format is the convention or format that describes a pyramid.
type Format string

// The formats of a pyramid.
const (
	Convention Format = "multiscales" // the Zarr convention multiscales
	OME        Format = "OME-Zarr"
)

// Axis is a dimension of the levels of a pyramid. In the convention multiscales, only axes in
// spatial:dimensions have a name, and Unit is always "".
type Axis struct {
	Name string // or ""
	Type string // "space", "time", "channel" or a custom type; or ""
	Unit string // such as "micrometer"; or ""
}

// Level is an array or a group with the data at one resolution.
type Level struct {
	// Path is relative to the group of the pyramid. It contains no "..", and is safe to open.
	Path string

	// Scale and Translation have one number for each axis. The coordinate of element i is Scale·i +
	// Translation. Both are nil if the scale is unknown. A scale is negative if the coordinates
	// decrease, as some writers of OME-Zarr store them. It is never 0.
	Scale, Translation []float64

	DerivedFrom string    // path of the level that this level was computed from; or ""
	Method      string    // how the level was computed; or ""
	Grid        *crs.Grid // from the attributes of the convention spatial of the level; or nil
}

// Read returns the pyramids in the attributes of a group. Most groups have one. OME-Zarr permits
// several, and a group may have pyramids in both formats. The pyramid of the convention multiscales
// is then first. Read ignores malformed attributes and returns a finding for each of them.
func Read(attrs map[string]any) ([]Pyramid, []rule.Finding) { return read(attrs, false) }

// Validate returns the findings of [Read] and the violations of rules that do not prevent reading:
// the rules of the convention multiscales 0.1 and of its declaration in zarr_conventions, and the
// rules of OME-Zarr 0.4 to 0.6 for images.
func Validate(attrs map[string]any) []rule.Finding {
	_, f := read(attrs, true)
	return f
}

func read(attrs map[string]any, strict bool) ([]Pyramid, []rule.Finding) {
	f := &convention.Findings{Strict: strict}
	var out []Pyramid
	known := convention.Multiscales()
	at := convention.Pointer("multiscales")
	switch v := attrs["multiscales"].(type) {
	case nil:
		if known.Declared(attrs, f) {
			f.Rule(at, "must be an object, because zarr_conventions declares the convention multiscales")
		}
	case map[string]any:
		if !known.Declared(attrs, f) {
			f.Rule(at, "zarr_conventions must declare the convention multiscales")
		}
		if p, ok := readLayout(attrs, v, f); ok {
			out = append(out, p)
		}
	case []any:
		out = append(out, readOME(at, v, "", f)...)
	default:
		f.Add(at, "must be an object or an array, is %s", convention.Kind(v))
	}
	if strict {
		convention.Check(attrs, f)
	}
	if v, ok := attrs["ome"]; ok {
		at := convention.Pointer("ome")
		if ome := f.Object(at, v); ome != nil && ome["multiscales"] != nil {
			list := f.Array(at+convention.Pointer("multiscales"), ome["multiscales"])
			version := f.String(at+convention.Pointer("version"), ome["version"])
			if version == "" {
				f.Rule(at+convention.Pointer("version"), "must be the version of OME-Zarr")
			}
			out = append(out, readOME(at+convention.Pointer("multiscales"), list, version, f)...)
		}
	}
	return out, f.List
}

// maxLevels bounds the levels of a pyramid. Each level usually has half the resolution of the
// previous one, so an axis of 2^63 elements has at most 64 levels.
const maxLevels = 1024

// maxRank bounds the length of a scale. Read does not know the number of dimensions of the arrays.
const maxRank = 64
