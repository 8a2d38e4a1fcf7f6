package cf_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// attrs parses attributes as package zarr does.
func attrs(t *testing.T, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var m map[string]any
	succeed(t, d.Decode(&m))
	return m
}

func coding(t *testing.T, typ dtype.Type, text string, o cf.Options) *cf.Coding {
	t.Helper()
	c, err := cf.New(cf.Variable{Name: "v", Type: typ, Attrs: attrs(t, text)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// same compares values, of which NaN equals NaN.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// TestSpellings checks the spellings of missing values that xarray does not read, or reads
// differently.
func TestSpellings(t *testing.T) {
	nan := math.NaN()
	for _, k := range []struct {
		name, attrs string
		stored      []float32
		want        []float64
	}{
		{"a decimal that float32 rounds", `{"_FillValue": 1e20}`, []float32{1e20, 1}, []float64{nan, 1}},
		{"base64 of NaN", `{"_FillValue": "AAAAAAAA+H8="}`, []float32{float32(nan), 1}, []float64{nan, 1}},
		{"base64 of -999", `{"_FillValue": "AAAAAAA4j8A="}`, []float32{-999, 1}, []float64{nan, 1}},
		{"bits", `{"_FillValue": "0x40490fdb"}`, []float32{math.Float32frombits(0x40490fdb), 1}, []float64{nan, 1}},
		{"name", `{"_FillValue": "-Infinity"}`, []float32{float32(math.Inf(-1)), 1}, []float64{nan, 1}},
		{"text of a number", `{"missing_value": "-999.0"}`, []float32{-999, 1}, []float64{nan, 1}},
		{"scale as text", `{"scale_factor": "0.5"}`, []float32{3, 1}, []float64{1.5, 0.5}},
		{"scale as a list", `{"scale_factor": [0.5], "add_offset": [1]}`, []float32{3, 1}, []float64{2.5, 1.5}},
	} {
		c := coding(t, dtype.Float32, k.attrs, cf.Options{})
		got := make([]float64, len(k.stored))
		if err := cf.Decode(c, got, k.stored); err != nil || !same(got, k.want) || len(c.Findings()) > 0 {
			t.Errorf("%s: %v, %v, %v, want %v", k.name, got, err, c.Findings(), k.want)
		}
	}
}

// TestIgnored checks that missing values outside the data type are ignored with a finding.
func TestIgnored(t *testing.T) {
	for _, text := range []string{
		`{"_FillValue": 300}`, `{"_FillValue": -1}`, `{"_FillValue": "NaN"}`, `{"_FillValue": 1.5}`, `{"missing_value": [1e20]}`,
		`{"_FillValue": {}}`, `{"_FillValue": 1e1000000}`, `{"_Unsigned": 3}`, `{"_FillValue": "` + strings.Repeat("9", 1000) + `"}`,
	} {
		c := coding(t, dtype.Uint8, text, cf.Options{})
		got := make([]float64, 3)
		if err := cf.Decode(c, got, []uint8{0, 44, 255}); err != nil || !same(got, []float64{0, 44, 255}) || len(c.Findings()) != 1 {
			t.Errorf("%.80s: %v, %v, %v", text, got, err, c.Findings())
		}
	}
}

// TestFill checks in which formats the fill value of the array is missing.
func TestFill(t *testing.T) {
	for _, k := range []struct {
		mode    cf.FillMode
		v2      bool
		missing int
	}{
		{cf.FillV2, true, 1}, {cf.FillV2, false, 0}, {cf.FillNever, true, 0}, {cf.FillAlways, false, 1},
	} {
		c, err := cf.New(cf.Variable{Type: dtype.Int16, Fill: []byte{7, 0}, V2: k.v2}, cf.Options{FillIsMissing: k.mode})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := cf.Missing(c, make([]bool, 2), []int16{7, 8}); err != nil || n != k.missing || c.CanMiss() != (k.missing > 0) {
			t.Errorf("%v: %d, %v", k, n, err)
		}
	}
}

// TestValidRange checks the attributes of the valid range, which count only with the option.
func TestValidRange(t *testing.T) {
	for _, k := range []struct {
		attrs string
		want  []bool
	}{
		{`{"valid_min": 2}`, []bool{true, false, false, false}},
		{`{"valid_max": 2}`, []bool{false, false, true, true}},
		{`{"valid_range": [2, 3]}`, []bool{true, false, false, true}},
		{`{"valid_range": [2, 3], "_Unsigned": "true"}`, []bool{true, false, false, true}},
		{`{"valid_range": 3}`, []bool{false, false, false, false}},
	} {
		for _, on := range []bool{false, true} {
			got, want := make([]bool, 4), k.want
			if !on {
				want = make([]bool, 4)
			}
			c, src := coding(t, dtype.Int8, k.attrs, cf.Options{ValidRange: on}), []int8{1, 2, 3, 100}
			if _, err := cf.Missing(c, got, src); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %v: %v, %v", k.attrs, on, got, err)
			}
			l, err := cf.LoopOf[int8](c)
			succeed(t, err)
			succeed(t, cf.Unify(c, l, src, src))
			for i, m := range want {
				if m != (l.Has && src[i] == l.Missing) {
					t.Errorf("%s, %v: unified to %v by %+v", k.attrs, on, src, l)
				}
			}
		}
	}
}

// TestHalf checks that float16 is decoded from float32 values, and that 65504 rounds to a float16.
func TestHalf(t *testing.T) {
	c := coding(t, dtype.Float16, `{"_FillValue": 0.1}`, cf.Options{})
	got := make([]float32, 2)
	if err := cf.Decode(c, got, []float32{dtype.F16From(0.1).Float32(), 2}); err != nil || got[0] == got[0] || got[1] != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if err := cf.Decode(c, got, []dtype.F16{1, 2}); !errors.Is(err, fault.Type) {
		t.Errorf("values of type F16: %v", err)
	}
}

// TestEncode checks that encoded values decode to the same values, and values that cannot be
// stored.
func TestEncode(t *testing.T) {
	c := coding(t, dtype.Int16, `{"_FillValue": -32768, "missing_value": 9, "scale_factor": 0.5, "add_offset": 10}`, cf.Options{})
	src := []float64{10, 10.5, 9, math.NaN(), 10.2, 16393.5, -16373.5}
	dst := make([]int16, len(src))
	if err := cf.Encode(c, dst, src); err != nil || !slices.Equal(dst, []int16{0, 1, -2, -32768, 0, 32767, -32767}) {
		t.Errorf("%v, %v", dst, err)
	}
	for _, k := range []struct {
		name, attrs string
		value       float64
	}{
		{"over the range", `{}`, 128}, {"below the range", `{}`, -129}, {"infinite", `{}`, math.Inf(1)}, {"NaN without a missing value", `{}`, math.NaN()},
		{"a missing value", `{"_FillValue": 3}`, 3}, {"negative and unsigned", `{"_Unsigned": "true"}`, -1},
	} {
		if err := cf.Encode(coding(t, dtype.Int8, k.attrs, cf.Options{}), make([]int8, 1), []float64{k.value}); !errors.Is(err, fault.Type) || !strings.Contains(err.Error(), "variable v, value 0: ") {
			t.Errorf("%s: %v", k.name, err)
		}
	}
	unsigned := make([]int8, 2)
	if err := cf.Encode(coding(t, dtype.Int8, `{"_Unsigned": "true"}`, cf.Options{}), unsigned, []float64{255, 1}); err != nil || !slices.Equal(unsigned, []int8{-1, 1}) {
		t.Errorf("unsigned: %v, %v", unsigned, err)
	}
}

// TestRefused checks the errors of attributes and of values.
func TestRefused(t *testing.T) {
	for _, k := range []struct {
		name, attrs string
		typ         dtype.Type
		kind        error
	}{
		{"text", `{}`, dtype.String, fault.Type},
		{"complex", `{}`, dtype.Complex64, fault.Type},
		{"scale", `{"scale_factor": "half"}`, dtype.Int8, fault.Metadata},
		{"offset", `{"add_offset": [1, 2]}`, dtype.Int8, fault.Metadata},
		{"calendar utc", `{"units": "days since 2000-01-01", "calendar": "utc"}`, dtype.Int8, errors.ErrUnsupported},
		{"month_lengths", `{"units": "days since 2000-01-01", "month_lengths": [34, 31, 32, 30, 29, 27, 28, 28, 28, 32, 32, 34]}`, dtype.Int8, errors.ErrUnsupported},
		{"calendar", `{"units": "days since 2000-01-01", "calendar": "mayan"}`, dtype.Int8, fault.Metadata},
		{"weeks", `{"units": "weeks since 2000-01-01"}`, dtype.Int8, errors.ErrUnsupported},
		{"date", `{"units": "days since 2001-02-29"}`, dtype.Int8, fault.Metadata},
		{"no date", `{"units": "days since"}`, dtype.Int8, fault.Metadata},
		{"epoch", `{"units": "seconds since epoch"}`, dtype.Int8, fault.Metadata},
		{"year 0", `{"units": "days since 0-1-1"}`, dtype.Int8, fault.Metadata},
	} {
		if _, err := cf.New(cf.Variable{Name: "x", Type: k.typ, Attrs: attrs(t, k.attrs)}, cf.Options{}); !errors.Is(err, k.kind) || !strings.Contains(err.Error(), "variable x: ") {
			t.Errorf("%s: %v", k.name, err)
		}
	}
	c := coding(t, dtype.Float64, `{"units": "days since 2000-01-01"}`, cf.Options{})
	for _, f := range []float64{math.Inf(1), math.Inf(-1), 1e18, -1e18, 1e300} {
		if err := cf.DecodeTimes(c, make([]cf.Time, 1), []float64{f}); !errors.Is(err, fault.Type) {
			t.Errorf("%v: %v", f, err)
		}
	}
	if err := cf.DecodeTimes(coding(t, dtype.Int8, `{"units": "m"}`, cf.Options{}), make([]cf.Time, 1), []int8{1}); !errors.Is(err, fault.Type) {
		t.Errorf("a variable without time units: %v", err)
	}
}

// TestCodedTimes checks times with missing values, offsets and both types of numbers.
func TestCodedTimes(t *testing.T) {
	c := coding(t, dtype.Int64, `{"units": "hours SINCE 2000-1-1T06:00:00 +3", "_FillValue": -1}`, cf.Options{})
	got := make([]cf.Time, 3)
	if err := cf.DecodeTimes(c, got, []int64{0, -1, math.MinInt64}); err != nil || got[0].String() != "2000-01-01T03:00:00" || !got[1].IsNaT() || !got[2].IsNaT() {
		t.Errorf("%v, %v", got, err)
	}
	floats, missing := make([]float64, 3), make([]bool, 3)
	if err := cf.Decode(c, floats, []int64{0, -1, math.MinInt64}); err != nil || floats[0] != 0 || !math.IsNaN(floats[1]) || !math.IsNaN(floats[2]) {
		t.Errorf("%v, %v", floats, err)
	}
	if n, err := cf.Missing(c, missing, []int64{0, -1, math.MinInt64}); err != nil || n != 2 || !missing[2] {
		t.Errorf("%v, %v", missing, err)
	}
	bare := coding(t, dtype.Int64, `{"units": "hours since 2000-01-01"}`, cf.Options{})
	back := make([]int64, 3)
	if err := cf.DecodeTimes(bare, got, []int64{0, 1, math.MinInt64}); err != nil || cf.EncodeTimes(bare, back, got) != nil || back[1] != 1 || back[2] != math.MinInt64 || !bare.CanMiss() {
		t.Errorf("%v, %v, %v", got, back, err)
	}
	if err := cf.DecodeTimes(c, got, []int64{0, -1, math.MinInt64}); err != nil {
		t.Error(err)
	}
	std, ok := got[0].Std()
	if want := time.Date(2000, 1, 1, 3, 0, 0, 0, time.UTC); !ok || !std.Equal(want) {
		t.Errorf("%v, %v, want %v", std, ok, want)
	}
	f := coding(t, dtype.Float32, `{"units": "days since 2000-01-01", "calendar": "360_day"}`, cf.Options{})
	if err := cf.DecodeTimes(f, got, []float32{59.25, 360, float32(math.NaN())}); err != nil || got[0].String() != "2000-02-30T06:00:00" || got[1].String() != "2001-01-01T00:00:00" || !got[2].IsNaT() {
		t.Errorf("%v, %v", got, err)
	}
	if _, ok := got[0].Std(); ok {
		t.Error("a date of 360_day is one of package time")
	}
}

// TestDifferences checks which variables contain time differences, and that only their smallest
// int64 is missing, as in xarray 2026.9.
func TestDifferences(t *testing.T) {
	for _, k := range []struct {
		attrs   string
		typ     dtype.Type
		unit    time.Duration
		missing int
	}{
		{`{"units": "nanoseconds", "dtype": "timedelta64[ns]"}`, dtype.Int64, time.Nanosecond, 1},
		{`{"units": "days", "dtype": "timedelta64[s]"}`, dtype.Int64, 24 * time.Hour, 1},
		{`{"units": "hours", "dtype": "timedelta64[ns]", "_FillValue": 7}`, dtype.Int64, time.Hour, 2},
		{`{"units": "hour", "dtype": "timedelta64[ns]"}`, dtype.Int64, 0, 0},
		{`{"units": "hours", "dtype": "int64"}`, dtype.Int64, 0, 0},
		{`{"units": "hours"}`, dtype.Int64, 0, 0},
		{`{"dtype": "timedelta64[ns]"}`, dtype.Int64, 0, 0},
		{`{"units": ["hours"], "dtype": "timedelta64[ns]"}`, dtype.Int64, 0, 0},
	} {
		c := coding(t, k.typ, k.attrs, cf.Options{})
		if unit, ok := c.Difference(); unit != k.unit || ok != (k.unit > 0) {
			t.Errorf("%s: %v, %v", k.attrs, unit, ok)
		}
		src, dst := []int64{math.MinInt64, math.MinInt64 + 1, 7}, make([]float64, 3)
		n, err := cf.Missing(c, make([]bool, 3), src)
		if err != nil || n != k.missing || c.CanMiss() != (n > 0) {
			t.Errorf("%s: %d are missing, %v", k.attrs, n, err)
		}
		if err := cf.Decode(c, dst, src); err != nil || math.IsNaN(dst[0]) != (n > 0) || math.IsNaN(dst[1]) {
			t.Errorf("%s: %v, %v", k.attrs, dst, err)
		}
		back := make([]int64, 1)
		if err := cf.Encode(c, back, []float64{math.NaN()}); (err == nil) != (n > 0) || n == 1 && back[0] != math.MinInt64 {
			t.Errorf("%s: NaN is stored as %v, %v", k.attrs, back, err)
		}
	}
}

// TestJSON checks that times are not encoded as empty objects.
func TestJSON(t *testing.T) {
	at, err := cf.NewTime(cf.Day360, cf.Date{Year: -5, Month: 2, Day: 30, Nanosecond: 500e6})
	if err != nil {
		t.Fatal(err)
	}
	u, err := cf.ParseTimeUnits("days since 2000-01-01", "noleap")
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"a": at, "b": cf.NaT(cf.NoLeap), "c": u, "d": u.Calendar(), "e": []cf.Time{{}}})
	if want := `{"a":"-0005-02-30T00:00:00.5","b":null,"c":"days since 2000-01-01","d":"noleap","e":["1970-01-01T00:00:00"]}`; err != nil || string(b) != want {
		t.Errorf("%s, %v, want %s", b, err, want)
	}
}
