package cf

import (
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

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
// "2000-02-01T06" one hour. A text with a fraction of a second denotes one nanosecond. The year has
// at least four digits. A date of eight digits, such as "20000201", is a day. The separator of date
// and time is "T" or a blank; a trailing "Z" is ignored. The error is fault.Selection for malformed
// texts and for dates that do not exist in the calendar.
func ParsePeriod(text string, c Calendar) (Period, error) {
	bad := func() (Period, error) {
		return Period{}, fault.Newf(fault.Selection, "%q is not a time of the calendar %s", text, c)
	}
	trimmed := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(text), "Z"), "z")
	sign := 1
	if rest, ok := strings.CutPrefix(trimmed, "-"); ok {
		sign, trimmed = -1, rest
	}
	date, clock := trimmed, ""
	if i := strings.IndexAny(trimmed, "Tt "); i >= 0 {
		if date, clock = trimmed[:i], trimmed[i+1:]; clock == "" {
			return bad()
		}
	}
	fields := strings.Split(date, "-")
	if sign > 0 && len(date) == 8 && len(fields) == 1 {
		fields = []string{date[:4], date[4:6], date[6:]}
	}
	if len(fields) > 3 || len(fields[0]) < 4 || clock != "" && len(fields) != 3 {
		return bad()
	}
	numbers := [3]int{0, 1, 1}
	for i, f := range fields {
		n, ok := digits(f, [...]int{9, 2, 2}[i])
		if !ok {
			return bad()
		}
		numbers[i] = n
	}
	d := Date{Year: sign * numbers[0], Month: numbers[1], Day: numbers[2]}
	p := Period{Resolution: Resolution(len(fields) - 1)} //nolint:gosec // 0 to 2
	if clock != "" {
		if !d.clock(clock) {
			return bad()
		}
		p.Resolution = Hour + Resolution(strings.Count(clock, ":")) //nolint:gosec // at most 2
		if strings.Contains(clock, ".") {
			p.Resolution = Subsecond
		}
	}
	var err error
	if p.First, err = NewTime(c, d); err != nil {
		return bad()
	}
	ok := true
	switch p.Resolution {
	case Year:
		p.End, err = NewTime(c, Date{Year: d.Year + 1, Month: 1, Day: 1})
	case Month:
		next := Date{Year: d.Year + d.Month/12, Month: d.Month%12 + 1, Day: 1}
		p.End, err = NewTime(c, next)
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
	if err != nil || !ok {
		return bad()
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
