package compute_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// array returns a stored array of two axes. Its last column of chunks is not stored.
func array[T any](t testing.TB, typ dtype.Type, fill any, values func(i int) T) *zarr.Array {
	t.Helper()
	a, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{60, 70}, Chunks: []int{11, 13}, DType: typ, Fill: fill,
		Codecs: []codec.Spec{{Name: "bytes", Config: []byte(`{"endian":"big"}`)}}})
	succeed(t, err)
	all := make([]T, 60*52)
	for i := range all {
		all[i] = values(i)
	}
	succeed(t, zarr.Write(t.Context(), a, all, zarr.All, zarr.Range(0, 52)))
	return a
}

func coding(t testing.TB, a *zarr.Array, attrs map[string]any, o cf.Options) *cf.Coding {
	t.Helper()
	c, err := cf.New(cf.Variable{Name: "v", Type: a.DType(), Attrs: attrs}, o)
	succeed(t, err)
	return c
}

// source returns the rows from the second on of an array, in tiles of about n elements.
func source(a *zarr.Array, c *cf.Coding, n int) compute.Source {
	axes := []walk.Axis{walk.Objects(a, 0), walk.Objects(a, 1)}
	axes[0].Count, axes[0].Position = 59, func(i int) int { return i + 1 }
	return compute.Source{Array: a, Coding: c, Tiles: walk.Tiles(axes, n, math.MaxInt), Select: func(b walk.Box) []zarr.Selection {
		return []zarr.Selection{zarr.Range(b.At[0]+1, b.At[0]+1+b.Shape[0]), zarr.Range(b.At[1], b.At[1]+b.Shape[1])}
	}}
}

// check compares the results for an array with those of the definitions.
func check[S cf.Number](t *testing.T, a *zarr.Array, attrs map[string]any, o cf.Options) {
	t.Helper()
	c := coding(t, a, attrs, o)
	decoded, err := compute.Read[float64](t.Context(), a, c, zarr.Range(1, 60))
	succeed(t, err)
	stored, err := zarr.ReadAs[S](t.Context(), a, zarr.Range(1, 60))
	succeed(t, err)
	want := make([]float64, len(stored))
	succeed(t, cf.Decode(c, want, stored))
	if fmt.Sprint(decoded) != fmt.Sprint(want) {
		t.Fatalf("decoded %v, want %v", decoded, want)
	}
	for _, n := range []int{1, 500, math.MaxInt} {
		s, err := compute.Summarize(t.Context(), source(a, c, n))
		succeed(t, err)
		compare(t, s, stored, want)
		h, err := compute.NewHistogram(-3, 7, 13)
		succeed(t, err)
		succeed(t, h.Count(t.Context(), source(a, c, n)))
		counts, below, above := make([]int64, 13), int64(0), int64(0)
		for _, f := range want {
			switch {
			case f-f != 0:
			case f < -3:
				below++
			case f > 7:
				above++
			default:
				i := 12
				for f < h.Edges[i] {
					i--
				}
				counts[i]++
			}
		}
		if !slices.Equal(h.Counts, counts) || h.Below != below || h.Above != above {
			t.Errorf("histogram %+v, want %v, %d, %d", h, counts, below, above)
		}
	}
}

// compare compares a summary with exact sums of the decoded elements.
func compare[S cf.Number](t *testing.T, s compute.Summary, stored []S, decoded []float64) {
	t.Helper()
	want := compute.Summary{Elements: int64(len(decoded))}
	low, high, sum := math.Inf(1), math.Inf(-1), new(big.Float).SetPrec(300)
	for i, f := range decoded {
		switch {
		case f != f:
			want.Missing++
			if stored[i] != stored[i] {
				want.NaN++
			}
		case f-f != 0:
			want.Infinite++
		default:
			want.Count++
			low, high = min(low, f), max(high, f)
			sum.Add(sum, big.NewFloat(f))
		}
	}
	n := new(big.Float).SetPrec(300).SetInt64(want.Count)
	mean, squares := new(big.Float).SetPrec(300), new(big.Float).SetPrec(300)
	if want.Count > 0 {
		mean.Quo(sum, n)
	}
	for _, f := range decoded {
		if f-f == 0 {
			d := new(big.Float).SetPrec(300).Sub(big.NewFloat(f), mean)
			squares.Add(squares, d.Mul(d, d))
		}
	}
	m, _ := mean.Float64()
	v, _ := squares.Float64()
	std := math.Sqrt(v / float64(want.Count))
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-13*math.Max(math.Abs(b), math.Max(-low, high)) }
	if s.Elements != want.Elements || s.Missing != want.Missing || s.NaN != want.NaN || s.Infinite != want.Infinite || s.Count != want.Count {
		t.Errorf("%+v, want %+v", s, want)
	}
	if want.Count > 0 && (fmt.Sprint(float(s.Min), float(s.Max)) != fmt.Sprint(low, high) || !near(s.Mean, m) || !near(s.Std, std)) {
		t.Errorf("%+v, want %v %v %v %v", s, low, high, m, std)
	}
}

