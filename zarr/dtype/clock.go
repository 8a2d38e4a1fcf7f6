package dtype

import (
	"fmt"
	"math/big"
	"strconv"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// This file converts instants and spans to and from the types of package time.

// notATime returns the error for converting NaT to the type described by what.
func notATime(what string) error { return fault.Newf(fault.Type, "NaT is not a %s", what) }

// Time returns i as a time in UTC, rounded down to a nanosecond. It returns fault.Type for NaT and
// for the generic unit, and fault.Limit for more than 291e9 years from 1970, the range of
// time.Time.
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
		if year += 1970; int64(int(year)) != year { // only if an int has 32 bits
			return time.Time{}, tooFar
		}
		return time.Date(int(year), time.Month(1+month), 1, 0, 0, 0, 0, time.UTC), nil
	}
	num, den, ok := t.Unit.length()
	if !ok {
		return time.Time{}, fault.Newf(fault.Type, "%v has no unit of time", t)
	}
	n.Mul(n, big.NewInt(num))
	n.Div(n, big.NewInt(den)) // rounds down, because the divisor is positive
	sec, nsec := new(big.Int).DivMod(n, big.NewInt(1e9), new(big.Int))
	if !sec.IsInt64() || sec.CmpAbs(big.NewInt(maxYears*366*24*3600)) > 0 {
		return time.Time{}, tooFar
	}
	return time.Unix(sec.Int64(), nsec.Int64()).UTC(), nil
}

// maxYears is the maximum distance of a time.Time from 1970 in years. A time.Time has 63 bits for
// the seconds since year 1, and its year is an int.
const maxYears = 291_000_000_000

func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

// Format returns an instant in numpy's form: "2020-02-29T23:59:59.123" with the digits of the unit,
// "2020-02" for months, or "NaT". An instant without a unit of time, or out of the range of
// time.Time, is formatted as its count and the unit.
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

// Instant returns a time in units of the type, rounded down. It returns fault.Type for the generic
// unit, and fault.Limit if the number overflows.
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
			return 0, fault.Newf(fault.Type, "%v has no unit of time", t)
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

// Duration returns s as a duration, rounded down to a nanosecond. It returns fault.Type for NaT,
// and for years, months and the generic unit, whose lengths are not fixed. It returns fault.Limit
// for more than the 292 years of a time.Duration.
func (t TimeDelta) Duration(s Span) (time.Duration, error) {
	if s == NaT {
		return 0, notATime("duration")
	}
	num, den, ok := t.Unit.length()
	if !ok {
		return 0, fault.Newf(fault.Type, "the unit of %v has no fixed length", t)
	}
	n := new(big.Int).Mul(big.NewInt(int64(s)), big.NewInt(int64(max(t.Scale, 1))))
	n.Mul(n, big.NewInt(num))
	n.Div(n, big.NewInt(den))
	if !n.IsInt64() {
		return 0, fault.Newf(fault.Limit, "%d in %v is out of the range of time.Duration", s, t)
	}
	return time.Duration(n.Int64()), nil
}

// Span returns a duration in units of the type, rounded down. Its errors are those of Duration.
func (t TimeDelta) Span(d time.Duration) (Span, error) {
	num, den, ok := t.Unit.length()
	if !ok {
		return 0, fault.Newf(fault.Type, "the unit of %v has no fixed length", t)
	}
	n := new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(den))
	n.Div(n, new(big.Int).Mul(big.NewInt(num), big.NewInt(int64(max(t.Scale, 1)))))
	if !n.IsInt64() || n.Int64() == NaT {
		return 0, fault.Newf(fault.Limit, "%v does not fit %v", d, t)
	}
	return Span(n.Int64()), nil
}

// instantOf returns the memory form of v if it is a time.Time. It returns fault.Type if the time is
// not a whole number of units.
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
		return nil, true, fault.Newf(fault.Type, "%v is not a whole number of units of %v", at, t)
	}
	return putBits(uint64(i), 8), true, nil
}

// spanOf returns the memory form of v if it is a time.Duration. It returns fault.Type if the
// duration is not a whole number of units.
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
		return nil, true, fault.Newf(fault.Type, "%v is not a whole number of units of %v", d, t)
	}
	return putBits(uint64(s), 8), true, nil
}
