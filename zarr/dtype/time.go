package dtype

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Unit is a unit of time, with numpy's name: "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns",
// "ps", "fs", "as", or "generic" for ticks of unknown length.
type Unit string

// The units.
const (
	Year        Unit = "Y"
	Month       Unit = "M"
	Week        Unit = "W"
	Day         Unit = "D"
	Hour        Unit = "h"
	Minute      Unit = "m"
	Second      Unit = "s"
	Millisecond Unit = "ms"
	Microsecond Unit = "us"
	Nanosecond  Unit = "ns"
	Picosecond  Unit = "ps"
	Femtosecond Unit = "fs"
	Attosecond  Unit = "as"
	Generic     Unit = "generic"
)

// length returns a unit's length as a fraction of nanoseconds. ok is false for years, months and
// generic, whose lengths are not fixed.
func (u Unit) length() (num, den int64, ok bool) {
	switch u {
	case Week:
		return 7 * 24 * int64(time.Hour), 1, true
	case Day:
		return 24 * int64(time.Hour), 1, true
	case Hour:
		return int64(time.Hour), 1, true
	case Minute:
		return int64(time.Minute), 1, true
	case Second:
		return int64(time.Second), 1, true
	case Millisecond:
		return int64(time.Millisecond), 1, true
	case Microsecond:
		return int64(time.Microsecond), 1, true
	case Nanosecond:
		return 1, 1, true
	case Picosecond:
		return 1, 1e3, true
	case Femtosecond:
		return 1, 1e6, true
	case Attosecond:
		return 1, 1e9, true
	}
	return 0, 0, false
}

// unitOf parses a unit. It accepts "μs", with either letter mu of Unicode, for "us".
func unitOf(s string) (Unit, bool) {
	switch u := Unit(s); u {
	case "μs", "µs":
		return Microsecond, true
	case Year, Month, Generic:
		return u, true
	default:
		_, _, ok := u.length()
		return u, ok
	}
}

// maxScale is the maximum scale factor (numpy.datetime64 in zarr-extensions).
const maxScale = math.MaxInt32

// NaT is the value of an Instant or a Span that means "not a time".
const NaT = math.MinInt64

// Instant is a point in time: the number of units of its data type since 1970-01-01T00:00:00 UTC,
// or NaT. See [DateTime.Time].
type Instant int64

// Span is a length of time in units of its data type, or NaT. See [TimeDelta.Duration].
type Span int64

// DateTime is numpy's datetime64: an Instant in units of Scale times Unit. Its v3 name is
// numpy.datetime64.
type DateTime struct {
	Unit  Unit
	Scale int // 1 to 2^31-1; 0 means 1
}

// TimeDelta is numpy's timedelta64: a Span in units of Scale times Unit. Its v3 name is
// numpy.timedelta64.
type TimeDelta struct {
	Unit  Unit
	Scale int // 1 to 2^31-1; 0 means 1
}

// ticks is the common part of DateTime and TimeDelta.
type ticks struct {
	kind  byte // 'M' or 'm'
	unit  Unit
	scale int
}

func (t DateTime) ticks() ticks  { return ticks{'M', t.Unit, max(t.Scale, 1)} }
func (t TimeDelta) ticks() ticks { return ticks{'m', t.Unit, max(t.Scale, 1)} }

func (t ticks) typ() Type {
	if t.kind == 'M' {
		return DateTime{t.unit, t.scale}
	}
	return TimeDelta{t.unit, t.scale}
}

func (t ticks) check() error {
	if u, ok := unitOf(string(t.unit)); !ok || u != t.unit {
		return fault.Newf(fault.Metadata, "%.40q is not a unit of time", t.unit)
	}
	if t.scale < 1 || t.scale > maxScale {
		return fault.Newf(fault.Metadata, "scale factor must be 1 to %d, is %d", maxScale, t.scale)
	}
	return nil
}

// name returns the v3 name.
func (t ticks) name() string {
	if t.kind == 'M' {
		return "numpy.datetime64"
	}
	return "numpy.timedelta64"
}

// suffix returns the unit in brackets, or "" for one generic tick.
func (t ticks) suffix() string {
	switch {
	case t.scale > 1:
		return "[" + strconv.Itoa(t.scale) + string(t.unit) + "]"
	case t.unit == Generic:
		return ""
	}
	return "[" + string(t.unit) + "]"
}

