package dataset_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// scene has a band with the attributes of rioxarray, and one whose group has the convention proj.
func scene(format int) dataset.Spec {
	return dataset.Spec{Format: format, Attrs: map[string]any{"proj:code": "EPSG:4326"}, Vars: []dataset.VarSpec{
		{Name: "red", Spec: zarr.Spec{Shape: []int{3, 4}, DType: dtype.Uint8, Dims: []string{"y", "x"}, Attrs: map[string]any{"grid_mapping": "utm"}}},
		{Name: "mask", Spec: zarr.Spec{Shape: []int{3, 4}, DType: dtype.Uint8, Dims: []string{"y", "x"}}},
		{Name: "utm", Spec: zarr.Spec{Shape: []int{}, DType: dtype.Int32, Attrs: map[string]any{
			"spatial_ref": `PROJCS["WGS 84 / UTM zone 33N",AUTHORITY["EPSG","32633"]]`, "GeoTransform": "500000.0 10.0 0.0 5000000.0 0.0 -10.0",
		}}},
	}}
}

func ExampleVariable_CRS() {
	d, err := dataset.Create(context.Background(), mem.New(), "", scene(3), dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	red, err := d.Var("red")
	if err != nil {
		log.Fatal(err)
	}
	ref := red.CRS()
	fmt.Println(ref.CRS.Code, ref.CRS.Name())
	fmt.Println(ref.Grid.At(0, 0)) // the center of the first element
	// Output:
	// EPSG:32633 WGS 84 / UTM zone 33N
	// 500005 4.999995e+06
}

func TestCRS(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		if _, err := dataset.Create(t.Context(), st, "a", scene(format), dataset.Options{}); err != nil {
			t.Fatal(err)
		}
		d, err := dataset.Open(t.Context(), st, "a", dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]crs.Source{"red": crs.FromGridMapping, "mask": crs.FromGroupProj} {
			v, err := d.Var(name, dataset.At("y", 0))
			if err != nil {
				t.Fatal(err)
			}
			ref := v.CRS()
			if ref.CRS == nil || ref.CRS.Source != want || len(ref.Findings) > 0 {
				t.Errorf("v%d %s: %+v", format, name, ref)
			}
			if g := ref.Grid; name == "red" && (g == nil || g.Shape != [2]int{3, 4} || g.Dims != [2]string{"y", "x"}) {
				t.Errorf("v%d %s: %+v", format, name, g)
			}
		}
	}
}

// TestStaleGeoTransform checks a crop whose GeoTransform is that of the whole image. rioxarray
// computes the bounds (1, 0, 4, 2) from its coordinates.
func TestStaleGeoTransform(t *testing.T) {
	coord := func(name string, n int) dataset.VarSpec {
		return dataset.VarSpec{Name: name, Spec: zarr.Spec{Shape: []int{n}, DType: dtype.Float64, Dims: []string{name}}}
	}
	d, err := dataset.Create(t.Context(), mem.New(), "", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "t", Spec: zarr.Spec{Shape: []int{2, 3}, DType: dtype.Float32, Dims: []string{"y", "x"}, Attrs: map[string]any{"grid_mapping": "spatial_ref"}}},
		coord("y", 2), coord("x", 3),
		{Name: "spatial_ref", Spec: zarr.Spec{Shape: []int{}, DType: dtype.Int64, Dims: []string{}, Attrs: map[string]any{"crs_wkt": `GEOGCS["WGS 84",AUTHORITY["EPSG","4326"]]`, "GeoTransform": "0.0 1.0 0.0 4.0 0.0 -1.0"}}},
	}}, dataset.Options{})
	if err == nil {
		d, err = d.Write(t.Context(), dataset.Floats("y", []float64{1.5, 0.5}), dataset.Floats("x", []float64{1.5, 2.5, 3.5}))
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.Var("t")
	if err != nil {
		t.Fatal(err)
	}
	ref := v.CRS()
	box, _ := ref.Grid.Extent()
	row, col, _ := ref.Grid.Index(2.5, 0.5)
	if box != [4]float64{1, 0, 4, 2} || row != 1 || col != 1 || len(ref.Findings) != 1 {
		t.Errorf("the bounds are %v, the index is %v, %v, the findings are %v", box, row, col, ref.Findings)
	}
	a, err := dataset.OpenArray(v.Array(), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.CRS() // an array without a group
}
