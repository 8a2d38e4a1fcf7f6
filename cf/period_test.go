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
		{"-0001", cf.ProlepticGregorian, "-0001-01-01T00:00:00", "0000-01-01T00:00:00", cf.Year},
		{"-0001", cf.Standard, "-0001-01-01T00:00:00", "0001-01-01T00:00:00", cf.Year},
		{"-0001-12", cf.Julian, "-0001-12-01T00:00:00", "0001-01-01T00:00:00", cf.Month},
		{"0000-12", cf.NoLeap, "0000-12-01T00:00:00", "0001-01-01T00:00:00", cf.Month},
		{"2000-01-03T04:05:06.000000000", cf.Standard, "2000-01-03T04:05:06", "2000-01-03T04:05:06.000000001", cf.Subsecond},
		{"2000-01-03T04:05:06.12345678900", cf.Standard, "2000-01-03T04:05:06.123456789", "2000-01-03T04:05:06.12345679", cf.Subsecond},
		{"20000103T0405", cf.Standard, "2000-01-03T04:05:00", "2000-01-03T04:06:00", cf.Minute},
		{"20000103T040506", cf.Standard, "2000-01-03T04:05:06", "2000-01-03T04:05:07", cf.Second},
		{"200001", cf.NoLeap, "2000-01-01T00:00:00", "2000-02-01T00:00:00", cf.Month},
		{"02000-01-01", cf.Standard, "2000-01-01T00:00:00", "2000-01-02T00:00:00", cf.Day},
		{"+12000-01-01", cf.Standard, "12000-01-01T00:00:00", "12000-01-02T00:00:00", cf.Day},
		{"120001-01", cf.Standard, "120001-01-01T00:00:00", "120001-02-01T00:00:00", cf.Month},
		{"2000-01-01T00:30:00+01:00", cf.Standard, "1999-12-31T23:30:00", "1999-12-31T23:30:01", cf.Second},
		{"2000-01-01T00-0530", cf.Standard, "2000-01-01T05:30:00", "2000-01-01T06:30:00", cf.Hour},
		{" 2000-01-01 06:00:00 UTC ", cf.Standard, "2000-01-01T06:00:00", "2000-01-01T06:00:01", cf.Second},
		{"20000229", cf.Standard, "2000-02-29T00:00:00", "2000-03-01T00:00:00", cf.Day},
		{"20000229T06", cf.Standard, "2000-02-29T06:00:00", "2000-02-29T07:00:00", cf.Hour},
		{"12345", cf.NoLeap, "12345-01-01T00:00:00", "12346-01-01T00:00:00", cf.Year},
	} {
		p, err := cf.ParsePeriod(k.text, k.calendar)
		if err != nil || p.First.String() != k.first || p.End.String() != k.end || p.Resolution != k.resolution {
			t.Errorf("%s: %v to %v, %v, %v", k.text, p.First, p.End, p.Resolution, err)
		}
	}
	for _, text := range []string{
		"", "20", "200-01", "2000-", "2000-13", "2001-02-29", "2000-01T04", "2000-01-01T", "2000-01-01T24", "2000-01-01T24:00", "2000-01-01T04:60",
		"2000-01-01T23:59:60", "1582-10-10", "2000-01-01T04.5", "x", "2000-01-01T00:00:2020-01-02", "0000", "0000-12-31", "20001301", "2000022x",
		"2000-01-01T00:00:00.000000000:2000-01-01T03:00:00.000000000", "2000-01-01T00:00:00.0000000001", "2000-01-01T00:00:00.", "2000-01-01T00:00:00.1x",
		"2000-01-01+01:00", "2000-01-01T00+24:00", "2000-01-01T00+1:60", "2000-01-01T00:00 0:00", "2000-01-01T00:00:00Z!", "2000-01-01T00:00:00 UTC+1",
		"2000-01-01T000", "2000-01-01T00000", "2000-01-01T04:0506", "2000001", "123456789", "--2000", "1000000001-01-01", "99999999999-01-01", "2000--01", "2000-01-01-01",
	} {
		if p, err := cf.ParsePeriod(text, cf.Standard); !errors.Is(err, fault.Selection) {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
}

// TestReferences compares reference dates with those of cftime, or of xarray where cftime refuses
// dates without hyphens.
func TestReferences(t *testing.T) {
	for _, k := range []struct{ date, want string }{
		{"19000101", "1900-01-01T00:00:00"}, {"19000101T06", "1900-01-01T06:00:00"}, {"19000101 06:30", "1900-01-01T06:30:00"},
		{"19000101T063000", "1900-01-01T06:30:00"}, {"2000-01-01 0630", "2000-01-01T06:30:00"}, {"1900-01", "1900-01-01T00:00:00"}, {"1900", "1900-01-01T00:00:00"},
		{"1900-01-01T00:00:00.000000000", "1900-01-01T00:00:00"}, {"2000-01-01 00:00:00.123456789", "2000-01-01T00:00:00.123456789"},
		{"-5-01-01", "-0005-01-01T00:00:00"}, {"12000-01-01", "12000-01-01T00:00:00"}, {"2000-1-1 0:0:0 0:00", "2000-01-01T00:00:00"},
		{"2000-01-01 00:00:00-05", "2000-01-01T05:00:00"}, {"2000-01-01T00:00:00+14:00", "1999-12-31T10:00:00"},
	} {
		u, err := cf.ParseTimeUnits("days since "+k.date, "standard")
		if err != nil || u.Reference().String() != k.want {
			t.Errorf("%s: %v, %v, want %s", k.date, u.Reference(), err, k.want)
		}
	}
	for _, date := range []string{
		"2001-02-29", "2000-13-01", "0000-01-01", "1582-10-10", "2000-01-01 24:00", "2000-01-01 23:59:60", "2000-01-01 25:00", "200001", "1234567", "19001301",
		"2000/01/01", "1900-001", "1 January 1900", "2000-01-01garbage", "2000-01-01 00:00:00 xyz", "2000-01-01T00:00:00.0000000001", "2000-01-01T", "",
	} {
		if u, err := cf.ParseTimeUnits("days since "+date, "standard"); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s: %v, %v", date, u.Reference(), err)
		}
	}
}

