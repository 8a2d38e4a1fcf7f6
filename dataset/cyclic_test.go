package dataset_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// turned returns the positions from lo upwards to hi in a coordinate with the period 360: those of
// the labels that are at most hi after adding periods until they are at least lo. In a decreasing
// coordinate the order is the reverse.
func turned(x []float64, lo, hi float64) []int {
	if hi < lo {
		hi += 360 * math.Ceil((lo-hi)/360)
	}
	first := slices.Min(x)
	start := lo - 360*math.Floor((lo-first)/360) // lo in the turn of the coordinate
	up := func(v float64) float64 {
		if hi-lo >= 360 && v >= start {
			return v - start // a whole turn has the coordinate from start on, and then the rest
		}
		return v - lo + 360*math.Ceil((lo-v)/360)
	}
	list := []int{}
	for i, v := range x {
		if hi-lo >= 360 || up(v) <= hi-lo {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(i, j int) int { // at the seam, 360 is before 0
		return cmp.Or(cmp.Compare(up(x[i]), up(x[j])), cmp.Compare(x[j], x[i]))
	})
	if len(x) > 1 && x[0] > x[1] {
		slices.Reverse(list)
	}
	return list
}

// TestTurns compares ranges and nearest labels of random longitudes with the definition of Wrap.
func TestTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		step := []float64{15, 30, 45, 90, 7.5}[r.IntN(5)]
		first := []float64{0, -180, step / 2, -180 + step/2, 20}[r.IntN(5)]
		var x []float64
		end := first + 360
		if r.IntN(4) == 0 {
			end += step / 2 // the first label again, a turn later
		}
		for v := first; v < end; v += step {
			x = append(x, v)
		}
		if lo := r.IntN(len(x)); r.IntN(3) == 0 { // a part of the turn
			x = x[lo:min(len(x), lo+1+r.IntN(len(x)))]
		}
		if r.IntN(2) == 0 {
			slices.Reverse(x)
		}
		st := mem.New()
		a := zarrtest.Create(t, st, "x", zarr.Spec{Shape: []int{len(x)}, DType: dtype.Float64, Dims: []string{"x"}})
		succeed(t, zarr.Write(t.Context(), a, x))
		g, err := zarr.OpenGroup(t.Context(), st, "")
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.OpenGroup(t.Context(), g, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		read := func(q dataset.Query) ([]float64, error) {
			v, err := d.Var("x", q)
			if err != nil {
				return nil, err
			}
			return dataset.Read[float64](t.Context(), v)
		}
		for range 30 {
			pick := func() float64 { return float64(r.IntN(145)-72) * 7.5 }
			lo, hi := pick(), pick()
			want := []float64{}
			for _, i := range turned(x, lo, hi) {
				want = append(want, x[i])
			}
			if got, err := read(dataset.Between("x", lo, hi).Wrap(360)); err != nil || !slices.Equal(got, want) {
				t.Errorf("coordinate %d, %v to %v: %v, %v, want %v among %v", n, lo, hi, got, err, want, x)
			}
			apart := func(v float64) float64 { return math.Abs(math.Remainder(v-lo, 360)) }
			got, err := read(dataset.Label("x", lo).Nearest().Wrap(360))
			if err != nil || apart(got[0]) > apart(slices.MinFunc(x, func(a, b float64) int { return cmp.Compare(apart(a), apart(b)) })) {
				t.Errorf("coordinate %d, nearest to %v: %v, %v among %v", n, lo, got, err, x)
			}
		}
	}
}
