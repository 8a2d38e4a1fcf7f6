package dtype

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Unit is a unit of time, as numpy names it: "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", or
// "generic" for ticks of no known length.
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

// length is a unit's length as a fraction of nanoseconds; not ok for years, months and generic, which have none.
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

// unitOf reads a unit; "μs", in either of Unicode's letters, is "us".
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

// maxScale bounds scale factors (numpy.datetime64 in the registry of extensions).
const maxScale = math.MaxInt32

// NaT is the Instant or Span that is none: "not a time".
const NaT = math.MinInt64

// Instant is a point in time, counted in units of its data type from 1970-01-01T00:00:00 UTC, or NaT. See
// [DateTime.Time].
type Instant int64

// Span is a length of time, counted in units of its data type, or NaT. See [TimeDelta.Duration].
type Span int64

// DateTime is numpy's datetime64: an Instant in units of Scale times Unit. v3 names it numpy.datetime64.
type DateTime struct {
	Unit  Unit
	Scale int // 1 to 2^31-1; 0 is 1
}

// TimeDelta is numpy's timedelta64: a Span in units of Scale times Unit. v3 names it numpy.timedelta64.
type TimeDelta struct {
	Unit  Unit
	Scale int // 1 to 2^31-1; 0 is 1
}

// ticks is what DateTime and TimeDelta have in common.
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
		return fault.Newf(fault.Metadata, "%.40q is no unit of time", t.unit)
	}
	if t.scale < 1 || t.scale > maxScale {
		return fault.Newf(fault.Metadata, "scale factor %d is not in 1 to %d", t.scale, maxScale)
	}
	return nil
}

// name is the v3 name.
func (t ticks) name() string {
	if t.kind == 'M' {
		return "numpy.datetime64"
	}
	return "numpy.timedelta64"
}

// suffix is the unit in brackets; nothing for one generic tick.
func (t ticks) suffix() string {
	switch {
	case t.scale > 1:
		return "[" + strconv.Itoa(t.scale) + string(t.unit) + "]"
	case t.unit == Generic:
		return ""
	}
	return "[" + string(t.unit) + "]"
}

