package cf

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// Variable is the metadata of an array that determines the meaning of its values.
type Variable struct {
	Name  string
	Type  dtype.Type
	Fill  []byte // fill value in memory form; nil if it is undefined
	V2    bool   // the array has Zarr format 2
	Attrs map[string]any
}

// Options determine which values are missing. The zero value has the behavior of xarray.
type Options struct {
	// FillIsMissing determines whether elements that equal the fill value of the array are missing.
	// Elements that equal the attribute _FillValue are always missing. The default is FillV2.
	FillIsMissing FillMode

	// ValidRange determines whether values outside the range of the attributes valid_min, valid_max
	// and valid_range are missing (CF conventions, section 2.5.1). The attributes are in units of
	// the stored values.
	ValidRange bool
}

// FillMode determines in which arrays the fill value means that an element is missing.
type FillMode uint8

// The values of Options.FillIsMissing.
const (
	FillV2     FillMode = iota // the fill value of v2 arrays is missing, that of v3 arrays is not
	FillNever                  // only the attributes determine which values are missing
	FillAlways                 // the fill value of every array is missing
)

// Coding describes how the values of a variable are stored. It is immutable and safe for concurrent
// use.
type Coding struct {
	name     string
	stored   dtype.Type
	missing  []number
	low      *float64 // of the valid range
	high     *float64
	scale    float64
	offset   float64
	packed   bool
	flipped  bool // integers are signed if the data type is not, or the reverse, by _Unsigned
	boolean  bool
	units    *TimeUnits
	step     time.Duration // unit of time differences, or 0
	findings []rule.Finding
}

// number is a value of the stored data type.
type number struct {
	bits  uint64 // of an integer, in two's complement
	float float64
}

// New returns the coding of a numeric variable. It reads the attributes _FillValue, missing_value,
// scale_factor, add_offset, _Unsigned, units, calendar and dtype (CF conventions, sections 2.5 and
// 8.1, and the NetCDF user's guide, appendix B).
//
// The error is fault.Type for a variable that is not numeric, fault.Metadata for malformed scale
// factors and units, and errors.ErrUnsupported for calendars and units that ParseTimeUnits refuses
// and for calendars that the attribute month_lengths defines.
// The error contains the names of the variable and the attribute. For other malformed attributes
// New ignores the attribute and adds a finding.
func New(v Variable, o Options) (*Coding, error) {
	c := &Coding{name: v.Name, stored: v.Type, scale: 1}
	if numeric.Kind(v.Type) == 0 {
		return nil, fault.Newf(fault.Type, "variable %s: data type %v has no numbers", v.Name, v.Type)
	}
	c.sign(v.Attrs["_Unsigned"])
	c.sentinel("_FillValue", v.Attrs["_FillValue"])
	c.sentinel("missing_value", v.Attrs["missing_value"])
	if v.Fill != nil && (o.FillIsMissing == FillAlways || o.FillIsMissing == FillV2 && v.V2) {
		c.fill(v.Fill)
	}
	if o.ValidRange {
		c.validRange(v.Attrs)
	}
	for _, a := range []struct {
		name string
		to   *float64
	}{{"scale_factor", &c.scale}, {"add_offset", &c.offset}} {
		value, ok := v.Attrs[a.name]
		if !ok {
			continue
		}
		f, ok := float(value)
		if !ok {
			return nil, fault.Newf(fault.Metadata, "variable %s: %s must be a number, is %v", v.Name, a.name, value)
		}
		*a.to, c.packed = f, true
	}
	c.step = difference(v.Attrs)
	c.boolean = v.Attrs["dtype"] == "bool" && (numeric.Kind(v.Type) == 'i' || numeric.Kind(v.Type) == 'u')
	if units, ok := v.Attrs["units"].(string); ok && IsTimeUnits(units) {
		calendar, _ := v.Attrs["calendar"].(string)
		if _, ok := v.Attrs["month_lengths"]; ok {
			return nil, fault.Newf(errors.ErrUnsupported, "variable %s: units %q: a calendar with month_lengths", v.Name, units)
		}
		u, err := ParseTimeUnits(units, calendar)
		if err != nil {
			return nil, fmt.Errorf("variable %s: units %q, calendar %q: %w", v.Name, units, calendar, err)
		}
		c.units = &u
	}
	return c, nil
}

