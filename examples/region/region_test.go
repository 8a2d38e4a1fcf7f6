package region

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func TestParse(t *testing.T) {
	shape := []int{10, 4}
	tests := []struct {
		name, text string
		want       Region
	}{
		{"everything", "", Region{{0, 10}, {0, 4}}},
		{"colons", ":,:", Region{{0, 10}, {0, 4}}},
		{"one axis", "2:5", Region{{2, 5}, {0, 4}}},
		{"open ends", "7:,:3", Region{{7, 10}, {0, 3}}},
		{"indices", "9, 3", Region{{9, 10}, {3, 4}}},
		{"nothing selected", "10:,4:4", Region{{10, 10}, {4, 4}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.text, shape)
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
	for _, text := range []string{"x", "1:x", "1:2:3", "10", "-1", "0:11", "5:4", ",", "0,0,0", "9223372036854775807", "-9223372036854775808:"} {
		if got, err := Parse(text, shape); !errors.Is(err, fault.Selection) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	if got, err := Parse("", nil); err != nil || len(got) != 0 || got.Len() != 1 {
		t.Errorf("a scalar: got %v, %v", got, err)
	}
}

// TestBlocks checks that blocks cover every element of the region once, and that no block crosses a
// chunk boundary.
func TestBlocks(t *testing.T) {
	tests := []struct {
		name   string
		region Region
		size   []int
		blocks int
	}{
		{"along the grid", Region{{0, 8}, {0, 4}}, []int{4, 2}, 4},
		{"off the grid", Region{{3, 9}, {1, 2}}, []int{4, 2}, 3},
		{"within one block", Region{{5, 6}, {2, 3}}, []int{4, 2}, 1},
		{"blocks larger than the region", Region{{0, 7}, {0, 3}}, []int{100, 100}, 1},
		{"nothing", Region{{0, 7}, {3, 3}}, []int{2, 2}, 0},
		{"a scalar", Region{}, nil, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			seen, blocks := map[[2]int]int{}, 0
			for b := range test.region.Blocks(test.size) {
				blocks++
				for i, s := range b {
					if s.Len() < 1 || s.Lo/test.size[i] != (s.Hi-1)/test.size[i] {
						t.Errorf("block %v crosses the grid", b)
					}
				}
				for y := range b.at(0) {
					for x := range b.at(1) {
						seen[[2]int{y, x}]++
					}
				}
			}
			if blocks != test.blocks || len(seen) != test.region.Len() {
				t.Errorf("%d blocks with %d elements, want %d with %d", blocks, len(seen), test.blocks, test.region.Len())
			}
			for at, n := range seen {
				if n != 1 {
					t.Errorf("%v comes %d times", at, n)
				}
			}
		})
	}
	for range (Region{{0, 9}}).Blocks([]int{2}) {
		break
	}
}

// at yields the indices along an axis. If the region lacks the axis, it yields 0 once.
func (r Region) at(axis int) func(func(int) bool) {
	return func(yield func(int) bool) {
		s := Span{0, 1}
		if axis < len(r) {
			s = r[axis]
		}
		for i := s.Lo; i < s.Hi && yield(i); i++ {
		}
	}
}

// put creates an array of the values and returns its Answer as JSON.
func put[T any](t *testing.T, dt dtype.Type, values []T) string {
	t.Helper()
	a, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{len(values)}, DType: dt})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
	answer, err := Read(t.Context(), a, Region{{0, len(values)}}, len(values))
	if err != nil {
		t.Fatal(err)
	}
	if answer.DType != dt.String() || !slices.Equal(answer.Shape, []int{len(values)}) {
		t.Errorf("%v: answers %v %v", dt, answer.DType, answer.Shape)
	}
	b, err := json.Marshal(answer.Values)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRead(t *testing.T) {
	tests := []struct{ name, got, want string }{
		{"bool", put(t, dtype.Bool, []bool{true, false}), `[true,false]`},
		{"int8", put(t, dtype.Int8, []int8{-128, 127}), `[-128,127]`},
		{"int16", put(t, dtype.Int16, []int16{-32768, 1}), `[-32768,1]`},
		{"int32", put(t, dtype.Int32, []int32{-5, 6}), `[-5,6]`},
		{"int64", put(t, dtype.Int64, []int64{math.MinInt64, math.MaxInt64}), `[-9223372036854775808,9223372036854775807]`},
		{"uint8", put(t, dtype.Uint8, []uint8{0, 255}), `[0,255]`},
		{"uint16", put(t, dtype.Uint16, []uint16{0, 65535}), `[0,65535]`},
		{"uint32", put(t, dtype.Uint32, []uint32{7, 8}), `[7,8]`},
		{"uint64", put(t, dtype.Uint64, []uint64{math.MaxUint64}), `[18446744073709551615]`},
		{"float32", put(t, dtype.Float32, []float32{0.1, float32(math.NaN()), -3}), `[0.1,null,-3]`},
		{"float64", put(t, dtype.Float64, []float64{0.1, math.Inf(-1), 1e300}), `[0.1,null,1e+300]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("got %s, want %s", test.got, test.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	a, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{4}, DType: dtype.Complex64})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(t.Context(), a, Region{{0, 4}}, 4); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("complex numbers: %v", err)
	}
	if _, err := Read(t.Context(), a, Region{{0, 4}}, 3); !errors.Is(err, fault.Limit) {
		t.Errorf("too many: %v", err)
	}
}
