package cf_test

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/fault"
)

func decode(units, calendar, number string) (string, error) {
	u, err := cf.ParseTimeUnits(units, calendar)
	if err != nil {
		return "", err
	}
	var t cf.Time
	if n, err2 := strconv.ParseInt(number, 10, 64); err2 == nil {
		t, err = u.Time(n)
	} else {
		f, err3 := strconv.ParseFloat(number, 64)
		if err3 != nil {
			return "", err3
		}
		t, err = u.TimeFloat(f)
	}
	return t.String(), err
}

// TestTimes compares decoded times with those of cftime; testdata/generate.py wrote them.
func TestTimes(t *testing.T) {
	text, err := os.ReadFile("testdata/times.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		got, err := decode(f[1], f[0], f[2])
		if err != nil {
			got = "error"
		}
		if got != f[3] {
			t.Errorf("%s %s, %s: %s (%v), want %s", f[2], f[1], f[0], got, err, f[3])
		}
		n++
	}
	if n < 1500 {
		t.Errorf("%d times, want at least 1500", n)
	}
}

// TestDays compares the proleptic Gregorian calendar with package time, and checks in each calendar
// that consecutive days have consecutive dates that exist.
func TestDays(t *testing.T) {
	first := time.Date(-4, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 1_000_000 {
		std := first.AddDate(0, 0, i)
		got := cf.TimeOf(std)
		d := got.Date()
		if y, m, day := std.Date(); d != (cf.Date{Year: y, Month: int(m), Day: day}) {
			t.Fatalf("%v: %v", std, d)
		}
		if back, err := cf.NewTime(cf.ProlepticGregorian, d); err != nil || back != got {
			t.Fatalf("%v: %v, %v", std, back, err)
		}
	}
	for _, name := range []string{"standard", "julian", "noleap", "all_leap", "360_day", "tai"} {
		u, err := cf.ParseTimeUnits("days since 1-1-1", name)
		if err != nil {
			t.Fatal(err)
		}
		last := cf.Time{}
		for i := range int64(800_000) {
			got, err := u.Time(i)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := cf.NewTime(u.Calendar(), got.Date()); err != nil || back != got {
				t.Fatalf("%s, %d: %v, %v, want %v", name, i, back, err, got)
			}
			if n, err := u.Value(got); err != nil || n != i {
				t.Fatalf("%s, %d: %d, %v", name, i, n, err)
			}
			if i > 0 && got.Compare(last) <= 0 {
				t.Fatalf("%s, %d: %v is not after %v", name, i, got, last)
			}
			last = got
		}
	}
}

// TestUnitValues checks numbers of times that are not whole, and times of another calendar.
func TestUnitValues(t *testing.T) {
	u, err := cf.ParseTimeUnits("hours since 2000-01-01", "noleap")
	if err != nil {
		t.Fatal(err)
	}
	half, err := cf.NewTime(cf.NoLeap, cf.Date{Year: 2000, Month: 3, Day: 1, Minute: 30})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := u.Value(half); !errors.Is(err, fault.Type) {
		t.Errorf("half an hour as an integer: %v", err)
	}
	if f, err := u.ValueFloat(half); err != nil || f != 59*24+0.5 {
		t.Errorf("half an hour: %v, %v", f, err)
	}
	for _, of := range []func(cf.Time) error{
		func(x cf.Time) error { _, err := u.Value(x); return err },
		func(x cf.Time) error { _, err := u.ValueFloat(x); return err },
	} {
		if err := of(cf.Time{}); !errors.Is(err, fault.Type) {
			t.Errorf("a time of another calendar: %v", err)
		}
	}
	if n, err := u.Value(cf.NaT(cf.NoLeap)); err != nil || n != math.MinInt64 {
		t.Errorf("NaT: %d, %v", n, err)
	}
	if f, err := u.ValueFloat(cf.NaT(cf.NoLeap)); err != nil || f == f {
		t.Errorf("NaT: %v, %v", f, err)
	}
	last, err := cf.ParseTimeUnits("ns since 0001-01-01", "proleptic_gregorian")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{math.MaxInt64, math.MinInt64 + 1, 0, -1} {
		tm, err := last.Time(n)
		if err != nil {
			t.Fatal(err)
		}
		if abs := max(n, -n); abs > 1<<62 { // Value refuses numbers near the ends of int64
			continue
		}
		if back, err := last.Value(tm); err != nil || back != n {
			t.Errorf("%d ns: %d, %v", n, back, err)
		}
	}
	far, err := cf.NewTime(cf.ProlepticGregorian, cf.Date{Year: 9999, Month: 1, Day: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := last.Value(far); !errors.Is(err, fault.Type) {
		t.Errorf("more nanoseconds than an int64: %v", err)
	}
}

// FuzzTimeUnits checks that any text of units is refused or has a reference time.
func FuzzTimeUnits(f *testing.F) {
	f.Add("days since 2000-01-01", "standard", int64(1), 0.5)
	f.Add("hours since 1-1-1T6:30:0.5 -05:30", "360_day", int64(math.MaxInt64), math.Inf(1))
	f.Add("common_years since 1582-10-10Z", "noleap", int64(math.MinInt64), math.NaN())
	f.Fuzz(func(t *testing.T, units, calendar string, n int64, x float64) {
		u, err := cf.ParseTimeUnits(units, calendar)
		if err != nil {
			if !errors.Is(err, fault.Metadata) && !errors.Is(err, fault.Type) && !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("the error has no kind: %v", err)
			}
			return
		}
		tm, err := u.Time(n)
		if err != nil {
			return
		}
		if v, err := u.Value(tm); err == nil && v != n {
			t.Errorf("%d %s is %v, which is %d", n, units, tm, v)
		}
		if !tm.IsNaT() {
			if back, err := cf.NewTime(u.Calendar(), tm.Date()); err != nil || back != tm {
				t.Errorf("%v: %v, %v", tm, back, err)
			}
		}
		_, _ = u.TimeFloat(x)
	})
}
