package dataset_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestOpenArray reads an array without a group.
func TestOpenArray(t *testing.T) {
	a, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{
		Shape: []int{4, 5}, Chunks: []int{2, 2}, DType: dtype.Int16, Dims: []string{"lat", ""},
		Attrs: map[string]any{"scale_factor": 0.5, "_FillValue": 7},
	})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int16, 20)
	for i := range values {
		values[i] = int16(i)
	}
	succeed(t, zarr.Write(t.Context(), a, values))
	v, err := dataset.OpenArray(a, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []dataset.Dim{{Name: "lat", Len: 4}, {Name: "dim_1", Len: 5}}; !reflect.DeepEqual(v.Dims(), want) {
		t.Errorf("%v, want %v", v.Dims(), want)
	}
	if _, ok := v.Coord("lat"); ok {
		t.Error("it has a coordinate")
	}
	part, err := v.Sel(dataset.At("lat", 1), dataset.Slice("dim_1", 1, 5).By(3))
	if err != nil {
		t.Fatal(err)
	}
	got, err := dataset.Read[float64](t.Context(), part)
	if want := []float64{3, 4.5}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, _, ok := part.Axis("lat"); ok {
		t.Error("a dropped dimension has an axis")
	}
	if axis, at, ok := part.Axis("dim_1"); !ok || axis != 1 || at(0) != 1 || at(1) != 4 {
		t.Errorf("axis %d, %v", axis, ok)
	}
	if _, err := v.Sel(dataset.At("lat", 4)); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
	if _, err := v.Sel(dataset.Label("level", 1)); !errors.Is(err, fault.Selection) {
		t.Error(err)
	}
}

// TestCoord checks that a coordinate has the selection of its variable.
func TestCoord(t *testing.T) {
	st := mem.New()
	d, err := dataset.Create(t.Context(), st, "", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "lat", Spec: zarr.Spec{Shape: []int{3}, DType: dtype.Float32, Dims: []string{"lat"}}},
		{Name: "t", Spec: zarr.Spec{Shape: []int{3, 2}, DType: dtype.Float32, Dims: []string{"lat", "x"}}},
	}}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = d.Write(t.Context(), dataset.Floats("lat", []float32{60, 50, 40})); err != nil {
		t.Fatal(err)
	}
	v, err := d.Var("t", dataset.Between("lat", 55, 35))
	if err != nil {
		t.Fatal(err)
	}
	lat, ok := v.Coord("lat")
	if !ok {
		t.Fatal("no coordinate")
	}
	got, err := dataset.Read[float64](t.Context(), lat)
	if want := []float64{50, 40}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, ok := v.Coord("x"); ok {
		t.Error("x has a coordinate")
	}
}
