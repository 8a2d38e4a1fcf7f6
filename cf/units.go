package cf

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// TimeUnits are the units of a time coordinate, such as "days since 2000-01-01", in a calendar (CF
// conventions, section 4.4). Values are immutable.
type TimeUnits struct {
	text string
	unit timeUnit
	ref  Time
}

// nanosPerDay is the number of nanoseconds of a day.
const nanosPerDay = 86400e9

// timeUnit is a unit of time: a fraction or a multiple of a day.
type timeUnit struct {
	perDay int64 // units of a day, or 0
	days   int64 // days of a unit, or 0
}

// timeUnits lists the units of time with their names in UDUNITS.
var timeUnits = []struct {
	names string
	unit  timeUnit
}{
	{"day days d", timeUnit{perDay: 1}},
	{"hour hours hr hrs h", timeUnit{perDay: 24}},
	{"minute minutes min mins", timeUnit{perDay: 1440}},
	{"second seconds sec secs s", timeUnit{perDay: 86400}},
	{"millisecond milliseconds millisec millisecs msec msecs ms", timeUnit{perDay: 86400e3}},
	{"microsecond microseconds microsec microsecs usec us µs", timeUnit{perDay: 86400e6}},
	{"nanosecond nanoseconds nanosec nanosecs nsec ns", timeUnit{perDay: 86400e9}},
}

// ParseTimeUnits parses the attributes units and calendar of a time coordinate. It ignores the case
// of words and leading zeros of numbers, and subtracts an offset from UTC. The unit month is valid
// only in Day360, and common_year only in NoLeap. The error is fault.Metadata for malformed units,
// and errors.ErrUnsupported for calendars that ParseCalendar does not support, and for weeks,
// months, years and other units whose length is not fixed by the calendar.
func ParseTimeUnits(units, calendar string) (TimeUnits, error) {
	c, err := ParseCalendar(calendar)
	if err != nil {
		return TimeUnits{}, err
	}
	name, date, ok := cutSince(units)
	if !ok {
		return TimeUnits{}, fault.Newf(fault.Metadata, `time units must be "<unit> since <date>", are %q`, units)
	}
	unit, err := c.unit(name)
	if err != nil {
		return TimeUnits{}, err
	}
	d, reason := parse(date, udunits)
	if reason != "" {
		return TimeUnits{}, fault.Newf(fault.Metadata, "%q is not a date: %s", date, reason)
	}
	ref, reason := d.time(c)
	if reason != "" { // not fault.Type, which is the kind of variables without numbers
		return TimeUnits{}, fault.Newf(fault.Metadata, "the date %q %s %s", date, reason, c)
	}
	return TimeUnits{text: units, unit: unit, ref: ref}, nil
}

// IsTimeUnits reports whether the second word of a text is "since", as in the time units
// "<unit> since <date>". The unit and the date may be malformed or absent.
func IsTimeUnits(units string) bool {
	_, _, ok := cutSince(units)
	return ok
}

// cutSince returns the words before and after "since".
func cutSince(units string) (unit, date string, ok bool) {
	f := strings.Fields(units)
	if len(f) < 2 || !strings.EqualFold(f[1], "since") {
		return "", "", false
	}
	return f[0], strings.Join(f[2:], " "), true
}

// unit returns the unit of time with the given name.
func (c Calendar) unit(name string) (timeUnit, error) {
	lower := strings.ToLower(name)
	for _, u := range timeUnits {
		if slices.Contains(strings.Fields(u.names), lower) {
			return u.unit, nil
		}
	}
	switch lower {
	case "month", "months":
		if c == Day360 {
			return timeUnit{days: 30}, nil
		}
	case "common_year", "common_years":
		if c == NoLeap {
			return timeUnit{days: 365}, nil
		}
	case "week", "weeks", "year", "years":
	default:
		return timeUnit{}, fault.Newf(fault.Metadata, "%q is not a unit of time", name)
	}
	return timeUnit{}, fault.Newf(errors.ErrUnsupported, "time unit %q in the calendar %s", name, c)
}

// MarshalText returns the units as they were parsed.
func (u TimeUnits) MarshalText() ([]byte, error) { return []byte(u.text), nil }

// String returns the units as they were parsed.
func (u TimeUnits) String() string { return u.text }

// Calendar returns the calendar of the units.
func (u TimeUnits) Calendar() Calendar { return u.ref.calendar }

// Reference returns the time of the value 0.
func (u TimeUnits) Reference() Time { return u.ref }

// Time returns the time of a stored integer. The result is exact. The smallest int64 is NaT. The
// error is fault.Type if the time is out of the range of the calendar.
func (u TimeUnits) Time(v int64) (Time, error) {
	if v == math.MinInt64 {
		return NaT(u.ref.calendar), nil
	}
	var t Time
	ok := false
	if u.unit.perDay > 0 {
		d := floor(v, u.unit.perDay)
		t, ok = u.ref.add(d, (v-d*u.unit.perDay)*(nanosPerDay/u.unit.perDay))
	} else if v >= -maxYear && v <= maxYear {
		t, ok = u.ref.add(v*u.unit.days, 0)
	}
	if !ok {
		return Time{}, fault.Newf(fault.Type, "%d %s is out of the range of the calendar %s", v, u.text, u.ref.calendar)
	}
	return t, nil
}

