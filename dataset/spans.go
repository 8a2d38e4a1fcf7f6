package dataset

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
)

// spans returns the index of a coordinate of time differences, such as numpy's timedelta64.
func spans(dim string, keys []span) index {
	gap := func(k span, t target[span]) uint64 {
		if k < t.first {
			k, t.first = t.first, k
		}
		return uint64(k) - uint64(t.first) //nolint:gosec // two's complement
	}
	return (&values[span]{
		dim: dim, keys: keys, compare: cmp.Compare[span],
		again:    func(keys []span) index { return spans(dim, keys) },
		missing:  func(s span) bool { return s == noSpan },
		distance: func(k span, t target[span]) float64 { return float64(gap(k, t)) },
		nearer:   func(a, b span, t target[span]) bool { return gap(a, t) < gap(b, t) },
		parse: func(label any) (target[span], error) {
			switch l := label.(type) {
			case span:
				return single(l), nil
			case time.Duration:
				return single(span(l)), nil
			case string:
				s, unit, ok := parseSpan(l)
				if !ok {
					return target[span]{}, fault.Newf(fault.Selection, "%q is not a time difference, such as 6h or 1 days 06:00:00", l)
				}
				t := single(s)
				if s <= math.MaxInt64-unit { // as in pandas, a range ends at the end of the smallest unit
					t.to = s + unit - 1
				}
				return t, nil
			}
			return target[span]{}, fault.Newf(fault.Selection, "the labels are time differences, the label is a %T", label)
		},
		print: span.String,
		limit: func(v any) (float64, error) {
			if text, ok := v.(string); ok {
				if s, _, ok := parseSpan(text); ok && s != noSpan {
					return float64(s), nil
				}
			}
			d, err := duration(v)
			return float64(d), err
		},
	}).ordered()
}

// span is a label of a coordinate of time differences, in nanoseconds.
type span int64

// String returns the span as pandas prints it, such as "1 days 06:00:00".
func (s span) String() string {
	if s == noSpan {
		return "NaT"
	}
	days := int64(s) / int64(24*time.Hour)
	rest := int64(s) % int64(24*time.Hour)
	if rest < 0 {
		days, rest = days-1, rest+int64(24*time.Hour)
	}
	sign := ""
	if days < 0 {
		sign = "+"
	}
	sec := rest / 1e9
	text := fmt.Sprintf("%d days %s%02d:%02d:%02d", days, sign, sec/3600, sec/60%60, sec%60)
	if nanos := rest % 1e9; nanos != 0 {
		digits := 9
		if nanos%1e3 == 0 {
			digits = 6
		}
		text += "." + fmt.Sprintf("%09d", nanos)[:digits]
	}
	return text
}

// noSpan is the missing time difference.
const noSpan span = math.MinInt64

// spanUnits has the names of the units of time differences in pandas. The names of one letter and
// "min" are those of numpy.
var spanUnits = []struct {
	names string
	unit  time.Duration
}{
	{"d day days", 24 * time.Hour},
	{"h hr hrs hour hours", time.Hour},
	{"m min mins minute minutes t", time.Minute},
	{"s sec secs second seconds", time.Second},
	{"ms milli millis millisecond milliseconds l", time.Millisecond},
	{"us µs micro micros microsecond microseconds u", time.Microsecond},
	{"ns nano nanos nanosecond nanoseconds n", time.Nanosecond},
}

// parseSpan parses a time difference as pandas prints it, "1 days 06:00:00", a sum of numbers with
// units, "1d6h" or "1.5 hours", or an ISO 8601 duration, "P1DT6H". unit is the smallest unit of the
// value that is not zero, and a day for zero.
func parseSpan(text string) (s, unit span, ok bool) {
	text = strings.TrimSpace(text)
	if text == "NaT" {
		return noSpan, 1, true
	}
	sign := 1.0
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = -1, strings.TrimSpace(rest)
	} else {
		text = strings.TrimSpace(strings.TrimPrefix(text, "+"))
	}
	var total float64 // of small units; exact below 2^53 ns
	var exact int64
	add := func(number string, unit time.Duration) bool {
		if n, err := strconv.ParseInt(number, 10, 64); err == nil {
			if n != 0 && (n > math.MaxInt64/int64(unit) || exact > math.MaxInt64-n*int64(unit)) {
				return false
			}
			exact += n * int64(unit)
			return true
		}
		f, err := strconv.ParseFloat(number, 64)
		total += f * float64(unit)
		return err == nil
	}
	if iso, is := strings.CutPrefix(text, "P"); is {
		days, clock, _ := strings.Cut(iso, "T")
		if days != "" && !strings.HasSuffix(days, "D") { // months and years have no fixed length
			return 0, 0, false
		}
		text = days + clock
	}
	if text == "" {
		return 0, 0, false
	}
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
		if end == 0 || end < 0 { // no digit, or no unit
			return 0, 0, false
		}
		number := text[:end]
		if text[end] == ':' { // the clock is last
			sum, clock := clockOf(text)
			if !clock {
				return 0, 0, false
			}
			exact += sum
			break
		}
		text = strings.TrimLeft(text[end:], " ")
		end = strings.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' || r == ' ' || r == '+' || r == '.' || r == '-' })
		if end < 0 {
			end = len(text)
		}
		u := spanUnit(text[:end])
		if u == 0 || !add(number, u) {
			return 0, 0, false
		}
		negative := sign < 0
		text = strings.TrimSpace(text[end:])
		if rest, plus := strings.CutPrefix(text, "+"); plus && u == 24*time.Hour { // "-1 days +18:00:00"
			text = rest
			if negative {
				exact, total, sign = -exact, -total, 1
			}
		}
	}
	n := exact + int64(math.Round(total))
	if math.Abs(float64(exact)+total) >= 1<<63 {
		return 0, 0, false
	}
	s = span(sign) * span(n)
	unit = span(24 * time.Hour)
	for _, u := range spanUnits {
		if unit = span(u.unit); s%unit == 0 {
			break
		}
	}
	return s, unit, true
}

// spanUnit returns the unit with a name, or 0.
func spanUnit(name string) time.Duration {
	for _, u := range spanUnits {
		for n := range strings.FieldsSeq(u.names) {
			if strings.EqualFold(n, name) {
				return u.unit
			}
		}
	}
	return 0
}

// clockOf parses a clock, "06:30:00.5", and returns it in nanoseconds.
func clockOf(text string) (int64, bool) {
	fields := strings.Split(text, ":")
	if len(fields) != 3 {
		return 0, false
	}
	h, err := strconv.ParseUint(fields[0], 10, 20)
	m, err2 := strconv.ParseUint(fields[1], 10, 6)
	sec, fraction, _ := strings.Cut(fields[2], ".")
	s, err3 := strconv.ParseUint(sec, 10, 6)
	if err != nil || err2 != nil || err3 != nil || m > 59 || s > 59 || len(fraction) > 9 {
		return 0, false
	}
	n := uint64(0)
	if fraction != "" {
		if n, err = strconv.ParseUint(fraction+strings.Repeat("0", 9-len(fraction)), 10, 32); err != nil {
			return 0, false
		}
	}
	return int64((h*3600+m*60+s)*1e9 + n), true //nolint:gosec // h is below 2^20
}
