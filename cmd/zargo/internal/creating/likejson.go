package creating

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// isJSON reports whether the text of a description is JSON.
func isJSON(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") }

// fromDict converts the JSON text of xarray's Dataset.to_dict(data=False) to a dataset, as to_zarr
// of xarray does. With encoding=True, the text also has the stored form of the variables.
func fromDict(text string, format int, codecs []codec.Spec) (dataset.Spec, error) {
	spec := dataset.Spec{Format: format}
	// The attributes of a group permit NaN, which Python writes, and their parser has limits.
	doc, err := meta.Parser{}.GroupV2("", []byte(`{"zarr_format":2}`), "the description", []byte(text))
	if err != nil {
		return spec, err
	}
	top := doc.Attrs
	spec.Attrs, _ = top["attrs"].(map[string]any)
	for _, part := range []string{"coords", "data_vars"} {
		vars, ok := top[part].(map[string]any)
		if !ok {
			return spec, fault.Newf(fault.Metadata, "the description must have the object %q, as xarray's Dataset.to_dict(data=False)", part)
		}
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			of, err := dictVar(name, vars[name], codecs)
			if err != nil {
				return spec, fmt.Errorf("variable %q: %w", name, err)
			}
			of.Coord = part == "coords" && !slices.Equal(of.Dims, []string{name})
			spec.Vars = append(spec.Vars, of)
		}
	}
	return spec, nil
}

// dictVar converts the description of a variable.
func dictVar(name string, v any, codecs []codec.Spec) (dataset.VarSpec, error) {
	of := dataset.VarSpec{Name: name, Spec: zarr.Spec{Dims: []string{}, Codecs: codecs}}
	d, _ := v.(map[string]any)
	dims, hasDims := d["dims"].([]any)
	shape, hasShape := wholes(d["shape"])
	kind, hasType := d["dtype"].(string)
	if !hasDims || !hasShape || !hasType || len(dims) != len(shape) {
		return of, fault.Newf(fault.Metadata, `it must be an object with "dims", a "shape" of as many lengths, and a "dtype", as xarray's to_dict(data=False)`)
	}
	for _, x := range dims {
		dim, ok := x.(string)
		if !ok {
			return of, fault.Newf(fault.Metadata, "the name of a dimension must be a string, is %v", x)
		}
		of.Dims = append(of.Dims, dim)
	}
	attrs, _ := d["attrs"].(map[string]any)
	encoding, _ := d["encoding"].(map[string]any)
	of.Shape, of.Attrs = shape, maps.Clone(attrs)
	if of.Attrs == nil {
		of.Attrs = map[string]any{}
	}
	stored, ok := encoding["dtype"].(string)
	if _, err := dictType(stored); !ok || err != nil {
		stored = kind
	}
	for _, key := range []string{"units", "calendar", "scale_factor", "add_offset", "_Unsigned", "missing_value", masked.Attr} {
		if x, ok := encoding[key]; ok && x != nil {
			of.Attrs[key] = x
		}
	}
	if class, unit, ok := strings.Cut(strings.Trim(kind, "<>="), "64["); ok {
		if err := dictTime(of.Attrs, kind, class, strings.TrimSuffix(unit, "]")); err != nil {
			return of, err
		}
		if strings.Contains(stored, "64[") {
			stored = "int64"
		}
	}
	var err error
	if of.DType, err = dictType(stored); err != nil {
		return of, err
	}
	if of.Missing, err = dictMissing(of.DType, of.Attrs, encoding); err != nil {
		return of, err
	}
	delete(of.Attrs, masked.Attr)
	for _, key := range []string{"chunks", "chunksizes"} { // of Zarr, and of netCDF
		if chunks, ok := wholes(encoding[key]); ok && of.Chunks == nil {
			of.Chunks = chunks
		}
	}
	if of.Chunks == nil {
		of.Chunks = growing(of.Shape)
	}
	return of, nil
}

// dictType returns the data type with a name of NumPy. Python objects are texts.
func dictType(name string) (dtype.Type, error) {
	if name == "object" || name == "<class 'str'>" || strings.HasPrefix(name, "StringDType(") {
		return dtype.String, nil
	}
	return argument.Type("dtype", strings.TrimLeft(name, "|"))
}

// dictTime adds the attributes of a time or a duration, which is an integer with units. Without
// units of the encoding, the units are those of the NumPy type, which represent all of its values.
func dictTime(attrs map[string]any, kind, class, unit string) error {
	_, encoded := attrs["units"]
	units, known := map[string]string{"D": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}[unit]
	switch {
	case !known:
		return fault.Newf(fault.Metadata, "the data type %q has an unknown unit", kind)
	case class == "timedelta":
		attrs["dtype"] = kind
	case !encoded:
		units += " since 1970-01-01"
		attrs["calendar"] = "proleptic_gregorian"
	}
	if !encoded {
		attrs["units"] = units
	}
	return nil
}

// dictMissing returns the missing value of a variable. As in xarray, NaN is missing in a float
// variable without another missing value, unless the encoding has null.
func dictMissing(t dtype.Type, attrs, encoding map[string]any) (any, error) {
	isFloat := strings.HasPrefix(t.String(), "float")
	if !isFloat && !strings.HasPrefix(strings.TrimPrefix(t.String(), "u"), "int") {
		return nil, nil
	}
	v, ok := attrs[masked.Attr]
	if _, none := encoding[masked.Attr]; !ok && (none || !isFloat) {
		return nil, nil
	}
	text := fmt.Sprint(v)
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case isFloat && (!ok || math.IsNaN(f)):
		return math.Float64frombits(0x7ff8 << 48), nil // the NaN of zarr.json, without a payload
	case isFloat && err == nil && t == dtype.Float32:
		return float32(f), nil
	case isFloat && err == nil:
		return f, nil
	case err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return int64(f), nil
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return u, nil
	}
	return nil, fault.Newf(fault.Metadata, "%s must be a number of the type %v, is %v", masked.Attr, t, v)
}

// wholes converts a JSON list of integers of at least 0.
func wholes(v any) ([]int, bool) {
	list, ok := v.([]any)
	out := make([]int, len(list))
	for i, x := range list {
		n, _ := x.(json.Number)
		var err error
		if out[i], err = strconv.Atoi(n.String()); err != nil || out[i] < 0 {
			return nil, false
		}
	}
	return out, ok
}