// parseSuffix reads a suffix.
func parseSuffix(kind byte, s string) (Type, error) {
	t := ticks{kind, Generic, 1}
	if s != "" {
		inner, ok := strings.CutPrefix(s, "[")
		inner, ok2 := strings.CutSuffix(inner, "]")
		unit := strings.TrimLeft(inner, "0123456789")
		scale := inner[:len(inner)-len(unit)]
		u, ok3 := unitOf(unit)
		if !ok || !ok2 || !ok3 {
			return nil, fault.Newf(fault.Metadata, "%.40q is no unit of time in brackets", s)
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

// parseTicks reads the configuration of the v3 types.
func parseTicks(kind byte, config json.RawMessage) (Type, error) {
	var c struct {
		Unit  *string      `json:"unit"`
		Scale *json.Number `json:"scale_factor"`
	}
	if err := strictConfig(config, &c, "unit", "scale_factor"); err != nil {
		return nil, err
	}
	if c.Unit == nil || c.Scale == nil {
		return nil, fault.Newf(fault.Metadata, `the type needs "unit" and "scale_factor"`)
	}
	u, ok := unitOf(*c.Unit)
	n, err := parseInteger(c.Scale.String())
	if !ok || err != nil || !n.IsInt64() || n.Int64() > maxScale {
		return nil, fault.Newf(fault.Metadata, "unit %.40q and scale factor %.40s are no unit of time", *c.Unit, *c.Scale)
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
	// A time.Duration counts nanoseconds, whatever the array counts.
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
		return nil, fault.Newf(fault.Metadata, "fill value of %d bytes for %s", len(fill), t.name())
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

// String is the v3 name with the unit: "numpy.datetime64[10ms]".
func (t DateTime) String() string { return t.ticks().name() + t.ticks().suffix() }

// Size is 8.
func (DateTime) Size() int { return 8 }

// Go is Instant.
func (DateTime) Go() reflect.Type { return reflect.TypeFor[Instant]() }

// Fits takes Instant and integers of 64 bits, but not time.Duration.
func (t DateTime) Fits(g reflect.Type) bool { return t.ticks().fits(g, t.Go()) }

// HasOrder is true.
func (DateTime) HasOrder() bool { return true }

// Swap reverses the bytes of each number.
func (DateTime) Swap(b []byte) { swap(b, 8) }

// Canon does nothing.
func (DateTime) Canon([]byte) {}

// DefaultFill is NaT.
func (DateTime) DefaultFill() []byte { return putBits(1<<63, 8) }

// ParseFill reads an integer or "NaT".
func (t DateTime) ParseFill(raw json.RawMessage, _ int) ([]byte, error) {
	return t.ticks().parseFill(raw)
}

// FormatFill writes an integer, which every reader knows; NaT is the least.
func (t DateTime) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	return t.ticks().formatFill(fill)
}

// V2 is the typestring: "<M8[10ms]".
func (t DateTime) V2(o Order) (json.RawMessage, error) { return t.ticks().v2(o) }

// V3 is the name with unit and scale factor.
func (t DateTime) V3() (json.RawMessage, error) { return t.ticks().v3() }

// String is the v3 name with the unit: "numpy.timedelta64[10ms]".
func (t TimeDelta) String() string { return t.ticks().name() + t.ticks().suffix() }

// Size is 8.
func (TimeDelta) Size() int { return 8 }

// Go is Span.
func (TimeDelta) Go() reflect.Type { return reflect.TypeFor[Span]() }

// Fits takes Span and integers of 64 bits, but not time.Duration.
func (t TimeDelta) Fits(g reflect.Type) bool { return t.ticks().fits(g, t.Go()) }

// HasOrder is true.
func (TimeDelta) HasOrder() bool { return true }

// Swap reverses the bytes of each number.
func (TimeDelta) Swap(b []byte) { swap(b, 8) }

// Canon does nothing.
func (TimeDelta) Canon([]byte) {}

// DefaultFill is NaT.
func (TimeDelta) DefaultFill() []byte { return putBits(1<<63, 8) }

// ParseFill reads an integer or "NaT".
func (t TimeDelta) ParseFill(raw json.RawMessage, _ int) ([]byte, error) {
	return t.ticks().parseFill(raw)
}

// FormatFill writes an integer, which every reader knows; NaT is the least.
func (t TimeDelta) FormatFill(fill []byte, _ int) (json.RawMessage, error) {
	return t.ticks().formatFill(fill)
}

// V2 is the typestring: "<m8[10ms]".
func (t TimeDelta) V2(o Order) (json.RawMessage, error) { return t.ticks().v2(o) }

// V3 is the name with unit and scale factor.
func (t TimeDelta) V3() (json.RawMessage, error) { return t.ticks().v3() }

// notATime refuses NaT.
func notATime(what string) error { return fault.Newf(fault.Type, "NaT is no %s", what) }

// Time gives the time, in UTC, rounded down to a nanosecond. fault.Type for NaT and for the generic unit,
// fault.Limit for more than 291e9 years from 1970, which time.Time does not reach.
func (t DateTime) Time(i Instant) (time.Time, error) {
	if i == NaT {
		return time.Time{}, notATime("time")
	}
	scale := int64(max(t.Scale, 1))
	n := new(big.Int).Mul(big.NewInt(int64(i)), big.NewInt(scale))
	tooFar := fault.Newf(fault.Limit, "%d in %v is out of the range of time.Time", i, t)
	if t.Unit == Year || t.Unit == Month {
		months := n
		if t.Unit == Year {
			months = n.Mul(n, big.NewInt(12))
		}
		if !months.IsInt64() || months.CmpAbs(big.NewInt(12*maxYears)) > 0 {
			return time.Time{}, tooFar
		}
		year, month := floorDiv(months.Int64(), 12)
		if year += 1970; int64(int(year)) != year { // where an int has 32 bits
			return time.Time{}, tooFar
		}
		return time.Date(int(year), time.Month(1+month), 1, 0, 0, 0, 0, time.UTC), nil
	}
	num, den, ok := t.Unit.length()
	if !ok {
		return time.Time{}, fault.Newf(fault.Type, "%v counts in no known unit", t)
	}
	n.Mul(n, big.NewInt(num))
	n.Div(n, big.NewInt(den)) // Euclidean: down, as the divisor is positive
	sec, nsec := new(big.Int).DivMod(n, big.NewInt(1e9), new(big.Int))
	if !sec.IsInt64() || sec.CmpAbs(big.NewInt(maxYears*366*24*3600)) > 0 {
		return time.Time{}, tooFar
	}
	return time.Unix(sec.Int64(), nsec.Int64()).UTC(), nil
}

// maxYears bounds how far from 1970 a time.Time is made: its seconds since year 1 have 63 bits, and its year is an int.
const maxYears = 291_000_000_000

func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

// Format spells an instant as numpy does: "2020-02-29T23:59:59.123" with as many digits as the unit has, "2020-02" for
// months, "NaT". One that time.Time does not reach, and one in no known unit, is its count with the unit.
func (t DateTime) Format(i Instant) string {
	if i == NaT {
		return "NaT"
	}
	at, err := t.Time(i)
	if err != nil {
		return strconv.FormatInt(int64(i), 10) + t.ticks().suffix()
	}
	s := fmt.Sprintf("%04d", at.Year())
	if t.Unit != Year {
		s += fmt.Sprintf("-%02d", at.Month())
	}
	switch t.Unit {
	case Year, Month:
		return s
	case Week, Day:
		return s + fmt.Sprintf("-%02d", at.Day())
	case Hour:
		return s + at.Format("-02T15")
	case Minute:
		return s + at.Format("-02T15:04")
	}
	s += at.Format("-02T15:04:05")
	digits := map[Unit]int{Millisecond: 3, Microsecond: 6, Nanosecond: 9, Picosecond: 12, Femtosecond: 15, Attosecond: 18}[t.Unit]
	if digits == 0 {
		return s
	}
	second := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	n := new(big.Int).Mul(big.NewInt(int64(i)), big.NewInt(int64(max(t.Scale, 1))))
	return s + fmt.Sprintf(".%0*d", digits, n.Mod(n, second))
}

// Instant counts a time in the type's units, rounded down. fault.Type for the generic unit, fault.Limit when the count
// does not fit.
func (t DateTime) Instant(at time.Time) (Instant, error) {
	at = at.UTC()
	var n *big.Int
	switch t.Unit {
	case Year:
		n = big.NewInt(int64(at.Year()) - 1970)
	case Month:
		n = big.NewInt((int64(at.Year())-1970)*12 + int64(at.Month()) - 1)
	default:
		num, den, ok := t.Unit.length()
		if !ok {
			return 0, fault.Newf(fault.Type, "%v counts in no known unit", t)
		}
		n = new(big.Int).Mul(big.NewInt(at.Unix()), big.NewInt(1e9))
		n.Add(n, big.NewInt(int64(at.Nanosecond())))
		n.Mul(n, big.NewInt(den))
		n.Div(n, big.NewInt(num))
	}
	n.Div(n, big.NewInt(int64(max(t.Scale, 1))))
	if !n.IsInt64() || n.Int64() == NaT {
		return 0, fault.Newf(fault.Limit, "%v does not fit %v", at, t)
	}
	return Instant(n.Int64()), nil
}

// Duration gives the length, rounded down to a nanosecond. fault.Type for NaT, and for years, months and the generic
// unit, which have no length; fault.Limit for more than a time.Duration holds, 292 years.
func (t TimeDelta) Duration(s Span) (time.Duration, error) {
	if s == NaT {
		return 0, notATime("duration")
	}
	num, den, ok := t.Unit.length()
	if !ok {
		return 0, fault.Newf(fault.Type, "the unit of %v has no length", t)
	}
	n := new(big.Int).Mul(big.NewInt(int64(s)), big.NewInt(int64(max(t.Scale, 1))))
	n.Mul(n, big.NewInt(num))
	n.Div(n, big.NewInt(den))
	if !n.IsInt64() {
		return 0, fault.Newf(fault.Limit, "%d in %v is out of the range of time.Duration", s, t)
	}
	return time.Duration(n.Int64()), nil
}

// Span counts a length in the type's units, rounded down. Errors are those of Duration.
func (t TimeDelta) Span(d time.Duration) (Span, error) {
	num, den, ok := t.Unit.length()
	if !ok {
		return 0, fault.Newf(fault.Type, "the unit of %v has no length", t)
	}
	n := new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(den))
	n.Div(n, new(big.Int).Mul(big.NewInt(num), big.NewInt(int64(max(t.Scale, 1)))))
	if !n.IsInt64() || n.Int64() == NaT {
		return 0, fault.Newf(fault.Limit, "%v does not fit %v", d, t)
	}
	return Span(n.Int64()), nil
}

// instantOf is the memory form of a time.Time that is a whole number of units.
func instantOf(t DateTime, v any) ([]byte, bool, error) {
	at, ok := v.(time.Time)
	if !ok {
		return nil, false, nil
	}
	i, err := t.Instant(at)
	if err != nil {
		return nil, true, err
	}
	if back, err := t.Time(i); err != nil || !back.Equal(at) {
		return nil, true, fault.Newf(fault.Type, "%v is no whole number of units of %v", at, t)
	}
	return putBits(uint64(i), 8), true, nil
}

// spanOf is the memory form of a time.Duration that is a whole number of units.
func spanOf(t TimeDelta, v any) ([]byte, bool, error) {
	d, ok := v.(time.Duration)
	if !ok {
		return nil, false, nil
	}
	s, err := t.Span(d)
	if err != nil {
		return nil, true, err
	}
	if back, err := t.Duration(s); err != nil || back != d {
		return nil, true, fault.Newf(fault.Type, "%v is no whole number of units of %v", d, t)
	}
	return putBits(uint64(s), 8), true, nil
}
