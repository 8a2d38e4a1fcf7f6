package picture_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/picture"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

var update = flag.Bool("update", false, "write the pictures in testdata")

// weather returns a dataset that xarray wrote (testdata/generate.py).
func weather(t testing.TB) *dataset.Dataset {
	t.Helper()
	b, err := os.ReadFile("testdata/weather.zip")
	if err != nil {
		t.Fatal(err)
	}
	outer := mem.New()
	if _, err = outer.Put(t.Context(), "weather.zip", b, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	st := must(zip.Open(t.Context(), outer, "weather.zip"))
	d := must(dataset.Open(t.Context(), st, "", dataset.Options{}))
	return d
}

func variable(t testing.TB, name string, q ...dataset.Query) *dataset.Variable {
	t.Helper()
	v := must(weather(t).Var(name, q...))
	return v
}

// plain returns an array without a group, as a variable.
func plain[T any](t testing.TB, shape, chunks []int, values []T, opts ...func(*zarr.Spec)) *dataset.Variable {
	t.Helper()
	spec := zarr.Spec{Shape: shape, Chunks: chunks, DType: dtypeOf[T]()}
	for _, o := range opts {
		o(&spec)
	}
	a, err := zarr.Create(t.Context(), mem.New(), "", spec)
	if err == nil && values != nil {
		err = zarr.Write(t.Context(), a, values)
	}
	if err != nil {
		t.Fatal(err)
	}
	v := must(dataset.OpenArray(a, dataset.Options{}))
	return v
}

func dtypeOf[T any]() dtype.Type {
	var zero T
	switch any(zero).(type) {
	case uint8:
		return dtype.Uint8
	case float64:
		return dtype.Float64
	}
	return dtype.Float32
}

// drawn reads and renders a variable.
func drawn(t testing.TB, v *dataset.Variable, ro picture.ReadOptions, o picture.Options) *image.Paletted {
	t.Helper()
	s := must(picture.Read(t.Context(), v, ro))
	img := must(picture.Render(s, o))
	return img
}

// same compares a picture with testdata/NAME.png, pixel by pixel.
func same(t *testing.T, name string, img image.Image) {
	t.Helper()
	file := filepath.Join("testdata", name+".png")
	if *update {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b := must(os.ReadFile(file))
	want := must(png.Decode(bytes.NewReader(b)))
	if img.Bounds() != want.Bounds() {
		t.Fatalf("%s: bounds %v, want %v", name, img.Bounds(), want.Bounds())
	}
	r, differ := img.Bounds(), 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if color.NRGBAModel.Convert(img.At(x, y)) != color.NRGBAModel.Convert(want.At(x, y)) {
				differ++
			}
		}
	}
	if differ > 0 {
		t.Errorf("%s: %d of %d pixels differ; look at the result of go test -update", name, differ, r.Dx()*r.Dy())
	}
}

func TestMap(t *testing.T) {
	same(t, "map", drawn(t, variable(t, "sst"), picture.ReadOptions{}, picture.Options{Size: 600}))
}

// TestDiverging draws a packed variable. The last bit of a decoded value differs between
// processors. Therefore no multiple of the scale factor 0.01 is at the boundary of two colors.
func TestDiverging(t *testing.T) {
	same(t, "diverging", drawn(t, variable(t, "anomaly", dataset.Label("time", "2026-02-01")), picture.ReadOptions{},
		picture.Options{Palette: picture.Coolwarm, Range: picture.Range{Low: -10, High: 9.97}, Size: 540}))
}

func TestGray(t *testing.T) {
	values := make([]uint8, 300*400)
	for i := range values {
		y, x := i/400, i%400
		d := (y*y + x*x) / 120 % 510
		values[i] = uint8(min(d, 510-d))
	}
	v := plain(t, []int{300, 400}, []int{64, 64}, values)
	same(t, "gray", drawn(t, v, picture.ReadOptions{Size: 200, Method: picture.Nearest}, picture.Options{Palette: picture.Gray, Size: 400}))
}

