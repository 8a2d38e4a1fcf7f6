package serve

import (
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
)

// roles are the dimensions of a variable by their roles in space and time: "x", "y", "z" and "t". The
// roles x and y are degrees of longitude and latitude.
type roles map[string]string

// rolesOf determines the roles by the CF conventions (section 4): by standard names, units and the
// attributes axis and positive of the index coordinates, and otherwise by usual names.
func rolesOf(v *dataset.Variable) roles {
	r := roles{}
	for _, d := range v.Dims() {
		c, ok := v.Coord(d.Name)
		x := v.Index(d.Name)
		if !ok || x == nil {
			continue
		}
		role := roleOf(d.Name, c.Attrs())
		if _, times := x.Value(0).(cf.Time); times {
			role = "t"
		}
		if _, taken := r[role]; role != "" && !taken {
			r[role] = d.Name
		}
	}
	return r
}

func roleOf(name string, attrs map[string]any) string {
	units, standard := attrs["units"], attrs["standard_name"]
	degrees := units == nil || units == "" || units == "degrees"
	is := func(v any, of ...string) bool { s, ok := v.(string); return ok && slices.Contains(of, s) }
	switch {
	case is(units, "degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"),
		degrees && (standard == "longitude" || is(name, "lon", "longitude")):
		return "x"
	case is(units, "degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"),
		degrees && (standard == "latitude" || is(name, "lat", "latitude")):
		return "y"
	case attrs["axis"] == "Z", attrs["positive"] != nil,
		is(standard, "air_pressure", "altitude", "depth", "geopotential_height", "height", "model_level_number"),
		is(units, "Pa", "hPa", "mbar", "millibar", "millibars", "bar", "dbar"),
		is(name, "altitude", "depth", "height", "lev", "level", "plev", "z"):
		return "z"
	}
	return ""
}

// of returns the role of a dimension.
func (r roles) of(dim string) string {
	for role, name := range r {
		if name == dim {
			return role
		}
	}
	return ""
}

// coordinates returns the labels of an index as numbers, and NaN for labels that are not numbers.
func coordinates(x *dataset.Index) []float64 {
	out := make([]float64, x.Len())
	for i := range out {
		out[i] = number(x.Value(i))
	}
	return out
}
