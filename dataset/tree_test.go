package dataset_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestTree checks that groups inherit the index coordinates of the groups above them.
func TestTree(t *testing.T) {
	g := root(t)
	one := func(path string, n int, dims ...string) {
		shape := make([]int, len(dims))
		total := 1
		for i := range shape {
			shape[i] = n
			total *= n
		}
		values := make([]int32, total)
		for i := range values {
			values[i] = int32(10 * i)
		}
		put(t, g, path, zarr.Spec{Shape: shape, DType: dtype.Int32, Dims: dims}, values)
	}
	one("x", 3, "x")
	one("y", 3, "y")
	one("a/v", 3, "z")
	one("a/b/w", 3, "y", "x")
	one("a/b/y", 3, "y")
	one("bad/v", 4, "x")
	d := open(t, g)
	if got := fmt.Sprint(d.Groups()); got != "[a bad]" {
		t.Errorf("groups: %s", got)
	}
	b, err := d.Child(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	s := sel(t, b, dataset.Label("x", 20), dataset.Between("y", 10, 20))
	if got := fmt.Sprint(values(t, variable(t, s, "w"))); got != "[50 80]" {
		t.Errorf("values: %s", got)
	}
	if got := variable(t, b, "x").Array().Path() + " " + variable(t, b, "y").Array().Path(); got != "x a/b/y" {
		t.Errorf("coordinates: %s", got)
	}
	if _, err := d.Child(t.Context(), "bad"); !errors.Is(err, zarr.ErrMetadata) || !strings.Contains(err.Error(), `"x" has the length 4, and the coordinate "x" has 3`) {
		t.Errorf("another length: %v", err)
	}
	if _, err := d.Child(t.Context(), "none"); !errors.Is(err, zarr.ErrNotFound) {
		t.Errorf("a group that does not exist: %v", err)
	}
}

// TestPrint checks the text of a dataset and of a selection.
func TestPrint(t *testing.T) {
	d := open(t, weather(t, 3))
	var b strings.Builder
	succeed(t, d.Print(&b))
	succeed(t, sel(t, d, dataset.At("lat", 0), dataset.Label("time", "2020-02")).Print(&b))
	want := `<zargo.Dataset ""> Size: 5kB
Dimensions:  (station: 2, lat: 3, lon: 4, time: 48)
Coordinates:
  * lat      (lat) float32 12B 60.0 50.0 40.0
  * lon      (lon) float64 32B 0.0 90.0 180.0 270.0
    name     (station) int8 2B ...
  * time     (time) time[standard] 384B 2020-01-31 ... 2020-02-01T23:00:00
Dimensions without coordinates: station
Data variables:
    h        (station) float32 8B ...
    t        (time, lat, lon) float64 5kB ...
Attributes:
    title:  test
<zargo.Dataset ""> Size: 1kB
Dimensions:  (station: 2, lon: 4, time: 24)
Coordinates:
    lat      float32 4B 60.0
  * lon      (lon) float64 32B 0.0 90.0 180.0 270.0
    name     (station) int8 2B ...
  * time     (time) time[standard] 192B 2020-02-01 ... 2020-02-01T23:00:00
Dimensions without coordinates: station
Data variables:
    h        (station) float32 8B ...
    t        (time, lon) float64 768B ...
Attributes:
    title:  test
`
	if b.String() != want {
		t.Errorf("printed:\n%s\nwant:\n%s", b.String(), want)
	}
}