// FuzzPeriods checks that the text of a time denotes that time, in every calendar, and that no text
// is accepted of which only a part is a time.
func FuzzPeriods(f *testing.F) {
	f.Add("2000-01-01T00:00:00.000000000", int64(730000), int64(1))
	f.Add("-0001-12-31 23:59", int64(-800_000), int64(86400e9-1))
	f.Add("20000101T0630+0100", int64(360e9), int64(0))
	f.Fuzz(func(t *testing.T, text string, day, nano int64) {
		for _, c := range []cf.Calendar{cf.Standard, cf.ProlepticGregorian, cf.Julian, cf.NoLeap, cf.AllLeap, cf.Day360, cf.TAI} {
			u, err := cf.ParseTimeUnits("days since 1970-01-01", c.String())
			if err != nil {
				t.Fatal(err)
			}
			ns, err := cf.ParseTimeUnits("ns since 1970-01-01", c.String())
			if err != nil {
				t.Fatal(err)
			}
			for _, of := range []func() (cf.Time, error){
				func() (cf.Time, error) { return u.Time(day % 360e9) },
				func() (cf.Time, error) { return ns.Time(nano) },
			} {
				at, err := of()
				if err != nil || at.IsNaT() {
					continue
				}
				if p, err := cf.ParsePeriod(at.String(), c); err == nil && p.First != at {
					t.Errorf("%v in %v is parsed as %v", at, c, p.First)
				} else if last := at.Date().Year; err != nil && last < 985_000_000 {
					t.Errorf("%v in %v: %v", at, c, err)
				}
			}
			p, err := cf.ParsePeriod(text, c)
			if err != nil {
				if !errors.Is(err, fault.Selection) {
					t.Errorf("%q: %v", text, err)
				}
				continue
			}
			if q, err := cf.ParsePeriod(p.First.String(), c); err != nil || q.First != p.First {
				t.Errorf("%q is %v, which is parsed as %v, %v", text, p.First, q.First, err)
			}
			if p.End.Compare(p.First) <= 0 {
				t.Errorf("%q ends at %v", text, p.End)
			}
			for _, more := range []string{" x", "!", ":", ":2000-01-01T00", ".000000000:2000-01-01", "\x00", "é", "T", "--"} {
				if q, err := cf.ParsePeriod(text+more, c); err == nil {
					t.Errorf("%q is parsed as %v", text+more, q.First)
				}
			}
		}
	})
}
