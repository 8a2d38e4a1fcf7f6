package cf

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Time is a time in a calendar, with a resolution of a nanosecond. Every day has 86,400 s. The
// zero value is 1970-01-01 00:00 in Standard. Times of one calendar may be compared with ==.
type Time struct {
	calendar Calendar
	nat      bool
	day      int64 // since 1970-01-01
	nano     int64 // of the day
}

// NaT is a missing time.
func NaT(c Calendar) Time { return Time{calendar: c, nat: true} }

// MarshalJSON returns the time as a JSON string in the form of String, and null for NaT.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.nat {
		return []byte("null"), nil
	}
	return []byte(`"` + t.String() + `"`), nil
}

// Date is a date and a time of day. Month and Day start at 1. The year before 1 is -1 in Standard
// and Julian, and 0 in the other calendars.
type Date struct {
	Year, Month, Day, Hour, Minute, Second, Nanosecond int
}

// maxYear and maxDays bound the times, so that no sum of days overflows.
const (
	maxYear = 1_000_000_000
	maxDays = maxYear * 360
)

// NewTime returns the time of a date in a calendar. The error is fault.Type if the date does not
// exist in the calendar, such as February 30 in NoLeap and the year 0 in Standard, or is more than
// 360·10⁹ days from 1970-01-01.
func NewTime(c Calendar, d Date) (Time, error) {
	t, reason := newTime(c, d)
	if reason != "" {
		return Time{}, fault.Newf(fault.Type, "%s %s %s", d, reason, c)
	}
	return t, nil
}

// Reasons why a calendar does not have a date.
const (
	notADate   = "does not exist in the calendar"
	outOfRange = "is out of the range of the calendar"
)

// newTime is NewTime. It returns a reason instead of an error.
func newTime(c Calendar, d Date) (t Time, reason string) {
	switch {
	case d.Year < -2*maxYear || d.Year > 2*maxYear:
		return Time{}, outOfRange
	case !c.valid(d.Year, d.Month, d.Day),
		d.Hour < 0, d.Hour > 23, d.Minute < 0, d.Minute > 59, d.Second < 0, d.Second > 59, d.Nanosecond < 0, d.Nanosecond > 999_999_999:
		return Time{}, notADate
	}
	day := c.day(c.counted(d.Year), d.Month, d.Day)
	if day < -maxDays || day > maxDays {
		return Time{}, outOfRange
	}
	return Time{calendar: c, day: day, nano: (int64(d.Hour)*3600+int64(d.Minute)*60+int64(d.Second))*1e9 + int64(d.Nanosecond)}, ""
}

// TimeOf returns the time with the date and clock of t in UTC, in ProlepticGregorian.
func TimeOf(t time.Time) Time {
	s := t.Unix()
	day := floor(s, 86400)
	return Time{calendar: ProlepticGregorian, day: day, nano: (s-day*86400)*1e9 + int64(t.Nanosecond())}
}

// Calendar returns the calendar of the time.
func (t Time) Calendar() Calendar { return t.calendar }

// IsNaT reports whether the time is missing.
func (t Time) IsNaT() bool { return t.nat }

// Date returns the date of the time. It is the zero Date for NaT.
func (t Time) Date() Date {
	if t.nat {
		return Date{}
	}
	var d Date
	d.Year, d.Month, d.Day = t.calendar.date(t.day)
	d.Year = t.calendar.named(d.Year)
	s := t.nano / 1e9
	d.Hour, d.Minute, d.Second, d.Nanosecond = int(s/3600), int(s/60%60), int(s%60), int(t.nano%1e9)
	return d
}

// Std returns the time.Time in UTC that has the same date and time of day. It reports false for NaT
// and for dates that differ between the calendar and the proleptic Gregorian one: Standard before
// 1582-10-15, and all dates of Julian, NoLeap, AllLeap, Day360 and TAI.
func (t Time) Std() (time.Time, bool) {
	switch {
	case t.nat, t.calendar == Standard && t.day+epochGregorian < firstGregorian:
		return time.Time{}, false
	case t.calendar != Standard && t.calendar != ProlepticGregorian:
		return time.Time{}, false
	}
	return time.Unix(t.day*86400+t.nano/1e9, t.nano%1e9).UTC(), true
}

// Compare returns -1, 0 or 1 if t is before, at or after u. Both must have the same calendar. NaT
// is before all other times.
func (t Time) Compare(u Time) int {
	if t.nat || u.nat {
		return cmp.Compare(bit(!t.nat), bit(!u.nat))
	}
	return cmp.Or(cmp.Compare(t.day, u.day), cmp.Compare(t.nano, u.nano))
}

// Sub returns t - u in seconds. Both must have the same calendar. The result is NaN if t or u is
// NaT.
func (t Time) Sub(u Time) float64 {
	if t.nat || u.nat {
		return math.NaN()
	}
	return float64(t.day-u.day)*86400 + float64(t.nano-u.nano)/1e9
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add returns t plus a number of days and a number of nanoseconds. It reports false if the result
// is out of range. days is at most 2⁶².
func (t Time) add(days, nanos int64) (Time, bool) {
	t.nano += nanos % nanosPerDay
	t.day += days + nanos/nanosPerDay
	if t.nano < 0 {
		t.nano, t.day = t.nano+nanosPerDay, t.day-1
	} else if t.nano >= nanosPerDay {
		t.nano, t.day = t.nano-nanosPerDay, t.day+1
	}
	return t, t.day >= -maxDays && t.day <= maxDays
}

// String returns the time as an ISO 8601 date and time. It omits a fraction of a second that is
// zero. For NaT it returns "NaT".
func (t Time) String() string {
	if t.nat {
		return "NaT"
	}
	return t.Date().String()
}

// String returns an ISO 8601 date and time, such as 2000-02-30T06:00:00. The year has at least four
// digits, after a minus sign if it is negative.
func (d Date) String() string {
	sign, year := "", d.Year
	if year < 0 {
		sign, year = "-", -year
	}
	s := fmt.Sprintf("%s%04d-%02d-%02dT%02d:%02d:%02d", sign, year, d.Month, d.Day, d.Hour, d.Minute, d.Second)
	if d.Nanosecond != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%09d", d.Nanosecond), "0")
	}
	return s
}