func float(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return v.(float64)
}

// TestSummaries checks decoded elements, summaries and histograms of each data type and coding.
func TestSummaries(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := func(int) int { return r.IntN(16) - 8 }
	real := func(i int) float64 {
		switch r.IntN(40) {
		case 0:
			return math.NaN()
		case 1:
			return math.Inf(i%2*2 - 1)
		}
		return r.NormFloat64() * 3
	}
	codings := []struct {
		attrs map[string]any
		o     cf.Options
	}{
		{}, {attrs: map[string]any{"_FillValue": 3.0}}, {attrs: map[string]any{"_FillValue": 3.0, "missing_value": 5.0}},
		{attrs: map[string]any{"scale_factor": -0.5, "add_offset": 2.0, "missing_value": 3.0}},
		{attrs: map[string]any{"valid_range": []any{-2.0, 4.0}}, o: cf.Options{ValidRange: true}},
		{attrs: map[string]any{"_Unsigned": "true", "scale_factor": 0.125}},
	}
	for i, k := range codings {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			check[int8](t, array(t, dtype.Int8, int8(2), func(i int) int8 { return int8(whole(i)) }), k.attrs, k.o)
			check[int16](t, array(t, dtype.Int16, int16(3), func(i int) int16 { return int16(whole(i)) }), k.attrs, k.o)
			check[int32](t, array(t, dtype.Int32, int32(3), func(i int) int32 { return int32(whole(i)) }), k.attrs, k.o)
			check[int64](t, array(t, dtype.Int64, int64(2), func(i int) int64 { return int64(whole(i)) }), k.attrs, k.o)
			check[float32](t, array(t, dtype.Float32, float32(3), func(i int) float32 { return float32(real(i)) }), k.attrs, k.o)
			check[float64](t, array(t, dtype.Float64, math.NaN(), real), k.attrs, k.o)
			check[float32](t, array(t, dtype.Float16, nil, func(i int) dtype.F16 { return dtype.F16From(float32(real(i))) }), k.attrs, k.o)
			if k.o.ValidRange { // negative numbers are no valid attributes of unsigned integers
				return
			}
			check[uint8](t, array(t, dtype.Uint8, uint8(3), func(i int) uint8 { return uint8(whole(i) & 15) }), k.attrs, k.o)
			check[uint16](t, array(t, dtype.Uint16, uint16(3), func(i int) uint16 { return uint16(whole(i)) }), k.attrs, k.o)
			check[uint32](t, array(t, dtype.Uint32, uint32(3), func(i int) uint32 { return uint32(whole(i) & 15) }), k.attrs, k.o)
			check[uint64](t, array(t, dtype.Uint64, uint64(3), func(i int) uint64 { return uint64(whole(i) & 15) }), k.attrs, k.o)
		})
	}
}

// TestManyDecoded checks all integers of small types in an array of many elements.
func TestManyDecoded(t *testing.T) {
	codings := []map[string]any{nil, {"_FillValue": 3.0, "scale_factor": 0.1, "add_offset": 9.7}, {"_FillValue": 3.0, "missing_value": 5.0}, {"_Unsigned": "true", "scale_factor": 0.125}}
	for _, attrs := range codings {
		checkMany[int8](t, dtype.Int8, attrs)
		checkMany[uint8](t, dtype.Uint8, attrs)
		checkMany[int16](t, dtype.Int16, attrs)
		checkMany[uint16](t, dtype.Uint16, attrs)
		checkMany[int32](t, dtype.Int32, attrs)
	}
}

