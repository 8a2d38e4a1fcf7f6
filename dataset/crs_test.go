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
