package dataset_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// put creates an array with values and returns it.
func put[T any](t *testing.T, g *zarr.Group, name string, s zarr.Spec, values []T) *zarr.Array {
	t.Helper()
	a, err := g.CreateArray(t.Context(), name, s)
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.Write(t.Context(), a, values))
	return a
}

func root(t *testing.T) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroup(t.Context(), mem.New(), "", zarr.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func open(t *testing.T, g *zarr.Group) *dataset.Dataset {
	t.Helper()
	d, err := dataset.OpenGroup(t.Context(), g, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// coordinate creates the dataset of a line of testdata/sel.txt.
func coordinate(t *testing.T, line string) *dataset.Dataset {
	t.Helper()
	head, units, _ := strings.Cut(line, " @")
	f := strings.Fields(head)[1:]
	kind, labels := f[0], f[1:]
	n, g := len(labels), root(t)
	spec := zarr.Spec{Dims: []string{"x"}}
	numbers := make([]float64, n)
	for i, l := range labels {
		numbers[i], _ = strconv.ParseFloat(l, 64)
	}
	switch spec.Shape = []int{n}; kind {
	case "float64":
		spec.DType = dtype.Float64
		put(t, g, "x", spec, numbers)
	case "float32":
		spec.DType = dtype.Float32
		values := make([]float32, n)
		for i, v := range numbers {
			values[i] = float32(v)
		}
		put(t, g, "x", spec, values)
	case "int64", "time":
		if spec.DType = dtype.Int64; kind == "time" {
			spec.Attrs = map[string]any{"units": "days since 2000-01-01", "calendar": "standard"}
			if u, ok := strings.CutSuffix(units, " 360_day"); units != "" {
				spec.Attrs["units"] = u
				if ok {
					spec.Attrs["calendar"] = "360_day"
				}
			}
		}
		values := make([]int64, n)
		for i, v := range numbers {
			values[i] = int64(v)
		}
		put(t, g, "x", spec, values)
	case "string":
		spec.DType = dtype.String
		put(t, g, "x", spec, labels)
	case "none":
		n, _ = strconv.Atoi(labels[0])
	default:
		t.Fatal(line)
	}
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(i)
	}
	put(t, g, "v", zarr.Spec{Shape: []int{n}, DType: dtype.Int32, Dims: []string{"x"}}, v)
	return open(t, g)
}

// selected returns the result of a selection in the form of testdata/sel.txt.
func selected(t *testing.T, d *dataset.Dataset, text string) string {
	t.Helper()
	d, err := d.Sel(dataset.Text("x", text))
	if err != nil {
		return "error " + err.Error()
	}
	v, err := d.Var("v")
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := dataset.ReadMasked[int32](t.Context(), v)
	if err != nil {
		return "error " + err.Error()
	}
	if len(v.Dims()) == 0 {
		return fmt.Sprintf("at %d", got[0])
	}
	return strings.Trim(fmt.Sprint(got), "[]")
}

// indexed returns the result of a selection by an Index alone. It returns false if the dataset has
// no coordinate.
func indexed(t *testing.T, d *dataset.Dataset, text string) (string, bool) {
	t.Helper()
	v, err := d.Var("x")
	if err != nil {
		return "", false
	}
	x, err := dataset.OpenIndex(t.Context(), v.Array(), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, one, err := x.Positions(dataset.Text("x", text))
	switch {
	case err != nil:
		return "error " + err.Error(), true
	case one:
		return fmt.Sprintf("at %d", at[0]), true
	}
	return strings.Trim(fmt.Sprint(at), "[]"), true
}

// TestSelections runs the selections in testdata/sel.txt, whose results are xarray's.
func TestSelections(t *testing.T) {
	text, err := os.ReadFile("testdata/sel.txt")
	if err != nil {
		t.Fatal(err)
	}
	var d *dataset.Dataset
	n := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "# zargo"))
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "coord "):
			d = coordinate(t, line)
			continue
		}
		label, want, _ := strings.Cut(line, " =>")
		want = strings.TrimSpace(want)
		got := selected(t, d, label)
		if other, ok := indexed(t, d, label); ok && other != got && !strings.HasPrefix(got, "error") {
			t.Errorf("%s: %s, and the index alone selects %s", line, got, other)
		}
		words, failed := strings.CutPrefix(want, "error")
		if got != want && (!failed || !strings.HasPrefix(got, "error") || !strings.Contains(got, strings.TrimSpace(words))) {
			t.Errorf("%s: %s", line, got)
		}
		n++
	}
	if n < 90 {
		t.Errorf("%d selections, want at least 90", n)
	}
}

// TestIndexLabels checks that each label of an Index selects its own position.
func TestIndexLabels(t *testing.T) {
	for _, line := range []string{
		"coord float64 10 20.5 -3", "coord float32 0.1 0.2 0.3", "coord int64 3 1 2", "coord time 0 1 31",
		"coord time 0 1 7 @hours since 2000-01-01 360_day", "coord string b a c",
	} {
		v, err := coordinate(t, line).Var("x")
		if err != nil {
			t.Fatal(err)
		}
		x, err := dataset.OpenIndex(t.Context(), v.Array(), dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			if at, one, err := x.Positions(dataset.Text("x", x.Label(i))); err != nil || !one || at[0] != i {
				t.Errorf("%s: label %q is at %v, %v", line, x.Label(i), at, err)
			}
			one, err := v.Sel(dataset.At("x", i))
			if err != nil {
				t.Fatal(err)
			}
			if got := one.Index("x"); got.Len() != 1 || got.Label(0) != x.Label(i) || got.Value(0) != x.Value(i) || x.Value(i) == nil {
				t.Errorf("%s: position %d has the labels %v, want %v", line, i, got.Value(0), x.Value(i))
			}
		}
		if v.Index("y") != nil || x.Value(x.Len()) != nil {
			t.Errorf("%s: labels without elements", line)
		}
	}
}

// TestNoIndex checks that only index coordinates have an Index.
func TestNoIndex(t *testing.T) {
	g := root(t)
	for name, s := range map[string]zarr.Spec{
		"v": {Shape: []int{2}, DType: dtype.Int32, Dims: []string{"x"}},
		"y": {Shape: []int{2, 2}, DType: dtype.Int32, Dims: []string{"y", "x"}},
		"z": {Shape: []int{2}, DType: dtype.Complex64, Dims: []string{"z"}},
	} {
		a, err := g.CreateArray(t.Context(), name, s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.OpenIndex(t.Context(), a, dataset.Options{}); !errors.Is(err, fault.Type) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := (&dataset.Index{}).Positions(dataset.Pointwise("p")); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
}
