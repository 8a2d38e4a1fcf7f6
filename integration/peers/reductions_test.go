package peers

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

var (
	randomReductions = flag.Int("reductions", 60, "TestRandomReductions: datasets of one variable")
	reductionsSeed   = flag.Int("reductions-seed", 0, "TestRandomReductions: the seed of the first dataset")
)

// reducedBy is a reduction, and its result by xarray.
type reducedBy struct {
	Op          string
	Over, By    []string
	KeepMissing bool `json:"keep_missing"`
	MinCount    int  `json:"min_count"`
	Weights     string

	Dims   []string
	Shape  []int
	Values []*float64
	Labels map[string][]string
}

// TestRandomReductions compares reductions with those of xarray: over dimensions, by periods in all
// calendars, in windows, rolling and weighted, of packed, masked and plain values.
func TestRandomReductions(t *testing.T) {
	t.Parallel()
	needPython(t)
	root := t.TempDir()
	var jobs []job
	for i := range *randomReductions {
		jobs = append(jobs, job{Do: "save-reductions", Peer: "xarray/local", Place: root, Path: strconv.Itoa(i), Format: 2 + i%2, Array: map[string]any{"seed": *reductionsSeed + i}})
	}
	same, empty := 0, 0
	for i, s := range ask(t, jobs) {
		if !s.done() {
			t.Errorf("dataset %d: %s", i, s.Error)
			continue
		}
		var want reducedBy
		succeed(t, json.Unmarshal([]byte(s.Values[0]), &want))
		got, err := want.reduce(t, filepath.Join(root, strconv.Itoa(i), "data"))
		if err != nil {
			t.Errorf("dataset %d, %+v: %v", i, want, err)
			continue
		}
		n, differs := want.compare(t, got)
		if differs == "" {
			differs = want.labels(t, got)
		}
		if same, empty = same+1, empty+n; differs != "" {
			t.Errorf("dataset %d, v%d, %s over %v by %v, keep missing %v, min count %d, weights %q: %s", i, 2+i%2, want.Op, want.Over, want.By, want.KeepMissing, want.MinCount, want.Weights, differs)
		}
	}
	t.Logf("%d reductions are equal; the sum or count of %d periods without times is 0, as docs/evidence/interoperability.md says", same, empty)
}

// reduce returns the variable of the result of zargo.
func (r reducedBy) reduce(t *testing.T, place string) (*dataset.Variable, error) {
	d, err := dataset.Open(t.Context(), dir.New(place), "", dataset.Options{})
	if err != nil {
		return nil, err
	}
	of := dataset.Reduction{Over: r.Over, KeepMissing: r.KeepMissing, MinCount: r.MinCount, Weights: r.Weights}
	if of.Op, err = dataset.ParseOp(r.Op); err != nil {
		return nil, err
	}
	for _, text := range r.By {
		g, err := dataset.ParseGrouping(text)
		if err != nil {
			return nil, err
		}
		of.By = append(of.By, g)
	}
	out, err := dataset.Reduce(t.Context(), d, of, mem.New(), "", dataset.ReduceOptions{Memory: 1 << 10})
	if err != nil {
		return nil, err
	}
	return out.Var("v")
}

// compare returns the first difference of the values, and the number of empty periods.
func (r reducedBy) compare(t *testing.T, v *dataset.Variable) (empty int, differs string) {
	var dims []string
	for _, d := range v.Dims() {
		dims = append(dims, d.Name)
	}
	if !slices.Equal(dims, r.Dims) || !slices.Equal(v.Shape(), r.Shape) {
		return 0, fmt.Sprintf("dimensions %v, want %v %v", v.Dims(), r.Dims, r.Shape)
	}
	for i, f := range numbersOf(t, v) {
		want := math.NaN()
		if r.Values[i] != nil {
			want = *r.Values[i]
		}
		switch {
		case f != f && want != want, math.Abs(f-want) <= 1e-12*max(math.Abs(want), 1):
		case f == 0 && want != want && (r.Op == "count" || r.Op == "sum" && r.MinCount == 0) && len(r.By) > 0:
			empty++
		default:
			return empty, fmt.Sprintf("result %d is %v, want %v", i, f, want)
		}
	}
	return empty, ""
}

// numbersOf returns the values of a variable, which may be booleans.
func numbersOf(t *testing.T, v *dataset.Variable) []float64 {
	if v.Array().DType() != dtype.Bool {
		got, err := dataset.Read[float64](t.Context(), v)
		succeed(t, err)
		return got
	}
	truths, err := zarr.Read[bool](t.Context(), v.Array())
	succeed(t, err)
	got := make([]float64, len(truths))
	for i, b := range truths {
		if b {
			got[i] = 1
		}
	}
	return got
}

// labels returns the first difference of the labels.
func (r reducedBy) labels(t *testing.T, v *dataset.Variable) string {
	for dim, want := range r.Labels {
		c, ok := v.Coord(dim)
		if !ok {
			return "no coordinate " + dim
		}
		x, err := dataset.OpenIndex(t.Context(), c.Array(), dataset.Options{})
		succeed(t, err)
		for i, w := range want {
			a, errA := strconv.ParseFloat(x.Label(i), 64)
			b, errB := strconv.ParseFloat(w, 64)
			if x.Label(i) != w && (errA != nil || errB != nil || math.Abs(a-b) > 1e-12*math.Abs(b)) {
				return fmt.Sprintf("label %d of %s is %s, want %s", i, dim, x.Label(i), w)
			}
		}
	}
	return ""
}
