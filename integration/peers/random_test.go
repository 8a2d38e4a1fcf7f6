package peers

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

var randomDatasets = flag.Int("random", 4, "TestRandomDatasets: datasets of 50 variables each")

// precision is the relative precision of each data type of decoded values in xarray.
var precision = map[string]float64{"float16": 1. / 512, "float32": 1e-6, "float64": 1e-14}

// TestRandomDatasets compares decoded values of zargo and xarray. xarray writes the random
// variables, in both formats.
func TestRandomDatasets(t *testing.T) {
	t.Parallel()
	needPython(t)
	root := t.TempDir()
	var jobs []job
	for i := range *randomDatasets {
		jobs = append(jobs, job{Do: "save-random", Peer: "xarray/local", Place: root, Path: strconv.Itoa(i), Format: 2 + i%2, Array: map[string]any{"seed": i, "count": 50}})
	}
	for i, s := range ask(t, jobs) {
		if !s.done() {
			t.Fatalf("dataset %d: %s", i, s.Error)
		}
		text, err := os.ReadFile(filepath.Join(root, strconv.Itoa(i), "decoded.json"))
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]decoded
		succeed(t, json.Unmarshal(text, &want))
		if len(want) != 50 {
			t.Fatalf("dataset %d has %d variables, want 50", i, len(want))
		}
		g, err := zarr.OpenGroup(t.Context(), dir.New(filepath.Join(root, strconv.Itoa(i), "data")), "")
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.OpenGroup(t.Context(), g, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, w := range want {
			v, err := d.Var(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := decode(t, v); !w.equal(got) {
				t.Errorf("dataset %d, %s with %v: %v, want %v", i, name, v.Array().Attrs(), got, w.Values)
			}
		}
	}
}

// decoded contains the values of a variable that xarray decoded: numbers, times as text, and nil
// for missing values.
type decoded struct {
	DType  string
	Values []any
}

func (d decoded) equal(got []any) bool {
	if len(got) != len(d.Values) {
		return false
	}
	for i, w := range d.Values {
		a, number := got[i].(float64)
		b, also := w.(float64)
		if number && also {
			if math.Abs(a-b) > precision[d.DType]*(math.Abs(b)+600) { // offsets are at most 300
				return false
			}
		} else if got[i] != w {
			return false
		}
	}
	return true
}

// decode returns the decoded values of a variable in the representation of decoded.Values.
func decode(t *testing.T, v *dataset.Variable) []any {
	t.Helper()
	var out []any
	if c, ok := v.Coding(); !ok {
		t.Fatalf("%s has no numbers", v.Name())
	} else if _, ok := c.Units(); ok {
		times, err := v.Times(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range times {
			if x.IsNaT() {
				out = append(out, nil)
			} else {
				out = append(out, x.String())
			}
		}
		return out
	}
	numbers, err := dataset.Read[float64](t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range numbers {
		if math.IsNaN(x) {
			out = append(out, nil)
		} else {
			out = append(out, x)
		}
	}
	return out
}
