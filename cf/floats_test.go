package cf_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// decodeFloat decodes one stored number, and encodes the time again.
func decodeFloat[S float32 | float64](c *cf.Coding, number float64) (at cf.Time, back float64, err error) {
	times, again := make([]cf.Time, 1), make([]S, 1)
	if err = cf.DecodeTimes(c, times, []S{S(number)}); err == nil {
		err = cf.EncodeTimes(c, again, times)
	}
	return times[0], float64(again[0]), err
}

// TestFloatTimes compares times of floating-point numbers with the times that they mean, and with
// those of cftime and xarray; testdata/generate_floats.py wrote them. cftime rounds to µs, and
// xarray to a float64 of nanoseconds, so their times may differ by the spacing of the numbers.
func TestFloatTimes(t *testing.T) {
	text, err := os.ReadFile("testdata/floats.txt")
	if err != nil {
		t.Fatal(err)
	}
	exact, same, n := 0, 0, 0
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		typ, number := dtype.Type(dtype.Float64), 0.0
		if f[2] == "float32" {
			typ = dtype.Float32
		}
		if number, err = strconv.ParseFloat(f[3], 64); err != nil {
			t.Fatal(err)
		}
		c := attributed(t, typ, map[string]any{"units": f[1], "calendar": f[0]})
		u, _ := c.Units()
		var got cf.Time
		var back float64
		spacing := math.Nextafter(math.Abs(number), math.Inf(1)) - math.Abs(number)
		if typ == dtype.Float32 {
			got, back, err = decodeFloat[float32](c, number)
			spacing *= 1 << 29
		} else {
			got, back, err = decodeFloat[float64](c, number)
		}
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(f[1], " ")
		unit := map[string]float64{"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6}[name]
		seconds := spacing * unit
		if math.Abs(back-number) > max(spacing, 1e-9/unit) {
			t.Errorf("%s is encoded as %v", line, back)
		}
		for i, other := range f[4:] {
			if other == "" {
				continue
			}
			p, err := cf.ParsePeriod(other, u.Calendar())
			if err != nil {
				t.Fatal(err)
			}
			limit := max(seconds, 1e-6)
			switch {
			case i == 0 && seconds < 2e-5 && !strings.Contains(other, "."):
				limit = 0 // a whole second
			case i == 0 && seconds < 2e-5:
				limit = 1e-12
			}
			if apart := math.Abs(got.Sub(p.First)); apart > limit*1.001 {
				t.Errorf("%s: %v is %v s from %s, more than %v", line, got, apart, other, limit)
			}
			if r := c.Rounded(p.First); i > 0 && r != got && math.Abs(r.Sub(got)) > max(1.001e-6, seconds) {
				t.Errorf("%s: the label %s is rounded to %v, the time is %v", line, other, r, got)
			} else if i == 1 && r != got && seconds > 1e-6 {
				t.Errorf("%s: cftime's label %s is rounded to %v, the time is %v", line, other, r, got)
			}
			if i == 0 {
				n++
				exact += count(got.String() == other)
				same += count(f[5] == other)
			}
		}
	}
	t.Logf("%d of %d times exact; cftime: %d", exact, n, same)
	if n < 700 || exact <= same {
		t.Errorf("%d of %d times are exact, in cftime %d", exact, n, same)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestHours checks that hours of days are exact, and that packed numbers and sums with errors of
// the computation mean the same times.
func TestHours(t *testing.T) {
	for _, k := range []struct {
		name   string
		attrs  map[string]any
		number func(hour int) float64
	}{
		{"days", map[string]any{"units": "days since 1900-01-01"}, func(h int) float64 { return 36524 + float64(h)/24 }},
		{"sums", map[string]any{"units": "days since 1900-01-01"}, func(h int) float64 { return 36524 + float64(h)*(1./24) }},
		{"year 1", map[string]any{"units": "days since 0001-01-01", "calendar": "proleptic_gregorian"}, func(h int) float64 { return 730119 + float64(h)/24 }},
		{"packed", map[string]any{"units": "days since 1900-01-01", "scale_factor": 1. / 24, "add_offset": 36524.0}, func(h int) float64 { return float64(h) }},
	} {
		c := attributed(t, dtype.Float64, k.attrs)
		for h := range 500 {
			want := fmt.Sprintf("2000-01-%02dT%02d:00:00", 1+h/24, h%24)
			at := make([]cf.Time, 1)
			succeed(t, cf.DecodeTimes(c, at, []float64{k.number(h)}))
			if d := at[0].Date(); h < 31*24 && at[0].String() != want || d.Minute+d.Second+d.Nanosecond != 0 {
				t.Errorf("%s, hour %d: %v, want %s", k.name, h, at[0], want)
			}
		}
	}
	c := attributed(t, dtype.Int32, map[string]any{"units": "hours since 1900-01-01", "scale_factor": 0.1})
	for i := range int32(5000) {
		at := make([]cf.Time, 1)
		succeed(t, cf.DecodeTimes(c, at, []int32{876500 + i}))
		if d := at[0].Date(); d.Minute%6+d.Second+d.Nanosecond != 0 {
			t.Errorf("packed %d: %v", i, at[0])
		}
	}
}