// TestMeans compares the values of boxes with means that numpy computed.
func TestMeans(t *testing.T) {
	b := must(os.ReadFile("testdata/means.json"))
	var golden struct {
		Cases []struct {
			Variable string
			Size     int
			Shape    [2]int
			Means    []*float64
		}
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Cases) != 6 {
		t.Fatal(len(golden.Cases), "cases")
	}
	last := map[string][]dataset.Query{"anomaly": {dataset.At("time", -1)}}
	for _, tt := range golden.Cases {
		s := must(picture.Read(t.Context(), variable(t, tt.Variable, last[tt.Variable]...), picture.ReadOptions{Size: tt.Size}))
		if got := [2]int{s.Height, s.Width}; got != tt.Shape {
			t.Fatalf("%s: shape %v, want %v", tt.Variable, got, tt.Shape)
		}
		for i, want := range tt.Means {
			got := s.Values[i]
			if want == nil != math.IsNaN(got) || want != nil && math.Abs(got-*want) > 2e-6 {
				t.Fatalf("%s, size %d, pixel %d: %v, want %v", tt.Variable, tt.Size, i, got, want)
			}
		}
	}
}

// TestHostileValues renders slices without finite values, and slices with extreme values.
func TestHostileValues(t *testing.T) {
	nan, inf, most := math.NaN(), math.Inf(1), math.MaxFloat64
	for _, tt := range []struct {
		name   string
		values []float64
		want   [2]int // colors of the first two pixels; 16 and 255 are the ends of the palette
	}{
		{"missing", []float64{nan, nan, nan, nan}, [2]int{0, 0}},
		{"infinite", []float64{inf, -inf, nan, nan}, [2]int{255, 16}},
		{"infinite and finite", []float64{inf, -inf, 0, 1}, [2]int{255, 16}},
		{"constant", []float64{7, 7, 7, 7}, [2]int{136, 136}},
		{"constant zero", []float64{0, 0, nan, 0}, [2]int{136, 136}},
		{"extreme", []float64{-most, most, 0, 0}, [2]int{16, 255}},
		{"extreme constant", []float64{most, most, most, most}, [2]int{255, 255}},
		{"smallest", []float64{0, math.SmallestNonzeroFloat64, 0, 0}, [2]int{16, 255}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &picture.Slice{Values: tt.values, Height: 2, Width: 2}
			img := must(picture.Render(s, picture.Options{Plain: true}))
			if got := [2]int{int(img.Pix[0]), int(img.Pix[1])}; got != tt.want {
				t.Errorf("colors %v, want %v", got, tt.want)
			}
			for _, o := range []picture.Options{{}, {Palette: picture.Coolwarm, Size: 100}, {Range: picture.Range{Low: 2, High: 98, Percent: true}}} {
				if _, err := picture.Render(s, o); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestHostileAxes renders axes with invalid coordinates and with labels that the font lacks or that
// are too long.
func TestHostileAxes(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	long := strings.Repeat("\x1b long \xff 長い", 1000)
	for _, a := range []picture.Axis{
		{Coords: []float64{nan, 1, 2}}, {Coords: []float64{-inf, 1, inf}}, {Coords: []float64{1, 1, 1}}, {Coords: []float64{1, 3, 2}},
		{Coords: []float64{-math.MaxFloat64, 0, math.MaxFloat64}}, {Coords: []float64{0, 5e-324, 1e-323}}, {Coords: []float64{1e16, 1e16 + 2, 1e16 + 4}},
		{Coords: []float64{1}}, {Labels: []string{"a"}}, {Labels: []string{long, "", long}}, {Name: long, Units: long},
		{Units: "degrees_north", Coords: []float64{1e300, 2e300, 3e300}}, {Units: "degrees_east", Coords: []float64{359, 0, 1}},
	} {
		for _, rows := range []picture.Rows{picture.NorthUp, picture.Upward} {
			s := &picture.Slice{Values: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, Height: 3, Width: 3, Y: a, X: a, Title: long}
			img := must(picture.Render(s, picture.Options{Size: 300, Rows: rows}))
			if r := img.Bounds(); r.Dx() > 1000 || r.Dy() > 1000 {
				t.Errorf("%d × %d pixels", r.Dx(), r.Dy())
			}
		}
	}
}

func TestRenderErrors(t *testing.T) {
	one := []float64{1}
	for _, tt := range []struct {
		name string
		s    picture.Slice
		o    picture.Options
		want error
	}{
		{"no rows", picture.Slice{Width: 3}, picture.Options{}, fault.Selection},
		{"no values", picture.Slice{Height: 1, Width: 3}, picture.Options{}, fault.Selection},
		{"negative", picture.Slice{Values: one, Height: -1, Width: -1}, picture.Options{}, fault.Selection},
		{"overflow", picture.Slice{Height: math.MaxInt, Width: math.MaxInt}, picture.Options{}, fault.Selection},
		{"reversed range", picture.Slice{Values: one, Height: 1, Width: 1}, picture.Options{Range: picture.Range{Low: 2, High: 1}}, fault.Selection},
		{"infinite range", picture.Slice{Values: one, Height: 1, Width: 1}, picture.Options{Range: picture.Range{Low: 0, High: math.Inf(1)}}, fault.Selection},
		{"NaN", picture.Slice{Values: one, Height: 1, Width: 1}, picture.Options{Range: picture.Range{Low: math.NaN(), High: 1}}, fault.Selection},
		{"percentile", picture.Slice{Values: one, Height: 1, Width: 1}, picture.Options{Range: picture.Range{Low: 0, High: 101, Percent: true}}, fault.Selection},
		{"too large", picture.Slice{Values: one, Height: 1, Width: 1}, picture.Options{Size: 1 << 20}, fault.Limit},
		{"largest size", picture.Slice{Values: one, Height: 1, Width: 1}, picture.Options{Size: math.MaxInt}, fault.Limit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := picture.Render(&tt.s, tt.o); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
		})
	}
}

// TestRows checks which row of values is at the top.
func TestRows(t *testing.T) {
	north := picture.Axis{Units: "degrees_north", Coords: []float64{-10, 10}}
	south := picture.Axis{Units: "degrees_north", Coords: []float64{10, -10}}
	for _, tt := range []struct {
		name string
		y    picture.Axis
		rows picture.Rows
		want uint8 // color of the upper row; the values are 0 and 1
	}{
		{"increasing latitudes", north, picture.NorthUp, 255},
		{"decreasing latitudes", south, picture.NorthUp, 16},
		{"latitudes by name", picture.Axis{Name: "lat", Coords: []float64{1, 2}}, picture.NorthUp, 255},
		{"no coordinates", picture.Axis{}, picture.NorthUp, 16},
		{"depths", picture.Axis{Units: "m", Coords: []float64{0, 10}}, picture.NorthUp, 16},
		{"downward", north, picture.Downward, 16},
		{"upward", south, picture.Upward, 255},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := must(picture.Render(&picture.Slice{Values: []float64{0, 1}, Height: 2, Width: 1, Y: tt.y}, picture.Options{Plain: true, Rows: tt.rows}))
			if got := img.Pix[0]; got != tt.want {
				t.Errorf("color %d, want %d", got, tt.want)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	text := must(dataset.OpenArray(must(zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{2, 2}, DType: dtype.S(2)})), dataset.Options{}))
	huge := plain[float32](t, []int{1 << 30, 1 << 30}, []int{1 << 10, 1 << 10}, nil)
	for _, tt := range []struct {
		name string
		v    *dataset.Variable
		o    picture.ReadOptions
		want error
		text string
	}{
		{"one dimension", plain(t, []int{3}, []int{3}, []float32{1, 2, 3}), picture.ReadOptions{}, fault.Selection, "two"},
		{"three dimensions", variable(t, "anomaly"), picture.ReadOptions{}, fault.Selection, "time (2), y (45), x (90)"},
		{"no numbers", text, picture.ReadOptions{}, fault.Type, "want numbers"},
		{"negative size", variable(t, "sst"), picture.ReadOptions{Size: -1}, fault.Limit, "-1"},
		{"size", variable(t, "sst"), picture.ReadOptions{Size: 1 << 15}, fault.Limit, "32768"},
		{"huge", huge, picture.ReadOptions{}, fault.Limit, "nearest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := picture.Read(t.Context(), tt.v, tt.o); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%v, want %v that contains %q", err, tt.want, tt.text)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestShapes reads arrays of unusual shapes with both methods.
func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shape []int
		size  int
		want  [2]int
	}{
		{"one element", []int{1, 1}, 0, [2]int{1, 1}},
		{"one element of more dimensions", []int{1, 1, 1, 1}, 0, [2]int{1, 1}},
		{"dimensions of length 1", []int{1, 3, 1, 4}, 0, [2]int{3, 4}},
		{"a row", []int{1, 5000}, 100, [2]int{1, 100}},
		{"a thin array", []int{20, 5000}, 100, [2]int{12, 100}},
		{"no rows", []int{0, 3}, 0, [2]int{0, 3}},
		{"no elements", []int{0, 0}, 0, [2]int{0, 0}},
		{"one pixel", []int{7, 9}, 1, [2]int{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := plain[float64](t, tt.shape, slices.Repeat([]int{3}, len(tt.shape)), nil)
			for _, m := range []picture.Method{picture.Box, picture.Nearest} {
				s, err := picture.Read(t.Context(), v, picture.ReadOptions{Size: tt.size, Method: m})
				if err != nil {
					t.Fatal(err)
				}
				if got := [2]int{s.Height, s.Width}; got != tt.want || len(s.Values) != got[0]*got[1] {
					t.Errorf("%v with %d values, want %v", got, len(s.Values), tt.want)
				}
				_, err = picture.Render(s, picture.Options{})
				if empty := len(s.Values) == 0; empty != errors.Is(err, fault.Selection) {
					t.Errorf("%v", err)
				}
			}
		})
	}
}

// TestHugeArray reads an array that exceeds any memory: a range of elements with Box, and all
// elements with Nearest.
func TestHugeArray(t *testing.T) {
	v := plain[float32](t, []int{1 << 30, 1 << 30}, []int{1 << 10, 1 << 10}, nil)
	part := must(v.Sel(dataset.Slice("dim_0", 1<<29, 1<<29+100), dataset.Slice("dim_1", 1<<29, 1<<29+200)))
	s, err := picture.Read(t.Context(), part, picture.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Height != 100 || s.Width != 200 || s.Values[0] != 0 || s.Y.Coords[0] != 1<<29 || s.X.Coords[199] != 1<<29+199 {
		t.Errorf("%d × %d, %v, %v", s.Height, s.Width, s.Y.Coords[0], s.X.Coords[199])
	}
	if s, err = picture.Read(t.Context(), v, picture.ReadOptions{Size: 4, Method: picture.Nearest}); err != nil {
		t.Fatal(err)
	}
	if s.Height != 4 || s.X.Coords[0] != 1<<27 {
		t.Errorf("%d rows, first coordinate %v", s.Height, s.X.Coords[0])
	}
}

// TestSelections compares the boxes of selections with means of values that one call reads. The
// arrays have different chunks and shards.
func TestSelections(t *testing.T) {
	values := make([]float32, 61*83)
	for i := range values {
		values[i] = float32(i * 7919 % 1000)
	}
	values[100], values[4000] = float32(math.NaN()), float32(math.Inf(1))
	for _, tt := range []struct {
		name   string
		chunks []int
		shards []int
		q      []dataset.Query
	}{
		{"whole", []int{10, 10}, nil, nil},
		{"shards", []int{5, 10}, []int{20, 40}, nil},
		{"one chunk", []int{61, 83}, nil, nil},
		{"ranges", []int{7, 9}, nil, []dataset.Query{dataset.Slice("dim_0", 3, 50), dataset.Slice("dim_1", 11, 80).By(3)}},
		{"lists", []int{7, 9}, nil, []dataset.Query{dataset.At("dim_0", []int{60, 3, 3, 59, 0, 21, 22}), dataset.At("dim_1", []int{82, 81, 80, 40, 1, 0})}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := must(plain(t, []int{61, 83}, tt.chunks, values, func(s *zarr.Spec) { s.Shards = tt.shards }).Sel(tt.q...))
			all := must(dataset.Read[float64](t.Context(), v))
			s := must(picture.Read(t.Context(), v, picture.ReadOptions{Size: 5}))
			h, w := v.Shape()[0], v.Shape()[1]
			for y := range s.Height {
				for x := range s.Width {
					sum, n := 0.0, 0.0
					for i := y * h / s.Height; i < (y+1)*h/s.Height; i++ {
						for j := x * w / s.Width; j < (x+1)*w/s.Width; j++ {
							if f := all[i*w+j]; !math.IsNaN(f) {
								sum, n = sum+f, n+1
							}
						}
					}
					if got, want := s.Values[y*s.Width+x], sum/n; got != want { // sums of integers are exact
						t.Errorf("pixel %d, %d: %v, want %v", y, x, got, want)
					}
				}
			}
		})
	}
}

// TestAxes checks the coordinates and the labels of a variable.
func TestAxes(t *testing.T) {
	s, err := picture.Read(t.Context(), variable(t, "anomaly", dataset.At("x", 0)), picture.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"2026-01", "2026-02"}; s.Y.Name != "time" || !slices.Equal(s.Y.Labels, want) {
		t.Errorf("%q with labels %q, want %q", s.Y.Name, s.Y.Labels, want)
	}
	if s.Title != "anomaly (K)" || s.X.Units != "degrees_north" || s.X.Coords[0] != 89 || s.X.Coords[44] != -87 {
		t.Errorf("%q, %q, %v", s.Title, s.X.Units, s.X.Coords)
	}
	if s, err = picture.Read(t.Context(), variable(t, "sst"), picture.ReadOptions{Size: 60}); err != nil {
		t.Fatal(err)
	}
	if s.Y.Coords[0] != -87 || s.Y.Coords[1] != -81 { // of three rows: -89, -87, -85 and so on
		t.Errorf("%v", s.Y.Coords)
	}
}

// TestPercentiles compares the limits of a range with percentiles that numpy computed.
func TestPercentiles(t *testing.T) {
	var golden struct{ Percentiles [2]float64 }
	if err := json.Unmarshal(must(os.ReadFile("testdata/means.json")), &golden); err != nil {
		t.Fatal(err)
	}
	s := must(picture.Read(t.Context(), variable(t, "sst"), picture.ReadOptions{}))
	low, high, ok, err := picture.Limits(s, picture.Options{Range: picture.Range{Low: 2, High: 98, Percent: true}})
	if err != nil || !ok || math.Abs(low-golden.Percentiles[0]) > 1e-9 || math.Abs(high-golden.Percentiles[1]) > 1e-9 {
		t.Errorf("%v to %v, %v, %v; want %v", low, high, ok, err, golden.Percentiles)
	}
	low, high, _, _ = picture.Limits(&picture.Slice{Values: []float64{-1, 4}}, picture.Options{Palette: picture.Coolwarm})
	if low != -4 || high != 4 {
		t.Errorf("the range of a diverging palette is %v to %v, want -4 to 4", low, high)
	}
}

func TestPalettes(t *testing.T) {
	names := picture.Palettes()
	if len(names) != 7 {
		t.Errorf("%q", names)
	}
	for i, name := range names {
		p, err := picture.ParsePalette(name)
		if err != nil || int(p) != i || p.String() != name {
			t.Errorf("%v, %v; want %s", p, err, name)
		}
	}
	if _, err := picture.ParsePalette("jet"); !errors.Is(err, fault.Selection) || !strings.Contains(err.Error(), "viridis") {
		t.Error(err)
	}
	if c := picture.Viridis.Colors(); c[0] != (color.NRGBA{68, 1, 84, 255}) || c[255] != (color.NRGBA{253, 231, 36, 255}) {
		t.Errorf("viridis is from %v to %v", c[0], c[255])
	}
	if picture.Palette(200).Colors() != picture.Viridis.Colors() || picture.Palette(200).String() != "Palette(200)" {
		t.Error("an unknown palette")
	}
}

// TestBooleans checks that booleans are drawn as 0 and 1.
func TestBooleans(t *testing.T) {
	v := plain(t, []int{4, 6}, []int{3, 4}, []bool{
		true, true, false, false, false, true,
		true, false, false, false, true, true,
		false, false, false, false, false, false,
		true, true, true, true, true, true,
	}, func(s *zarr.Spec) { s.DType = dtype.Bool })
	for _, k := range []struct {
		o    picture.ReadOptions
		want []float64
	}{
		{picture.ReadOptions{Size: 3}, []float64{0.75, 0, 0.75, 0.5, 0.5, 0.5}},
		{picture.ReadOptions{Size: 3, Method: picture.Nearest}, []float64{0, 0, 1, 1, 1, 1}},
	} {
		s, err := picture.Read(t.Context(), v, k.o)
		if err != nil || !slices.Equal(s.Values, k.want) {
			t.Errorf("%v: %v, %v, want %v", k.o, s, err, k.want)
		}
	}
}

// TestMemoryOfArray uses up the memory of the process. The array has memory of its own.
func TestMemoryOfArray(t *testing.T) {
	all := concurrency.Default()
	limits := zarr.Limits{Shared: &concurrency.Limits{CPU: all.CPU, Bytes: concurrency.NewBudget(32 << 20)}}
	a := must(variable(t, "sst").Array().With(zarr.Limit(limits)))
	v := must(dataset.OpenArray(a, dataset.Options{}))
	defer must(all.Bytes.Acquire(t.Context(), concurrency.Block, all.Bytes.Size()/8*5)).Release()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	must(picture.Read(ctx, v, picture.ReadOptions{Size: 4}))
}
