package cf_test

import (
	"errors"
	"testing"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestPeriods checks the times that texts of each resolution denote.
func TestPeriods(t *testing.T) {
	for _, k := range []struct {
		text       string
		calendar   cf.Calendar
		first, end string
		resolution cf.Resolution
	}{
		{"2000", cf.Standard, "2000-01-01T00:00:00", "2001-01-01T00:00:00", cf.Year},
		{"2000-02", cf.Standard, "2000-02-01T00:00:00", "2000-03-01T00:00:00", cf.Month},
		{"2000-12", cf.NoLeap, "2000-12-01T00:00:00", "2001-01-01T00:00:00", cf.Month},
		{"2000-02-30", cf.Day360, "2000-02-30T00:00:00", "2000-03-01T00:00:00", cf.Day},
		{"1582-10", cf.Standard, "1582-10-01T00:00:00", "1582-11-01T00:00:00", cf.Month},
		{"1582-10-04", cf.Standard, "1582-10-04T00:00:00", "1582-10-15T00:00:00", cf.Day},
		{"2000-1-3T04", cf.Standard, "2000-01-03T04:00:00", "2000-01-03T05:00:00", cf.Hour},
		{"2000-01-03 23:59", cf.Standard, "2000-01-03T23:59:00", "2000-01-04T00:00:00", cf.Minute},
		{"2000-01-03T04:05:06Z", cf.Standard, "2000-01-03T04:05:06", "2000-01-03T04:05:07", cf.Second},
		{"2000-01-03T04:05:06.5", cf.Standard, "2000-01-03T04:05:06.5", "2000-01-03T04:05:06.500000001", cf.Subsecond},
		{"-0001", cf.ProlepticGregorian, "-001-01-01T00:00:00", "0000-01-01T00:00:00", cf.Year},
		{"20000229", cf.Standard, "2000-02-29T00:00:00", "2000-03-01T00:00:00", cf.Day},
		{"20000229T06", cf.Standard, "2000-02-29T06:00:00", "2000-02-29T07:00:00", cf.Hour},
		{"12345", cf.NoLeap, "12345-01-01T00:00:00", "12346-01-01T00:00:00", cf.Year},
	} {
		p, err := cf.ParsePeriod(k.text, k.calendar)
		if err != nil || p.First.String() != k.first || p.End.String() != k.end || p.Resolution != k.resolution {
			t.Errorf("%s: %v to %v, %v, %v", k.text, p.First, p.End, p.Resolution, err)
		}
	}
	for _, text := range []string{"", "20", "200-01", "2000-", "2000-13", "2001-02-29", "2000-01T04", "2000-01-01T", "2000-01-01T24", "2000-01-01T04:60", "1582-10-10", "2000-01-01T04.5", "x", "2000-01-01T00:00:2020-01-02", "0000", "20001301", "2000022x"} {
		if p, err := cf.ParsePeriod(text, cf.Standard); !errors.Is(err, fault.Selection) {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}
