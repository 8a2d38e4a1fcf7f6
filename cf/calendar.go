package cf

import (
	"errors"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Calendar is a calendar of the CF conventions (section 4.4.1). The zero value is Standard, the
// default of the conventions.
type Calendar uint8

const (
	// Standard is the Julian calendar up to 1582-10-04 and the Gregorian calendar from 1582-10-15
	// on. The ten days between them do not exist. Its year before 1 is -1. Its
	// other name is "gregorian".
	Standard Calendar = iota
	// ProlepticGregorian is the Gregorian calendar, extended to dates before 1582. It is the
	// calendar of package time.
	ProlepticGregorian
	// Julian has a leap year every four years. Its year before 1 is -1.
	Julian
	// NoLeap has 365 days in each year. Its other name is "365_day".
	NoLeap
	// AllLeap has 366 days in each year. Its other name is "366_day".
	AllLeap
	// Day360 has twelve months of 30 days.
	Day360
	// TAI has the dates of the Gregorian calendar and counts seconds of International Atomic Time.
	TAI
)

// calendars has the names of each calendar. String returns the first name.
var calendars = [...][]string{
	Standard:           {"standard", "gregorian"},
	ProlepticGregorian: {"proleptic_gregorian"},
	Julian:             {"julian"},
	NoLeap:             {"noleap", "365_day"},
	AllLeap:            {"all_leap", "366_day"},
	Day360:             {"360_day"},
	TAI:                {"tai"},
}

// ParseCalendar returns the calendar with the given name in the CF conventions. It ignores case. An
// empty name stands for Standard.
//
// The error is errors.ErrUnsupported for "utc", which needs a table of leap seconds, and for
// "none", which has no dates. It is fault.Metadata for unknown names.
func ParseCalendar(name string) (Calendar, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	if lower == "" {
		return Standard, nil
	}
	for c, names := range calendars {
		if slices.Contains(names, lower) {
			return Calendar(c), nil
		}
	}
	if lower == "utc" || lower == "none" {
		return 0, fault.Newf(errors.ErrUnsupported, "calendar %q", name)
	}
	return 0, fault.Newf(fault.Metadata, "unknown calendar %q", name)
}

// MarshalText returns the name of the calendar in the CF conventions.
func (c Calendar) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// String returns the name of the calendar in the CF conventions.
func (c Calendar) String() string {
	if int(c) < len(calendars) {
		return calendars[c][0]
	}
	return "invalid calendar"
}

// lengths has the number of days of each month in a year without a leap day.
var lengths = [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// yearZero reports whether the calendar has a year 0.
func (c Calendar) yearZero() bool { return c != Standard && c != Julian }

// counted returns the number of a year if the year 0 is counted in every calendar, and named is its
// inverse. The other methods of Calendar that have a year take or return this number, except valid.
func (c Calendar) counted(year int) int {
	if year < 0 && !c.yearZero() {
		year++
	}
	return year
}

func (c Calendar) named(year int) int {
	if year <= 0 && !c.yearZero() {
		year--
	}
	return year
}

// leap reports whether a year has a leap day.
func (c Calendar) leap(year int) bool {
	switch c {
	case NoLeap, Day360:
		return false
	case AllLeap:
		return true
	case Julian:
		return year%4 == 0
	case Standard:
		if year <= 1582 {
			return year%4 == 0
		}
	}
	return year%4 == 0 && (year%100 != 0 || year%400 == 0)
}

// daysIn returns the number of the last day of a month.
func (c Calendar) daysIn(year, month int) int {
	if c == Day360 {
		return 30
	}
	n := lengths[month-1]
	if month == 2 && c.leap(year) {
		n++
	}
	return n
}

// valid reports whether a date exists in the calendar.
func (c Calendar) valid(year, month, day int) bool {
	switch {
	case month < 1 || month > 12 || day < 1 || day > c.daysIn(c.counted(year), month):
		return false
	case year == 0 && !c.yearZero():
		return false
	case c == Standard && year == 1582 && month == 10:
		return day <= 4 || day >= 15
	}
	return true
}

// The number of days from March 1 of the year 0 to 1970-01-01 and to 1582-10-15, in the Gregorian
// calendar. In the Julian calendar, March 1 of the year 0 is two days earlier.
const (
	epochGregorian = 719468
	epochJulian    = epochGregorian + 2
	firstGregorian = 578041
)

// yearLength returns the number of days of each year in calendars whose years have one length.
func (c Calendar) yearLength() int64 {
	switch c {
	case NoLeap:
		return 365
	case AllLeap:
		return 366
	}
	return 360
}

// day returns the number of days from 1970-01-01 to a date that exists. Standard, Julian and
// ProlepticGregorian count from the same day, which has the date 1969-12-19 in Julian.
func (c Calendar) day(year, month, day int) int64 {
	switch c {
	case NoLeap, AllLeap, Day360:
		n := int64(day - 1)
		for m := 1; m < month; m++ {
			n += int64(c.daysIn(year, m))
		}
		return int64(year-1970)*c.yearLength() + n
	}
	// A year starts in March, so that a leap day is its last day. From March on, five months have
	// 153 days.
	y, m := int64(year), int64(month-3)
	if m < 0 {
		y, m = y-1, m+12
	}
	n := (153*m+2)/5 + int64(day-1) + 365*y + floor(y, 4)
	if c == Julian || c == Standard && (year < 1582 || year == 1582 && (month < 10 || month == 10 && day < 15)) {
		return n - epochJulian
	}
	return n - floor(y, 100) + floor(y, 400) - epochGregorian
}

// date returns the date of a number of days since 1970-01-01. It is the inverse of day.
func (c Calendar) date(n int64) (year, month, day int) {
	switch c {
	case NoLeap, AllLeap, Day360:
		y := floor(n, c.yearLength())
		year, month, day = int(y)+1970, 1, int(n-y*c.yearLength())+1
		for day > c.daysIn(year, month) {
			day -= c.daysIn(year, month)
			month++
		}
		return year, month, day
	}
	var y, rest int64
	if c == Julian || c == Standard && n+epochGregorian < firstGregorian {
		n += epochJulian
		cycle := floor(n, 1461)
		rest = n - 1461*cycle
		last := min(rest/365, 3)
		y, rest = 4*cycle+last, rest-365*last
	} else {
		n += epochGregorian
		cycle := floor(n, 146097)
		rest = n - 146097*cycle
		last := (rest - rest/1460 + rest/36524 - rest/146096) / 365
		y, rest = 400*cycle+last, rest-(365*last+last/4-last/100)
	}
	m := (5*rest + 2) / 153
	day = int(rest-(153*m+2)/5) + 1
	if m >= 10 {
		return int(y) + 1, int(m) - 9, day
	}
	return int(y), int(m) + 3, day
}

// floor returns a/b, rounded down. b is positive.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