// Units returns the units of a time coordinate. It reports false if the variable has no time units.
func (c *Coding) Units() (TimeUnits, bool) {
	if c.units == nil {
		return TimeUnits{}, false
	}
	return *c.units, true
}

// Difference returns the unit of a variable of time differences. These are variables whose
// attribute dtype is numpy's timedelta64, and whose attribute units is the plural name of a unit
// between days and nanoseconds, as xarray stores them. It reports false for other variables.
func (c *Coding) Difference() (unit time.Duration, ok bool) { return c.step, c.step > 0 }

// difference returns the unit of time differences, or 0 if the attributes are those of another
// variable.
func difference(attrs map[string]any) time.Duration {
	units, _ := attrs["units"].(string)
	if dtype, _ := attrs["dtype"].(string); !strings.HasPrefix(dtype, "timedelta64") {
		return 0
	}
	switch units {
	case "days":
		return 24 * time.Hour
	case "hours":
		return time.Hour
	case "minutes":
		return time.Minute
	case "seconds":
		return time.Second
	case "milliseconds":
		return time.Millisecond
	case "microseconds":
		return time.Microsecond
	case "nanoseconds":
		return time.Nanosecond
	}
	return 0
}

// Packed reports whether the variable has a scale factor or an offset.
func (c *Coding) Packed() bool { return c.packed }

// IsBool reports whether the values are booleans, which xarray stores as integers.
func (c *Coding) IsBool() bool { return c.boolean }

// Signed reports whether the stored values are signed integers, or unsigned ones that the attribute
// _Unsigned declares signed.
func (c *Coding) Signed() bool {
	k := numeric.Kind(c.stored)
	return k == 'i' && !c.flipped || k == 'u' && c.flipped
}

// CanMiss reports whether elements of the variable may be missing. This is the case if the variable
// has a missing value or a valid range. It is also the case if the variable stores floating-point
// numbers, which may be NaN, or times or time differences as int64. The smallest int64 is NaT.
func (c *Coding) CanMiss() bool {
	return len(c.missing) > 0 || numeric.Kind(c.stored) == 'f' || c.low != nil || c.high != nil || c.hasNaT()
}

// hasNaT reports whether the smallest int64 is NaT.
func (c *Coding) hasNaT() bool { return (c.units != nil || c.step > 0) && c.stored == dtype.Int64 }

// Findings returns the attributes that were ignored or corrected.
func (c *Coding) Findings() []rule.Finding { return c.findings }

func (c *Coding) find(attr, format string, args ...any) {
	c.findings = append(c.findings, rule.Finding{Rule: rule.Convention, Pointer: "/" + attr, Text: fmt.Sprintf(format, args...)})
}

// sign sets c.flipped according to the attribute _Unsigned.
func (c *Coding) sign(attr any) {
	if attr == nil {
		return
	}
	text := strings.ToLower(fmt.Sprint(attr))
	k := numeric.Kind(c.stored)
	switch {
	case text != "true" && text != "false":
		c.find("_Unsigned", "must be true or false, is %v", attr)
	case k == 'f':
		c.find("_Unsigned", "the values are not integers")
	default:
		c.flipped = (text == "true") == (k == 'i')
	}
}

// sentinel adds the value or the list of values of an attribute to the missing values.
func (c *Coding) sentinel(name string, attr any) {
	switch v := attr.(type) {
	case nil:
	case []any:
		for _, x := range v {
			c.sentinel(name, x)
		}
	default:
		n, ok := c.number(v)
		if !ok {
			c.find(name, "%v is not a value of the data type %v", v, c.stored)
			return
		}
		c.missing = append(c.missing, n)
	}
}

