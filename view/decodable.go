package view

import (
	"math"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// decodable reports whether decoded values of a variable differ from the stored ones. Times, time
// differences and truth values are not decoded.
func decodable(v *dataset.Variable) bool {
	c, ok := v.Coding()
	if !ok || c.IsBool() {
		return false
	}
	if _, isTime := c.Units(); isTime {
		return false
	}
	if _, isDifference := c.Difference(); isDifference {
		return false
	}
	if c.Packed() || numeric.Kind(v.Array().DType()) != 'f' {
		return c.Packed() || c.CanMiss()
	}
	attrs := v.Array().Attrs()
	return attrs["_FillValue"] != nil || attrs["missing_value"] != nil || !onlyNaN(v)
}

// packing are the attributes that describe how values are packed, and which are missing.
var packing = [...]string{"scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned"}

// onlyNaN reports whether NaN is the only missing value of a variable of floats.
func onlyNaN(v *dataset.Variable) bool {
	a, fill := v.Array(), []float64{0}
	return a.Format() == 3 || a.Fill() == nil || dtype.Convert(a.DType(), fill, a.Fill()) == nil && math.IsNaN(fill[0])
}

// typeOf returns the type of decoded values, by the rule of xarray: float64 for packed values, and
// otherwise the smallest type of at least 32 bits that represents all stored values.
func typeOf(v *dataset.Variable) dtype.Type {
	t := v.Array().DType()
	c, _ := v.Coding()
	if !c.Packed() && (t.Size() <= 2 || t.Size() == 4 && numeric.Kind(t) == 'f') {
		return dtype.Float32
	}
	return dtype.Float64
}

// nan returns the fill value of decoded arrays. Metadata writes its bits as "NaN", unlike those of
// math.NaN.
func nan() float64 { return math.Float64frombits(0x7ff8 << 48) }
