package dataset

import (
	"math"

	"github.com/zargo-io/zargo/cf"
)

// Period determines which times are in one group.
type Period uint8

// Periods of consecutive times, each with the first time as its label, and periods that recur, with
// numbers or names as labels. The seasons are December to February, March to May, June to August,
// and September to November.
const (
	Year Period = iota + 1
	Season
	Month
	Day
	Hour
	MonthOfYear  // 1 to 12
	DayOfYear    // 1 to 366
	SeasonOfYear // DJF, JJA, MAM, SON
	HourOfDay    // 0 to 23
)

var periodNames = [...]string{"", "year", "season", "month", "day", "hour", "monthofyear", "dayofyear", "seasonofyear", "hourofday"}

// String returns the name of the period, such as "month" or "monthofyear".
func (p Period) String() string {
	if int(p) < len(periodNames) {
		return periodNames[p]
	}
	return "unknown"
}

// recurs reports whether the times of a group are not consecutive.
func (p Period) recurs() bool { return p >= MonthOfYear }

// coordinate returns the name of the coordinate with the labels of groups of a dimension.
func (p Period) coordinate(dim string) string {
	return map[Period]string{MonthOfYear: "month", DayOfYear: "dayofyear", SeasonOfYear: "season", HourOfDay: "hour"}[p]
}

// label is the label of the group of a period: a time and the end of its period, a number, or a
// name.
type label struct {
	first, end cf.Time
	number     int
	name       string
}

// seasons are the names of the seasons in the order of their labels.
var seasons = [...]string{"DJF", "JJA", "MAM", "SON"}

// key returns a number that the times of a period share. Consecutive periods have consecutive
// numbers.
func (p Period) key(t cf.Time) int {
	d := t.Date()
	months := astronomical(t.Calendar(), d.Year)*12 + d.Month
	switch p {
	case Year:
		return astronomical(t.Calendar(), d.Year)
	case Season:
		return floorDiv(months, 3)
	case Month:
		return months - 1
	case MonthOfYear:
		return d.Month
	case DayOfYear:
		first, _ := cf.NewTime(t.Calendar(), cf.Date{Year: d.Year, Month: 1, Day: 1})
		return dayOf(t) - dayOf(first) + 1
	case SeasonOfYear:
		return [...]int{0, 2, 1, 3}[d.Month%12/3]
	case HourOfDay:
		return d.Hour
	case Hour:
		return dayOf(t)*24 + d.Hour
	}
	return dayOf(t)
}

// astronomical returns the number of a year in a numbering that has a year 0.
func astronomical(c cf.Calendar, year int) int {
	if year < 0 && (c == cf.Standard || c == cf.Julian) {
		return year + 1
	}
	return year
}

// year is the inverse of astronomical.
func year(c cf.Calendar, n int) int {
	if n < 1 && (c == cf.Standard || c == cf.Julian) {
		return n - 1
	}
	return n
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// epoch returns the day from which dayOf counts in a calendar.
func epoch(c cf.Calendar) cf.Time {
	t, _ := cf.NewTime(c, cf.Date{Year: 2000, Month: 1, Day: 1}) // exists in all calendars
	return t
}

// dayOf returns the number of the day of a time.
func dayOf(t cf.Time) int {
	d := t.Date()
	day, _ := cf.NewTime(t.Calendar(), cf.Date{Year: d.Year, Month: d.Month, Day: d.Day})
	return int(math.Round(day.Sub(epoch(t.Calendar())) / 86400))
}

// label returns the label of the period with a number.
func (p Period) label(key int, times []cf.Time) (label, error) {
	switch p {
	case MonthOfYear, DayOfYear, HourOfDay:
		return label{number: key}, nil
	case SeasonOfYear:
		return label{number: key, name: seasons[key]}, nil
	}
	c := times[0].Calendar()
	first, err := p.start(c, key)
	if err != nil {
		return label{}, err
	}
	end, err := p.start(c, key+1)
	return label{first: first, end: end}, err
}

// start returns the first time of the period with a number.
func (p Period) start(c cf.Calendar, key int) (cf.Time, error) {
	d := cf.Date{Month: 1, Day: 1}
	switch p {
	case Year:
		d.Year = year(c, key)
	case Season:
		d.Year, d.Month = floorDiv(key, 4), (key-4*floorDiv(key, 4))*3
		if d.Month == 0 {
			d.Year, d.Month = d.Year-1, 12
		}
		d.Year = year(c, d.Year)
	case Month:
		d.Year = floorDiv(key, 12)
		d.Month = key - 12*d.Year + 1
		d.Year = year(c, d.Year)
	default:
		unit := "days since 2000-01-01"
		if p == Hour {
			unit = "hours since 2000-01-01"
		}
		u, err := cf.ParseTimeUnits(unit, c.String())
		if err != nil {
			return cf.Time{}, err
		}
		return u.Time(int64(key))
	}
	return cf.NewTime(c, d)
}