func checkMany[S cf.Number](t *testing.T, typ dtype.Type, attrs map[string]any) {
	t.Helper()
	a, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{1024, 1025}, Chunks: []int{256, 256}, DType: typ})
	succeed(t, err)
	stored, want := make([]S, 1024*1025), make([]float32, 1024*1025)
	for i := range stored {
		stored[i] = S(i) // wraps
	}
	succeed(t, zarr.Write(t.Context(), a, stored))
	c := coding(t, a, attrs, cf.Options{})
	succeed(t, cf.Decode(c, want, stored))
	got, err := compute.Read[float32](t.Context(), a, c)
	succeed(t, err)
	for i, v := range got {
		if v != want[i] && (v == v || want[i] == want[i]) {
			t.Fatalf("%v %v: element %d is %v, want %v", typ, attrs, i, v, want[i])
		}
	}
}

// TestFarFromFirst checks the deviation of elements that are far from the first one.
func TestFarFromFirst(t *testing.T) {
	a := array(t, dtype.Float64, 1e9, func(i int) float64 {
		if i%13 == 0 {
			return 1e9
		}
		return 1 + math.Sin(float64(i))
	})
	check[float64](t, a, map[string]any{"_FillValue": 1e9}, cf.Options{})
	check[float64](t, a, nil, cf.Options{})
}

// TestExactBounds checks that the minimum and maximum of 8-byte integers are exact.
func TestExactBounds(t *testing.T) {
	for _, attrs := range []map[string]any{nil, {"_FillValue": -1.0}, {"_FillValue": -1.0, "missing_value": -2.0}} {
		a := array(t, dtype.Int64, int64(-1), func(i int) int64 { return math.MaxInt64 - int64(i) })
		s, err := compute.Summarize(t.Context(), source(a, coding(t, a, attrs, cf.Options{}), 100))
		succeed(t, err)
		if low := int64(math.MaxInt64 - 60*52 + 1); s.Max != int64(math.MaxInt64-52) || attrs != nil && s.Min != low {
			t.Errorf("%v: %v to %v", attrs, s.Min, s.Max)
		}
	}
	a := array(t, dtype.Bool, false, func(i int) bool { return i%3 == 0 })
	s, err := compute.Summarize(t.Context(), source(a, nil, 100))
	succeed(t, err)
	if s.Min != 0.0 || s.Max != 1.0 || s.Count != 59*70 {
		t.Errorf("booleans: %+v", s)
	}
	h, err := compute.NewHistogram(0, 1, 2)
	succeed(t, err)
	succeed(t, h.Count(t.Context(), source(a, nil, 100)))
	if h.Counts[0]+h.Counts[1] != s.Count || float64(h.Counts[1])/float64(s.Count) != s.Mean {
		t.Errorf("booleans: %+v", h)
	}
}

func TestRefused(t *testing.T) {
	a := array(t, dtype.Complex64, nil, func(int) complex64 { return 0 })
	_, err := compute.Summarize(t.Context(), source(a, nil, 1))
	if h, _ := compute.NewHistogram(0, 1, 1); !errors.Is(err, fault.Type) || !errors.Is(h.Count(t.Context(), source(a, nil, 1)), fault.Type) {
		t.Error(err)
	}
	for _, r := range [][2]float64{{1, 0}, {0, math.NaN()}, {math.Inf(-1), 0}, {-math.MaxFloat64, math.MaxFloat64}, {0, 5e-324}} {
		if _, err := compute.NewHistogram(r[0], r[1], 3); !errors.Is(err, fault.Selection) {
			t.Error(r, err)
		}
	}
	if _, err := compute.NewHistogram(0, 1, 0); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
}

func BenchmarkSummarize(b *testing.B) {
	for _, a := range []*zarr.Array{
		array(b, dtype.Int16, nil, func(i int) int16 { return int16(i) }),
		array(b, dtype.Float32, nil, func(i int) float32 { return float32(i) }),
	} {
		b.Run(fmt.Sprint(a.DType()), func(b *testing.B) {
			for b.Loop() {
				_, err := compute.Summarize(b.Context(), source(a, nil, math.MaxInt))
				succeed(b, err)
			}
		})
	}
}