// parseSuffix is the inverse of suffix: it returns the type with a kind and a suffix.
func parseSuffix(kind byte, s string) (Type, error) {
	t := ticks{kind, Generic, 1}
	if s != "" {
		inner, ok := strings.CutPrefix(s, "[")
		inner, ok2 := strings.CutSuffix(inner, "]")
		unit := strings.TrimLeft(inner, "0123456789")
		scale := inner[:len(inner)-len(unit)]
		u, ok3 := unitOf(unit)
		if !ok || !ok2 || !ok3 {
			return nil, fault.Newf(fault.Metadata, "%.40q is not a unit of time in brackets", s)
		}
		t.unit = u
		if scale != "" {
			n, err := strconv.Atoi(scale)
			if err != nil {
				n = 0
			}
			t.scale = n
		}
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return t.typ(), nil
}

// parseTicks parses the configuration of numpy.datetime64 and numpy.timedelta64.
func parseTicks(kind byte, config json.RawMessage) (Type, error) {
	var c struct {
		Unit  *string         `json:"unit"`
		Scale json.RawMessage `json:"scale_factor"` // a json.Number would also accept a string
	}
	if err := strictConfig(config, &c, "unit", "scale_factor"); err != nil {
		return nil, err
	}
	if c.Unit == nil || c.Scale == nil {
		return nil, fault.Newf(fault.Metadata, `the data type must have "unit" and "scale_factor"`)
	}
	u, ok := unitOf(*c.Unit)
	n, err := parseInteger(string(c.Scale))
	if !ok || err != nil || !n.IsInt64() || n.Int64() > maxScale {
		return nil, fault.Newf(fault.Metadata, "unit %.40q with scale factor %.40s is not a unit of time", *c.Unit, c.Scale)
	}
	t := ticks{kind, u, int(n.Int64())}
	if err := t.check(); err != nil {
		return nil, err
	}
	return t.typ(), nil
}

func (t ticks) fits(g, own reflect.Type) bool {
	if g == own {
		return true
	}
	// A time.Duration counts nanoseconds, whatever the unit of the array.
	return g.Kind() == reflect.Int64 && !isBits(g) && g != reflect.TypeFor[time.Duration]()
}

func (t ticks) parseFill(raw json.RawMessage) ([]byte, error) {
	s := strings.TrimSpace(string(raw))
	if s == `"NaT"` {
		return putBits(1<<63, 8), nil
	}
	n, err := parseInteger(s)
	if err != nil {
		return nil, err
	}
	return Int64.integer(n)
}

func (t ticks) formatFill(fill []byte) (json.RawMessage, error) {
	if len(fill) != 8 {
		return nil, fault.Newf(fault.Metadata, "fill value of %s must have 8 bytes, has %d", t.name(), len(fill))
	}
	return Int64.FormatFill(fill, 3)
}

func (t ticks) v2(o Order) (json.RawMessage, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	mark := map[Order]string{Little: "<", Big: ">"}[o]
	if mark == "" {
		return nil, fault.Newf(fault.Metadata, "%s needs a byte order", t.name())
	}
	return json.RawMessage(`"` + mark + string(t.kind) + "8" + t.suffix() + `"`), nil
}

func (t ticks) v3() (json.RawMessage, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	return json.RawMessage(`{"name":"` + t.name() + `","configuration":{"unit":"` + string(t.unit) + `","scale_factor":` + strconv.Itoa(t.scale) + `}}`), nil
}

// String returns the v3 name with the unit, such as "numpy.datetime64[10ms]".
func (t DateTime) String() string { return t.ticks().name() + t.ticks().suffix() }

// Size returns 8.
func (DateTime) Size() int { return 8 }

// Go returns Instant.
func (DateTime) Go() reflect.Type { return reflect.TypeFor[Instant]() }

// Fits reports whether g is Instant or an integer of 64 bits, but not time.Duration.
func (t DateTime) Fits(g reflect.Type) bool { return t.ticks().fits(g, t.Go()) }

// HasOrder returns true.
func (DateTime) HasOrder() bool { return true }

// Swap reverses the bytes of each number.
func (DateTime) Swap(b []byte) { swap(b, 8) }

// Canon does nothing.
func (DateTime) Canon([]byte) {}

// DefaultFill returns NaT.
func (DateTime) DefaultFill() []byte { return putBits(1<<63, 8) }

// ParseFill parses an integer or "NaT".
func (t DateTime) ParseFill(raw json.RawMessage, _ int) ([]byte, error) {
	return t.ticks().parseFill(raw)
}

// FormatFill returns an integer, which all readers accept. NaT is the smallest integer.
func (t DateTime) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	return t.ticks().formatFill(fill)
}

// V2 returns the typestring, such as "<M8[10ms]".
func (t DateTime) V2(o Order) (json.RawMessage, error) { return t.ticks().v2(o) }

// V3 returns the name with unit and scale factor.
func (t DateTime) V3() (json.RawMessage, error) { return t.ticks().v3() }

// String returns the v3 name with the unit, such as "numpy.timedelta64[10ms]".
func (t TimeDelta) String() string { return t.ticks().name() + t.ticks().suffix() }

// Size returns 8.
func (TimeDelta) Size() int { return 8 }

// Go returns Span.
func (TimeDelta) Go() reflect.Type { return reflect.TypeFor[Span]() }

// Fits reports whether g is Span or an integer of 64 bits, but not time.Duration.
func (t TimeDelta) Fits(g reflect.Type) bool { return t.ticks().fits(g, t.Go()) }

// HasOrder returns true.
func (TimeDelta) HasOrder() bool { return true }

// Swap reverses the bytes of each number.
func (TimeDelta) Swap(b []byte) { swap(b, 8) }

// Canon does nothing.
func (TimeDelta) Canon([]byte) {}

// DefaultFill returns NaT.
func (TimeDelta) DefaultFill() []byte { return putBits(1<<63, 8) }

// ParseFill parses an integer or "NaT".
func (t TimeDelta) ParseFill(raw json.RawMessage, _ int) ([]byte, error) {
	return t.ticks().parseFill(raw)
}

// FormatFill returns an integer, which all readers accept. NaT is the smallest integer.
func (t TimeDelta) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	return t.ticks().formatFill(fill)
}

// V2 returns the typestring, such as "<m8[10ms]".
func (t TimeDelta) V2(o Order) (json.RawMessage, error) { return t.ticks().v2(o) }

// V3 returns the name with unit and scale factor.
func (t TimeDelta) V3() (json.RawMessage, error) { return t.ticks().v3() }
