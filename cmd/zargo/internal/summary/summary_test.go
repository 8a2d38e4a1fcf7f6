package summary_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/summary"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// memory returns the memory form of values.
func memory(t testing.TB, v any) []byte {
	t.Helper()
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBands checks that the division into bands does not change the result by a single bit.
func TestBands(t *testing.T) {
	values := make([]float64, 300_000)
	for i := range values {
		values[i] = math.Sin(float64(i)) * 1e6
	}
	values[70_000] = math.NaN()
	b := memory(t, values)
	var first summary.Result
	for i, band := range []int{len(b), 8, 8 * 65536, 8 * 65537, 8 * 200_001} {
		if band == 8 {
			band = 8 * 777
		}
		s, err := summary.New(dtype.Float64, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := summary.NewHistogram(dtype.Float64, nil, -1e6, 1e6, 9)
		if err != nil {
			t.Fatal(err)
		}
		for piece := range slices.Chunk(b, band) {
			if err := errors.Join(s.Add(t.Context(), piece), h.Add(t.Context(), piece)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Result()
		if err != nil || h.End() != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = r
		}
		total := int64(0)
		for _, n := range h.Counts {
			total += n
		}
		if r != first || r.Count != 299_999 || r.Missing != 1 || r.NaN != 1 || total != r.Count {
			t.Errorf("bands of %d bytes: %+v, want %+v; %d in bins", band, r, first, total)
		}
	}
}

// TestExact checks that the minimum and maximum of 8-byte integers are exact, with and without
// _Unsigned.
func TestExact(t *testing.T) {
	coding := func(ty dtype.Type, attrs map[string]any) *cf.Coding {
		c, err := cf.New(cf.Variable{Name: "x", Type: ty, Attrs: attrs}, cf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, tt := range []struct {
		name     string
		typ      dtype.Type
		coding   *cf.Coding
		values   any
		min, max any
	}{
		{"int64", dtype.Int64, nil, []int64{math.MaxInt64, math.MinInt64 + 1}, int64(math.MinInt64 + 1), int64(math.MaxInt64)},
		{"uint64", dtype.Uint64, nil, []uint64{math.MaxUint64, 1<<53 + 1}, uint64(1<<53 + 1), uint64(math.MaxUint64)},
		{"missing", dtype.Int64, coding(dtype.Int64, map[string]any{"missing_value": -1}), []int64{-1, 1<<53 + 1}, int64(1<<53 + 1), int64(1<<53 + 1)},
		{"unsigned", dtype.Int64, coding(dtype.Int64, map[string]any{"_Unsigned": "true"}), []int64{-1, 1}, 1.0, math.Ldexp(1, 64)},
		{"unsigned bytes", dtype.Int8, coding(dtype.Int8, map[string]any{"_Unsigned": "true", "_FillValue": -1}), []int8{-1, -2, 1}, 1.0, 254.0},
		{"none", dtype.Int16, coding(dtype.Int16, map[string]any{"missing_value": 3}), []int16{3, 3}, nil, nil},
		{"negative scale", dtype.Int16, coding(dtype.Int16, map[string]any{"scale_factor": -2}), []int16{3, 5}, -10.0, -6.0},
		{"float16", dtype.Float16, nil, []uint16{0x3c00, 0xfc00, 0x7e00}, 1.0, 1.0},
		{"bool", dtype.Bool, nil, []uint8{1, 0}, 0.0, 1.0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := summary.New(tt.typ, tt.coding)
			if err == nil {
				err = s.Add(t.Context(), memory(t, tt.values))
			}
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Result()
			if err != nil || r.Min != tt.min || r.Max != tt.max {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestRefused checks the kinds of the errors for invalid arguments.
func TestRefused(t *testing.T) {
	if _, err := summary.New(dtype.String, nil); !errors.Is(err, fault.Type) {
		t.Error(err)
	}
	if _, err := summary.NewHistogram(dtype.Complex64, nil, 0, 1, 3); !errors.Is(err, fault.Type) {
		t.Error(err)
	}
	for _, r := range [][2]float64{{1, 0}, {0, math.NaN()}, {math.Inf(-1), 0}, {-math.MaxFloat64, math.MaxFloat64}} {
		if _, err := summary.NewHistogram(dtype.Int8, nil, r[0], r[1], 3); !errors.Is(err, fault.Selection) {
			t.Error(r, err)
		}
	}
	if _, err := summary.NewHistogram(dtype.Int8, nil, 0, 1, 0); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
}