// number converts an attribute to a value of the stored data type. A float is written as a number,
// a name such as "NaN", the hexadecimal bits, or the base64 encoding of the little-endian bytes,
// which xarray writes.
func (c *Coding) number(attr any) (number, bool) {
	if numeric.Kind(c.stored) == 'f' {
		f, ok := float(attr)
		if s, isText := attr.(string); !ok && isText {
			f, ok = floatBits(s)
		}
		return number{float: c.round(f)}, ok
	}
	n, ok := integer(attr)
	if !ok {
		return number{}, false
	}
	bits := uint(8 * c.stored.Size()) //nolint:gosec // at most 64
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), bits)
	if numeric.Kind(c.stored) == 'i' || c.flipped {
		low.Rsh(high, 1).Neg(low)
	}
	if numeric.Kind(c.stored) == 'i' && !c.flipped {
		high.Rsh(high, 1)
	}
	if n.Cmp(low) < 0 || n.Cmp(high) >= 0 {
		return number{}, false
	}
	if n.Sign() < 0 {
		return number{bits: uint64(n.Int64())}, true //nolint:gosec // two's complement
	}
	return number{bits: n.Uint64()}, true
}

// round rounds f to the precision of the stored floating-point type.
func (c *Coding) round(f float64) float64 {
	switch c.stored {
	case dtype.Float16:
		return float64(dtype.F16From(float32(f)).Float32())
	case dtype.Float32:
		return float64(float32(f))
	}
	return f
}

// integer converts an attribute to an integer: a number without a fraction, or its text.
func integer(attr any) (*big.Int, bool) {
	text := ""
	switch v := attr.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	case bool:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	default:
		text = fmt.Sprint(v)
	}
	if n, ok := new(big.Int).SetString(text, 10); ok {
		return n, len(text) < 40
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<64 {
		return nil, false
	}
	n, _ := big.NewFloat(f).Int(nil)
	return n, true
}

// float converts an attribute to a float: a number, a list of one number, or the text of a number.
func float(attr any) (float64, bool) {
	text := ""
	switch v := attr.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	case []any:
		if len(v) == 1 {
			return float(v[0])
		}
		return 0, false
	case float64:
		return v, true
	case int:
		return float64(v), true
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !strings.ContainsAny(text, "_xX")
}

// floatBits decodes a float that is stored as its bits: "0x7fc00000", or base64.
func floatBits(s string) (float64, bool) {
	var b []byte
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		n, err := strconv.ParseUint(hex, 16, 64)
		if err != nil || len(hex) != 4 && len(hex) != 8 && len(hex) != 16 {
			return 0, false
		}
		b = binary.LittleEndian.AppendUint64(nil, n)[:len(hex)/2]
	} else {
		var err error
		if b, err = base64.StdEncoding.DecodeString(s); err != nil {
			return 0, false
		}
	}
	switch len(b) {
	case 2:
		return float64(dtype.F16(binary.LittleEndian.Uint16(b)).Float32()), true
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
	}
	return 0, false
}

// fill adds the fill value of the array to the missing values.
func (c *Coding) fill(b []byte) {
	if len(b) != c.stored.Size() {
		return
	}
	var wide [8]byte
	copy(wide[:], b)
	n := number{bits: binary.LittleEndian.Uint64(wide[:])}
	if numeric.Kind(c.stored) == 'f' {
		n.float, _ = floatBits(base64.StdEncoding.EncodeToString(b))
	}
	c.missing = append(c.missing, n)
}

// validRange sets the bounds of valid values.
func (c *Coding) validRange(attrs map[string]any) {
	bound := func(name string, attr any) *float64 {
		if attr == nil {
			return nil
		}
		f, ok := float(attr)
		if !ok {
			c.find(name, "must be a number, is %v", attr)
			return nil
		}
		return &f
	}
	if list, ok := attrs["valid_range"].([]any); ok && len(list) == 2 {
		c.low, c.high = bound("valid_range", list[0]), bound("valid_range", list[1])
	} else if attrs["valid_range"] != nil {
		c.find("valid_range", "must be a list of two numbers, is %v", attrs["valid_range"])
	}
	if b := bound("valid_min", attrs["valid_min"]); b != nil {
		c.low = b
	}
	if b := bound("valid_max", attrs["valid_max"]); b != nil {
		c.high = b
	}
}
