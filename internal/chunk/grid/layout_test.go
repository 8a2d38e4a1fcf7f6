package grid

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLayout(t *testing.T) {
	big := []int{1000, 2000, 3000}
	tests := []struct {
		name     string
		shape    []int
		aspect   []float64
		elements int
		want     []int
	}{
		// The first three cases are from TensorStore's documentation of its zarr driver.
		{"a million", big, nil, DefaultElements, []int{101, 101, 101}},
		{"aspect", big, []float64{1, 2, 2}, DefaultElements, []int{64, 128, 128}},
		{"aspect and elements", big, []float64{1, 2, 2}, 2000000, []int{79, 159, 159}},
		{"0 is 1", big, []float64{0, 2, 2}, DefaultElements, []int{64, 128, 128}},
		{"short axes leave room", []int{3, 4000, 4000}, nil, 3 * 500 * 500, []int{3, 500, 500}},
		{"all of it", []int{10, 10}, nil, DefaultElements, []int{10, 10}},
		{"one element", []int{10, 10}, nil, 1, []int{1, 1}},
		{"empty axis", []int{0, 10}, nil, 5, []int{1, 5}},
		{"scalar", []int{}, nil, DefaultElements, []int{}},
		{"longer than floats count", []int{math.MaxInt}, nil, DefaultElements, []int{DefaultElements}},
		{"as steep as can be", []int{100, 100}, []float64{1e-300, 1e300}, 1000, []int{10, 100}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Layout(tt.shape, tt.aspect, tt.elements); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestMultiple(t *testing.T) {
	tests := []struct {
		name         string
		shape, chunk []int
		aspect       []float64
		elements     int
		want         []int
	}{
		{"equal sides", []int{1000, 1000}, []int{10, 10}, nil, 100 * 100, []int{100, 100}},
		{"chunks of other sides", []int{1000, 1000}, []int{10, 50}, nil, 100 * 100, []int{100, 100}},
		{"aspect", []int{1000, 1000}, []int{10, 10}, []float64{1, 4}, 100 * 100, []int{50, 200}},
		{"the array is smaller", []int{25, 1000}, []int{10, 10}, nil, 30 * 300, []int{30, 300}},
		{"chunks of no number's size", []int{math.MaxInt, math.MaxInt}, []int{math.MaxInt / 2, math.MaxInt / 2}, nil, 1000, []int{math.MaxInt / 2, math.MaxInt / 2}},
		// 2^27 elements are 512 along each axis: 5 chunks of 101 are 505, and 6 are more. Chunks
		// extend to 1010, 2020, 3030.
		{"of TensorStore's chunks", []int{1000, 2000, 3000}, []int{101, 101, 101}, nil, 1 << 27, []int{505, 505, 505}},
		// 128·2^20 elements have sides 1:2:2. They allow a factor of 64, and 128 = 4^3 · 2.
		{"of chunks with an aspect, and that aspect", []int{1000, 2000, 3000}, []int{64, 128, 128}, []float64{1, 2, 2}, 1 << 26, []int{256, 512, 512}},
		// A shard has 64 chunks. The first axis has only one chunk, so the others have 8 · 8.
		{"a short axis", []int{50, 5000, 5000}, []int{50, 100, 100}, nil, 64 * 50 * 100 * 100, []int{50, 800, 800}},
		{"a scalar", []int{}, []int{}, nil, 1, []int{}},
		{"an empty axis", []int{0, 100}, []int{5, 10}, nil, 500, []int{5, 100}},
		{"less than a chunk", []int{25, 1000}, []int{10, 10}, nil, 7, []int{10, 10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Multiple(tt.shape, tt.chunk, tt.aspect, tt.elements); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestLayoutIsTheLargest checks that no chunk has more elements than the limit, and that making it
// longer along all axes that can grow would exceed the limit.
func TestLayoutIsTheLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		shape := make([]int, 1+r.IntN(4))
		for i := range shape {
			shape[i] = r.IntN(200)
		}
		elements := 1 + r.IntN(1<<16)
		got := Layout(shape, nil, elements)
		longer := slices.Clone(got)
		grows := false
		for i, n := range shape {
			if got[i] < 1 || got[i] > max(n, 1) {
				t.Fatalf("%v: %v", shape, got)
			}
			if got[i] < n {
				longer[i]++
				grows = true
			}
		}
		if product(got) > elements || grows && product(longer) <= elements {
			t.Fatalf("%v, %d: %v", shape, elements, got)
		}
	}
}
