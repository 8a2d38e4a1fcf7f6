package cf

import (
	"strconv"
	"strings"
)

// parse parses a date with an optional time of day and an optional offset from UTC. It is the only
// parser of times of this module. It accepts a text only if it can interpret all of it. reason
// describes why it refuses the text, and is "" if the text is accepted. Whether the date exists in
// a calendar is checked by parsed.time.
//
// The date is a year, a year and a month, or a year, a month and a day, separated by hyphens; or
// eight digits. A year without a hyphen after it has at most five digits unless it has a sign. Six
// digits are a year and a month. The time of day has the form h, h:m, h:m:s or h:m:s.f, or has four
// or six digits. An offset is Z, UTC, GMT, or a sign with h, h:m or hhmm.
func parse(text string, d dialect) (p parsed, reason string) {
	s := scanner{text: strings.TrimSpace(text)}
	p.Month, p.Day = 1, 1
	if !s.date(&p, d) {
		return p, "its date is malformed"
	}
	blanks := s.blanks()
	if s.done() {
		return p, ""
	}
	if d == udunits && blanks && s.zone(&p, false) && s.done() {
		return p, ""
	}
	switch {
	case p.resolution < Day:
		return p, "a time of day follows an incomplete date"
	case !blanks && !s.skip("Tt"):
		return p, "its date is malformed"
	case !blanks && d == udunits:
		s.blanks()
	}
	if reason = s.clock(&p, d); reason != "" {
		return p, reason
	}
	blanks = s.blanks()
	if !s.done() && !s.zone(&p, blanks && d == udunits) {
		return p, "its offset from UTC is malformed"
	}
	if !s.done() {
		return p, "text follows the time"
	}
	return p, ""
}

// dialect determines which texts of times are accepted.
type dialect uint8

// parsed is the content of a text that denotes a time.
type parsed struct {
	Date
	resolution Resolution
	offset     int // minutes by which the clock is ahead of UTC
}

// time returns the time in UTC. reason is "" unless the calendar does not have the date.
func (p parsed) time(c Calendar) (t Time, reason string) {
	if t, reason = newTime(c, p.Date); reason != "" {
		return Time{}, reason
	}
	t, ok := t.add(0, -int64(p.offset)*60e9)
	if !ok {
		return Time{}, outOfRange
	}
	return t, ""
}

const (
	// iso accepts ISO 8601: a year of at least four digits, and an offset from UTC only after a
	// time of day.
	iso dialect = iota
	// udunits also accepts years of fewer digits, offsets without a time of day or a sign, and a
	// decimal point without digits.
	udunits
)

// scanner reads a text from left to right.
type scanner struct {
	text string
	at   int
}

func (s *scanner) done() bool { return s.at == len(s.text) }

// skip skips one of some characters.
func (s *scanner) skip(any string) bool {
	if s.done() || strings.IndexByte(any, s.text[s.at]) < 0 {
		return false
	}
	s.at++
	return true
}

// blanks skips blanks. It reports whether there were any.
func (s *scanner) blanks() bool {
	from := s.at
	for s.skip(" \t") {
	}
	return s.at > from
}

// digits returns the following decimal digits.
func (s *scanner) digits() string {
	from := s.at
	for s.skip("0123456789") {
	}
	return s.text[from:s.at]
}

// number reads a number of at most two digits.
func (s *scanner) number(to *int) bool {
	text := s.digits()
	*to, _ = strconv.Atoi(text)
	return len(text) == 1 || len(text) == 2
}

// date reads a date.
func (s *scanner) date(p *parsed, d dialect) bool {
	negative, signed := false, false
	if s.text != "" {
		negative, signed = s.text[0] == '-', s.skip("+-")
	}
	year := s.digits()
	hyphen := s.skip("-")
	compact := !signed && !hyphen
	switch {
	case compact && len(year) == 8:
		p.Month, p.Day, p.resolution = decimal(year[4:6]), decimal(year[6:]), Day
		year = year[:4]
	case compact && len(year) == 6 && d == iso:
		p.Month, p.resolution = decimal(year[4:]), Month
		year = year[:4]
	case compact && len(year) > 5, len(year) == 0, len(year) > 10, d == iso && len(year) < 4:
		return false
	}
	if p.Year = decimal(year); negative {
		p.Year = -p.Year
	}
	if !hyphen {
		return true
	}
	p.resolution = Month
	if !s.number(&p.Month) {
		return false
	}
	if s.skip("-") {
		p.resolution = Day
		return s.number(&p.Day)
	}
	return true
}

// decimal returns the value of at most ten decimal digits.
func decimal(digits string) int {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return int(min(n, 2*maxYear)) // fits an int of 32 bits
}

// clock reads a time of day. It returns the reason if there is none.
func (s *scanner) clock(p *parsed, d dialect) (reason string) {
	const malformed = "its time of day is malformed"
	first := s.digits()
	p.resolution = Hour
	switch len(first) {
	case 1, 2:
		p.Hour = decimal(first)
		if s.skip(":") {
			if p.resolution = Minute; !s.number(&p.Minute) {
				return malformed
			}
			if s.skip(":") {
				if p.resolution = Second; !s.number(&p.Second) {
					return malformed
				}
			}
		}
	case 4, 6:
		p.Hour, p.Minute, p.resolution = decimal(first[:2]), decimal(first[2:4]), Minute
		if len(first) == 6 {
			p.Second, p.resolution = decimal(first[4:]), Second
		}
	default:
		return malformed
	}
	if p.resolution < Second || !s.skip(".") {
		return ""
	}
	fraction := s.digits()
	if fraction == "" {
		if d == udunits {
			return ""
		}
		return malformed
	}
	p.resolution = Subsecond
	if len(fraction) > 9 {
		if strings.Trim(fraction[9:], "0") != "" {
			return "it is finer than a nanosecond"
		}
		fraction = fraction[:9]
	}
	p.Nanosecond = decimal(fraction)
	for range 9 - len(fraction) {
		p.Nanosecond *= 10
	}
	return ""
}

// zone reads an offset from UTC. If unsigned is true, the sign of an offset with a colon is
// optional. Without an offset, zone does not move.
func (s *scanner) zone(p *parsed, unsigned bool) bool {
	rest := s.text[s.at:]
	switch strings.ToLower(rest) {
	case "z", "utc", "gmt":
		s.at = len(s.text)
		return true
	}
	from := s.at
	negative := strings.HasPrefix(rest, "-")
	signed := s.skip("+-")
	hours, minutes := s.digits(), ""
	colon := s.skip(":")
	if colon {
		minutes = s.digits()
	} else if len(hours) > 2 {
		hours, minutes = hours[:len(hours)-2], hours[len(hours)-2:]
	}
	p.offset = 60*decimal(hours) + decimal(minutes)
	if negative {
		p.offset = -p.offset
	}
	ok := (signed || unsigned && colon) && (len(hours) == 1 || len(hours) == 2) && len(minutes) <= 2 && decimal(hours) < 24 && decimal(minutes) < 60
	if !ok || colon && minutes == "" {
		s.at, p.offset = from, 0
		return false
	}
	return true
}
