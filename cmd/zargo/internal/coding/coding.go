package coding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Commands that show or take values decode and encode them by the CF conventions, as xarray does.
// The functions of this file determine the coding of an array for all of them.

// DecodeFlags are the flags of commands that show values.
type DecodeFlags struct {
	Raw    bool `help:"Use the stored elements: packed values are not scaled, times are numbers, and only NaN is missing."`
	Decode bool `help:"Decode values by the CF conventions: apply scale factors and offsets, decode times and find missing values. This is the default."`
}

// Check returns an error if both flags are set.
func (f DecodeFlags) Check() error {
	if f.Raw && f.Decode {
		return exit.Usagef("--raw and --decode cannot be combined")
	}
	return nil
}

// Of returns the coding of an array. It returns fault.Type if the elements are not numbers.
// attrs are those of selection.AttrsOf.
func Of(a *zarr.Array, name string, attrs map[string]any) (*cf.Coding, error) {
	c, err := cf.New(cf.Variable{Name: name, Type: a.DType(), Fill: a.Fill(), V2: a.Format() == 2, Attrs: attrs}, cf.Options{})
	if err != nil && !errors.Is(err, fault.Type) {
		err = fmt.Errorf("%w; --raw uses the stored elements", err)
	}
	return c, err
}

// form is the relation of the stored elements of an array to its values.
type form uint8

const (
	formPlain   form = iota // a stored element is its value
	formTimes               // numbers of units since a reference time
	formBools               // booleans that are stored as integers
	formPacked              // scale_factor and add_offset apply
	formMasked              // a stored element is its value, but some elements are missing
	formFlipped             // the bits of integers of the other signedness, by _Unsigned
)

// formOf returns the form of an array with a coding.
func formOf(a *zarr.Array, c *cf.Coding) form {
	_, time := c.Units()
	switch {
	case time:
		return formTimes
	case c.IsBool():
		return formBools
	case c.Packed():
		return formPacked
	case isFloat(a.DType()) && len(sentinels(a)) == 0:
		return formPlain // only NaN is missing, which needs no decoding
	case c.CanMiss():
		return formMasked
	case c.Signed() != isSigned(a.DType()):
		return formFlipped
	}
	return formPlain
}

// sentinels returns the names of the metadata that declare a missing value.
func sentinels(a *zarr.Array) []string {
	var names []string
	for _, name := range []string{"_FillValue", "missing_value"} {
		if a.Attrs()[name] != nil {
			names = append(names, name)
		}
	}
	if a.Format() == 2 && a.Fill() != nil {
		names = append(names, "fill_value")
	}
	return names
}

func isFloat(t dtype.Type) bool {
	return t == dtype.Type(dtype.Float16) || t == dtype.Type(dtype.Float32) || t == dtype.Type(dtype.Float64)
}

func isSigned(t dtype.Type) bool {
	b, ok := t.(dtype.Basic)
	return ok && b >= dtype.Int8 && b <= dtype.Int64
}

// opposite returns the integer type of the same size and the other signedness.
func opposite(t dtype.Type) dtype.Type {
	b, _ := t.(dtype.Basic)
	if b >= dtype.Int8 && b <= dtype.Int64 {
		return b - dtype.Int8 + dtype.Uint8
	}
	return b - dtype.Uint8 + dtype.Int8
}

// MissingValue returns an element that is missing: the fill value, or the value that attributes
// declare if the fill value is not missing. It returns the fill value if no element is missing, or
// if raw is true.
func MissingValue(a *zarr.Array, raw bool) ([]byte, error) {
	fill := slices.Clone(a.Fill())
	if fill == nil {
		fill = a.DType().DefaultFill()
	}
	if raw || a.Attrs()["_FillValue"] == nil && a.Attrs()["missing_value"] == nil {
		return fill, nil
	}
	c, err := Of(a, a.Name(), a.Attrs())
	if errors.Is(err, fault.Type) {
		return fill, nil
	}
	if err != nil {
		return nil, err
	}
	e := encoding{a: a, c: c, form: formPacked, from: dtype.Float64, to: a.DType(), name: a.Name()}
	encode, err := e.encoder()
	if err != nil {
		return nil, err
	}
	value, err := encode.Of(binary.LittleEndian.AppendUint64(nil, nanBits))
	if err != nil || bytes.Equal(value, fill) || isMissing(c, a, fill) {
		return fill, err
	}
	return slices.Clone(value), nil
}

// nanBits is NaN as a float64.
const nanBits = 0x7ff8000000000000

// isMissing reports whether an element in memory form is missing.
func isMissing(c *cf.Coding, a *zarr.Array, b []byte) bool {
	missing, _ := numeric.Pick(a.DType(), isMissingAs[int8], isMissingAs[int16], isMissingAs[int32], isMissingAs[int64],
		isMissingAs[uint8], isMissingAs[uint16], isMissingAs[uint32], isMissingAs[uint64], isMissingAs[float32], isMissingAs[float64])
	return missing(c, a, b)
}

func isMissingAs[S cf.Number](c *cf.Coding, a *zarr.Array, b []byte) bool {
	v, mask := make([]S, 1), make([]bool, 1)
	if err := dtype.Convert(a.DType(), v, b); err != nil {
		return false
	}
	_, err := cf.Missing(c, mask, v)
	return err == nil && mask[0]
}