// TimeFloat returns the time of a stored floating-point number. NaN is NaT. The error is fault.Type
// for an infinite number, and for a time that is out of range.
//
// A float64 does not represent most times exactly: an hour is 0.041666666666666664 days. The time
// since the reference is therefore rounded to the coarsest of s, ms and µs that has a multiple
// within the spacing of the float64 numbers near v, and otherwise to ns. It is not rounded to s or
// ms if the spacing is larger, and always to µs if the spacing is 0.5 µs or more. An hour of a day
// in the years 1900 to 2100 is then exact in "days since 1900-01-01".
func (u TimeUnits) TimeFloat(v float64) (Time, error) { return u.rounded(v, spacing(v)) }

// spacing returns the distance of a float64 to the next float64 away from 0.
func spacing(v float64) float64 {
	v = math.Abs(v)
	return math.Nextafter(v, math.Inf(1)) - v
}

// nanos returns the number of nanoseconds of a unit, at most 365 days.
func (u timeUnit) nanos() int64 {
	if u.perDay == 0 {
		return u.days * nanosPerDay
	}
	return nanosPerDay / u.perDay
}

// rounded returns the time of v. resolution is the difference between numbers that the stored
// values distinguish.
func (u TimeUnits) rounded(v, resolution float64) (Time, error) {
	if math.IsNaN(v) {
		return NaT(u.ref.calendar), nil
	}
	whole, fraction := math.Modf(v)
	if math.Abs(whole) < 1<<62 { // false for infinite numbers
		unit := u.unit.nanos()
		n, rest := int64(whole), int64(0)
		if unit < 1e9 { // rest is the number of units after a whole second
			n = floor(n, 1e9/unit) * (1e9 / unit)
			rest = int64(whole) - n
		}
		t, err := u.Time(n)
		if err != nil {
			return Time{}, err
		}
		// float64 represents this number with a precision of better than 0.01 ns, for units of at
		// most a day.
		after := float64(rest*unit) + fraction*float64(unit)
		if t, ok := t.add(0, int64(round(after, resolution*float64(unit)))); ok {
			return t, nil
		}
	}
	return Time{}, fault.Newf(fault.Type, "%v %s is out of the range of the calendar %s", v, u.text, u.ref.calendar)
}

// round rounds a number of nanoseconds to the coarsest of s, ms and µs that has a multiple within
// the resolution of the number, and otherwise to ns.
//
// Numbers that a program computed, such as first + i*step, may be one unit of the resolution away
// from the number that is meant. A unit that is not much coarser than the resolution has a multiple
// within the resolution of every number, so there the limit is half of the resolution.
func round(nanos, resolution float64) float64 {
	for _, unit := range []float64{1e9, 1e6, 1e3} {
		within := resolution
		switch {
		case unit == 1e3 && 2*resolution >= unit:
			return math.RoundToEven(nanos/unit) * unit
		case resolution >= unit:
			continue
		case 4*resolution > unit:
			within = resolution / 2
		}
		if r := math.RoundToEven(nanos/unit) * unit; math.Abs(r-nanos) <= within {
			return r
		}
	}
	return math.RoundToEven(nanos)
}

// Value returns the stored integer of a time in the calendar of the units. For NaT it returns the
// smallest int64. The error is fault.Type if the time is not an integer number of units after the
// reference, or has another calendar.
func (u TimeUnits) Value(t Time) (int64, error) {
	switch {
	case t.calendar != u.ref.calendar:
		return 0, fault.Newf(fault.Type, "the units %q have the calendar %s, the time %v has %s", u.text, u.ref.calendar, t, t.calendar)
	case t.nat:
		return math.MinInt64, nil
	}
	days, nanos := t.day-u.ref.day, t.nano-u.ref.nano
	if u.unit.perDay == 0 {
		if nanos == 0 && days%u.unit.days == 0 {
			return days / u.unit.days, nil
		}
	} else if step := nanosPerDay / u.unit.perDay; nanos%step == 0 {
		high := float64(days) * float64(u.unit.perDay)
		if math.Abs(high) < 1<<62 {
			return days*u.unit.perDay + nanos/step, nil
		}
	}
	return 0, fault.Newf(fault.Type, "%v is not an integer number of %s", t, u.text)
}

// ValueFloat returns the number of units from the reference to a time in the calendar of the units,
// rounded to the nearest float64. For NaT it returns NaN. The error is fault.Type if the time has
// another calendar.
func (u TimeUnits) ValueFloat(t Time) (float64, error) {
	if n, err := u.Value(t); err == nil && n != math.MinInt64 {
		return float64(n), nil
	}
	switch {
	case t.calendar != u.ref.calendar:
		return 0, fault.Newf(fault.Type, "the units %q have the calendar %s, the time %v has %s", u.text, u.ref.calendar, t, t.calendar)
	case t.nat:
		return math.NaN(), nil
	}
	days, nanos := t.day-u.ref.day, t.nano-u.ref.nano
	if u.unit.perDay == 0 {
		return (float64(days) + float64(nanos)/nanosPerDay) / float64(u.unit.days), nil
	}
	// The whole units are exact below 2⁵³, and the rest is less than a unit, so the sum is rounded
	// once to the precision of the result.
	step := u.unit.nanos()
	whole := floor(nanos, step)
	rest := float64(nanos-whole*step) / float64(step)
	if high := float64(days) * float64(u.unit.perDay); math.Abs(high) < 1<<62 {
		return float64(days*u.unit.perDay+whole) + rest, nil
	}
	return float64(days)*float64(u.unit.perDay) + float64(whole) + rest, nil
}
