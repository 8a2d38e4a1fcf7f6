package cf

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
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

// Date is a date and a time of day. Month and Day start at 1.
type Date struct {
	Year, Month, Day, Hour, Minute, Second, Nanosecond int
}

// maxYear bounds the years of a Time, so that no sum of days overflows.
const maxYear = 1_000_000_000

// NewTime returns the time of a date in a calendar. The error is fault.Type if the date does not
// exist in the calendar, such as February 30 in NoLeap, or its year is more than 10⁹ years from 0.
func NewTime(c Calendar, d Date) (Time, error) {
	if d.Year < -maxYear || d.Year > maxYear || !c.valid(d.Year, d.Month, d.Day) ||
		d.Hour < 0 || d.Hour > 23 || d.Minute < 0 || d.Minute > 59 || d.Second < 0 || d.Second > 59 || d.Nanosecond < 0 || d.Nanosecond > 999_999_999 {
		return Time{}, fault.Newf(fault.Type, "%s does not exist in the calendar %s", d, c)
	}
	return Time{calendar: c, day: c.day(d.Year, d.Month, d.Day), nano: (int64(d.Hour)*3600+int64(d.Minute)*60+int64(d.Second))*1e9 + int64(d.Nanosecond)}, nil
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

// add returns t plus a number of days and a number of nanoseconds. It reports false if the year of
// the result is out of the calendar's range. days is at most 2⁵⁰.
func (t Time) add(days, nanos int64) (Time, bool) {
	t.nano += nanos % nanosPerDay
	t.day += days + nanos/nanosPerDay
	if t.nano < 0 {
		t.nano, t.day = t.nano+nanosPerDay, t.day-1
	} else if t.nano >= nanosPerDay {
		t.nano, t.day = t.nano-nanosPerDay, t.day+1
	}
	if t.day < -maxYear*360 || t.day > maxYear*360 {
		return Time{}, false
	}
	if t.calendar == Standard || t.calendar == Julian {
		y, _, _ := t.calendar.date(t.day)
		return t, y >= 1
	}
	return t, true
}

// String returns the time as an ISO 8601 date and time. It omits a fraction of a second that is
// zero. For NaT it returns "NaT".
func (t Time) String() string {
	if t.nat {
		return "NaT"
	}
	return t.Date().String()
}

// String returns an ISO 8601 date and time, such as 2000-02-30T06:00:00.
func (d Date) String() string {
	s := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", d.Year, d.Month, d.Day, d.Hour, d.Minute, d.Second)
	if d.Nanosecond != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%09d", d.Nanosecond), "0")
	}
	return s
}

// parseDate parses a date with an optional time of day and an optional offset from UTC, by the
// rules of UDUNITS. It subtracts the offset. Examples are "2000-01-01", "1-1-1 0:0:0.5",
// "2000-01-01T12:00:00Z" and "1990-1-1 00:00 -05:30".
func parseDate(c Calendar, text string) (Time, error) {
	bad := func() (Time, error) { return Time{}, fault.Newf(fault.Metadata, "%q is not a date", text) }
	date, rest := text, ""
	if i := strings.IndexAny(text, "Tt "); i >= 0 {
		date, rest = text[:i], strings.TrimSpace(text[i+1:])
	}
	sign := 1
	if strings.HasPrefix(date, "-") || strings.HasPrefix(date, "+") {
		if date[0] == '-' {
			sign = -1
		}
		date = date[1:]
	}
	fields := strings.Split(date, "-")
	if len(fields) > 3 {
		return bad()
	}
	numbers := [3]int{0, 1, 1}
	for i, f := range fields {
		n, ok := digits(f, 9)
		if !ok {
			return bad()
		}
		numbers[i] = n
	}
	d := Date{Year: sign * numbers[0], Month: numbers[1], Day: numbers[2]}
	clock, zone := rest, ""
	if i := strings.IndexAny(rest, " +-Zz"); i >= 0 {
		clock, zone = rest[:i], strings.TrimSpace(rest[i:])
	} else if strings.EqualFold(rest, "utc") {
		clock, zone = "", rest
	}
	if clock != "" && !d.clock(clock) {
		return bad()
	}
	minutes, ok := offset(zone)
	if !ok {
		return bad()
	}
	t, err := NewTime(c, d)
	if err != nil {
		return Time{}, err
	}
	if t, ok = t.add(0, -int64(minutes)*60e9); !ok {
		return bad()
	}
	return t, nil
}

// clock sets the time of day of d to a text such as "12", "6:30" or "23:59:59.5".
func (d *Date) clock(text string) bool {
	whole, fraction, _ := strings.Cut(text, ".")
	fields := strings.Split(whole, ":")
	if len(fields) > 3 || len(fields) < 3 && strings.Contains(text, ".") {
		return false
	}
	for i, f := range fields {
		n, ok := digits(f, 2)
		if !ok {
			return false
		}
		*[]*int{&d.Hour, &d.Minute, &d.Second}[i] = n
	}
	if fraction == "" {
		return true
	}
	if len(fraction) > 9 {
		fraction = fraction[:9]
	}
	n, ok := digits(fraction, 9)
	for range 9 - len(fraction) {
		n *= 10
	}
	d.Nanosecond = n
	return ok
}

// offset parses an offset from UTC and returns it in minutes. The text is "", "Z", "UTC", "GMT", or
// a form such as "+3", "-05", "+01:00" or "+0100".
func offset(zone string) (minutes int, ok bool) {
	switch strings.ToLower(zone) {
	case "", "z", "utc", "gmt":
		return 0, true
	}
	sign := 1
	switch zone[0] {
	case '-':
		sign = -1
	case '+':
	default:
		return 0, false
	}
	hours, mins, colon := strings.Cut(zone[1:], ":")
	if !colon && len(hours) > 2 {
		hours, mins = hours[:len(hours)-2], hours[len(hours)-2:]
	}
	h, ok := digits(hours, 2)
	m, ok2 := 0, true
	if mins != "" || colon {
		m, ok2 = digits(mins, 2)
	}
	return sign * (60*h + m), ok && ok2 && h < 24 && m < 60
}

// digits parses a decimal number with at least one digit. most is the maximum number of digits.
func digits(s string, most int) (int, bool) {
	if s == "" || len(s) > most || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
