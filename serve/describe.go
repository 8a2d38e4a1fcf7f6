package serve

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/dataset"
)

// variables sends the names of the variables and coordinates.
func variables(c *call) error {
	d, err := c.dataset()
	if err != nil {
		return err
	}
	names := []string{}
	for _, v := range append(d.Vars(), d.Coords()...) {
		names = append(names, v.Name())
	}
	slices.Sort(names)
	return c.sendJSON(names)
}

// dict sends the dataset in the form of xarray's Dataset.to_dict(data=False).
func dict(c *call) error {
	d, err := c.dataset()
	if err != nil {
		return err
	}
	type variable struct {
		Dims  []string       `json:"dims"`
		Attrs map[string]any `json:"attrs"`
		DType string         `json:"dtype"`
		Shape []int          `json:"shape"`
	}
	of := func(vars []*dataset.Variable) map[string]variable {
		all := map[string]variable{}
		for _, v := range vars {
			all[v.Name()] = variable{names(v), attributes(v, c.src.Options), typeText(v, c.src.Options), append([]int{}, v.Shape()...)}
		}
		return all
	}
	return c.sendJSON(map[string]any{"attrs": finite(d.Attrs()), "dims": lengths(d), "coords": of(d.Coords()), "data_vars": of(d.Vars())})
}

// info sends the dataset in the form of Xpublish, which is close to NCO-JSON.
func info(c *call) error {
	d, err := c.dataset()
	if err != nil {
		return err
	}
	vars := map[string]any{}
	for _, v := range append(d.Vars(), d.Coords()...) {
		vars[v.Name()] = map[string]any{"type": typeOf(v, c.src.Options), "dimensions": names(v), "attributes": attributes(v, c.src.Options)}
	}
	return c.sendJSON(map[string]any{"dimensions": lengths(d), "variables": vars, "global_attributes": finite(d.Attrs())})
}

func lengths(d *dataset.Dataset) map[string]int {
	all := map[string]int{}
	for _, dim := range d.Dims() {
		all[dim.Name] = dim.Len
	}
	return all
}

func names(v *dataset.Variable) []string {
	all := []string{}
	for _, dim := range v.Dims() {
		all = append(all, dim.Name)
	}
	return all
}

// typeOf returns the name of the data type that xarray decodes a variable to.
func typeOf(v *dataset.Variable, o dataset.Options) string {
	t := v.Array().DType()
	name, size := t.String(), t.Size()
	c, ok := v.Coding()
	if digits, text := strings.CutPrefix(name, "U"); text && size > 0 && digits != "" {
		return "str" + strconv.Itoa(8*size)
	}
	if !ok || o.Raw {
		return name
	}
	float, integer := strings.HasPrefix(name, "float"), strings.Contains(name, "int")
	_, times := c.Units()
	_, differences := c.Difference()
	switch {
	case c.IsBool():
		return "bool"
	case times && !o.RawTimes:
		return "datetime64[ns]"
	case differences && !o.RawTimes:
		return "timedelta64[ns]"
	case c.Packed():
		return "float64"
	case c.CanMiss() && (integer && size <= 2 || float && size <= 4):
		return "float32"
	case c.CanMiss():
		return "float64"
	}
	return name
}

// typeText is typeOf in the form of NumPy's str(dtype), which differs for text of a fixed length.
func typeText(v *dataset.Variable, o dataset.Options) string {
	name := typeOf(v, o)
	if digits, ok := strings.CutPrefix(name, "str"); ok {
		if bits, err := strconv.Atoi(digits); err == nil {
			return "<U" + strconv.Itoa(bits/32)
		}
	}
	return name
}

// attributes returns the attributes of a variable without those that its decoding used, as xarray
// does.
func attributes(v *dataset.Variable, o dataset.Options) map[string]any {
	all := v.Attrs()
	delete(all, "coordinates")
	c, ok := v.Coding()
	if !ok || o.Raw {
		return finite(all)
	}
	used := []string{"_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned"}
	if c.IsBool() {
		used = append(used, "dtype")
	}
	if _, times := c.Units(); times && !o.RawTimes {
		used = append(used, "units", "calendar")
	}
	if _, differences := c.Difference(); differences && !o.RawTimes {
		used = append(used, "units", "dtype")
	}
	maps.DeleteFunc(all, func(name string, _ any) bool { return slices.Contains(used, name) })
	return finite(all)
}

// finite returns attributes in which null replaces numbers without a form in JSON.
func finite(attrs map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range attrs {
		out[name] = finiteValue(v)
	}
	return out
}

func finiteValue(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = finiteValue(x)
		}
		return out
	case map[string]any:
		return finite(v)
	}
	return v
}
