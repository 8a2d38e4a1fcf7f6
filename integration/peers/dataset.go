package peers

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Variable is one stored variable of the dataset. The Python code computes the same variable
// independently.
type Variable struct {
	Name   string
	DType  dtype.Type
	Dims   []string
	Shape  []int
	Chunks []int
	Raw    []byte // little-endian, in C order; nil if Text contains the values
	Text   []string
	// Told is the name of the data type in numpy, if it differs from the name of DType.
	Told  string
	Fill  any            // represents a missing value; may be nil
	Attrs map[string]any // without the names of the axes and _FillValue
}

// The lengths of the dataset's axes.
const (
	times = 7
	lats  = 5
	lons  = 6
)

// start returns the first instant of the time axis. step is the distance between instants.
func start() time.Time { return time.Date(2024, 2, 28, 12, 0, 0, 0, time.UTC) }

const step = 6 * time.Hour

// Dataset returns the variables and attributes of a group that follows the CF conventions. group is
// "" for the root, or "sub/part" for the group below the root.
func Dataset(group string) (vars []Variable, attrs map[string]any) {
	if group == "sub/part" {
		return []Variable{
			{Name: "n", DType: dtype.Int64, Dims: []string{"n"}, Shape: []int{10}, Raw: slowly[int64](10, 0)},
			{Name: "x", DType: dtype.Int32, Dims: []string{"n"}, Shape: []int{10}, Raw: slowly[int32](10, 3), Attrs: map[string]any{"units": "1"}},
		}, map[string]any{"depth": 2}
	}
	temperature := halves[float32](times*lats*lons, 200)
	for i := range temperature {
		if t, lon := i/(lats*lons), i%lons; t >= 2 && t < 4 && lon < 4 { // the elements of one chunk
			temperature[i] = float32(math.NaN())
		}
	}
	rain := make([]int16, times*lats)
	for i, v := range halves[float64](len(rain), 1) {
		rain[i] = int16((v - 10.5) / 0.5)
	}
	rain[1*lats+2] = missingRain
	land := make([]byte, lats*lons)
	for i := range land {
		land[i] = byte(i * 3 % 101 % 2)
	}
	re, im := halves[float32](lons, 5), halves[float32](lons, 9)
	var waves []float32
	for i := range re {
		waves = append(waves, re[i], im[i])
	}
	var hours, lead []int64
	for i := range times {
		hours = append(hours, int64(i)*int64(step/time.Hour))
		lead = append(lead, int64(i)*90)
	}
	return []Variable{
		{
			Name: "t2m", DType: dtype.Float32, Dims: []string{"time", "lat", "lon"}, Shape: []int{times, lats, lons}, Chunks: []int{2, lats, 4},
			Raw: raw(temperature), Fill: math.NaN(),
			Attrs: map[string]any{"units": "K", "long_name": "température à 2 m", "levels": []any{1, 2.5, nil}},
		},
		{
			Name: "rain", DType: dtype.Int16, Dims: []string{"time", "lat"}, Shape: []int{times, lats}, Raw: raw(rain), Fill: missingRain,
			Attrs: map[string]any{"units": "mm", "scale_factor": 0.5, "add_offset": 10.5},
		},
		{Name: "count", DType: dtype.Uint16, Dims: []string{"lat", "lon"}, Shape: []int{lats, lons}, Raw: slowly[uint16](lats*lons, 7)},
		{Name: "land", DType: dtype.Bool, Dims: []string{"lat", "lon"}, Shape: []int{lats, lons}, Raw: land},
		{Name: "waves", DType: dtype.Complex64, Dims: []string{"lon"}, Shape: []int{lons}, Raw: raw(waves)},
		{Name: "total", DType: dtype.Int64, Shape: []int{}, Raw: raw([]int64{1<<53 + 1})},
		{
			Name: "time", DType: dtype.Int64, Dims: []string{"time"}, Shape: []int{times}, Raw: raw(hours),
			Attrs: map[string]any{"axis": "T", "units": "hours since 2024-02-28T12:00:00", "calendar": "proleptic_gregorian"},
		},
		{
			Name: "lead", DType: dtype.Int64, Dims: []string{"time"}, Shape: []int{times}, Raw: raw(lead),
			Attrs: map[string]any{"units": "minutes", "dtype": "timedelta64[ns]"},
		},
		{
			Name: "lat", DType: dtype.Float64, Dims: []string{"lat"}, Shape: []int{lats}, Raw: raw([]float64{-1, -0.5, 0, 0.5, 1}), Fill: math.NaN(),
			Attrs: map[string]any{"units": "degrees_north"},
		},
		{
			Name: "lon", DType: dtype.Float32, Dims: []string{"lon"}, Shape: []int{lons}, Raw: raw([]float32{0, 60, 120, 180, 240, 300}), Fill: math.NaN(),
			Attrs: map[string]any{"units": "degrees_east"},
		},
		{Name: "code", DType: dtype.S(4), Dims: []string{"lat"}, Shape: []int{lats}, Raw: []byte("a\x00\x00\x00bc\x00\x00def\x00\x00\x00\x00\x00ghij"), Told: "bytes32"},
		{Name: "name", DType: dtype.U(2), Dims: []string{"lat"}, Shape: []int{lats}, Raw: raw([]rune("a\x00é\x00漢字\x00\x00𝄞b")), Told: "str64"},
		{Name: "label", DType: dtype.String, Dims: []string{"lat"}, Shape: []int{lats}, Text: []string{"a", "é", "漢字", "", "longer than the others"}, Told: "StringDType128"},
		{Name: "height", DType: dtype.Float64, Shape: []int{}, Raw: raw([]float64{2}), Fill: math.NaN()},
	}, map[string]any{"title": "zargo and xarray", "version": 3, "nested": map[string]any{"a": []any{1, 2.5, "é"}, "b": true}}
}

// missingRain represents a missing value in the packed variable rain.
const missingRain = int16(-32768)

// slowly returns n elements. Element i is (3 i + seed) mod 101.
func slowly[T int32 | int64 | uint16](n, seed int) []byte {
	out := make([]T, n)
	for i := range out {
		out[i] = T((3*i + seed) % 101)
	}
	return raw(out)
}

// halves returns the elements of slowly divided by two.
func halves[T float32 | float64](n, seed int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T((3*i+seed)%101) / 2
	}
	return out
}

func raw(numbers any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // the dataset is constant
	}
	return slices.Clip(b)
}
