package cf

import "github.com/zargo-io/zargo/zarr/fault"

// Resolution is the precision of a text that denotes a time.
type Resolution uint8

// Resolutions, from coarse to fine.
const (
	Year Resolution = iota
	Month
	Day
	Hour
	Minute
	Second
	Subsecond
)

// Period is a range of times, from First up to but not including End.
type Period struct {
	First, End Time
	Resolution Resolution
}

// Last returns the last time of the period.
func (p Period) Last() Time {
	t, _ := p.End.add(0, -1)
	return t
}

// ParsePeriod parses an ISO 8601 date in a calendar, with an optional time of day, and returns the
// period that the text denotes. For example, "2000-02" denotes all of February 2000, and
// "2000-02-01T06" one hour. A text with a fraction of a second denotes one nanosecond.
//
// The year has at least four digits, and may have a sign. A date of eight digits, such as
// "20000201", is a day, and one of six digits a month. The time of day may have four or six digits,
// such as "0630". The separator of date and time is "T" or blanks. An offset from UTC, such as "Z"
// or "+01:00", may follow a time of day, and is subtracted. The error is fault.Selection for
// malformed texts, texts with anything after the time, dates that do not exist in the calendar,
// and fractions finer than a nanosecond.
func ParsePeriod(text string, c Calendar) (Period, error) {
	d, reason := parse(text, iso)
	if reason != "" {
		return Period{}, fault.Newf(fault.Selection, "%q is not a time: %s", text, reason)
	}
	p := Period{Resolution: d.resolution}
	if p.First, reason = d.time(c); reason != "" {
		return Period{}, fault.Newf(fault.Selection, "%q is not a time: it %s %s", text, reason, c)
	}
	after := func(year int) int { return c.named(c.counted(year) + 1) }
	ok := true
	switch p.Resolution {
	case Year:
		p.End, reason = newTime(c, Date{Year: after(d.Year), Month: 1, Day: 1})
	case Month:
		next := Date{Year: d.Year, Month: d.Month + 1, Day: 1}
		if d.Month == 12 {
			next.Year, next.Month = after(d.Year), 1
		}
		p.End, reason = newTime(c, next)
	case Day:
		p.End, ok = p.First.add(1, 0)
	case Hour:
		p.End, ok = p.First.add(0, 3600e9)
	case Minute:
		p.End, ok = p.First.add(0, 60e9)
	case Second:
		p.End, ok = p.First.add(0, 1e9)
	default:
		p.End, ok = p.First.add(0, 1)
	}
	if reason != "" || !ok {
		return Period{}, fault.Newf(fault.Selection, "the end of %q %s %s", text, outOfRange, c)
	}
	return p, nil
}

// ResolutionOf returns the coarsest resolution, among Day and the finer ones, that represents all
// times exactly. It ignores NaT.
func ResolutionOf(times []Time) Resolution {
	r := Day
	for _, t := range times {
		for !t.nat && r < Subsecond && t.nano%[...]int64{Day: nanosPerDay, Hour: 3600e9, Minute: 60e9, Second: 1e9}[r] != 0 {
			r++
		}
	}
	return r
}
