package tasks_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/multiscale"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// tiled creates the group "scene" with the levels "10m" and "20m" of one band.
func tiled(ctx context.Context) store.Store {
	p := multiscale.Pyramid{Method: "average"}
	st := mem.New()
	for i, name := range []string{"10m", "20m", "40m"} {
		step := float64(int(10) << i)
		l := multiscale.Level{Path: name + "/red", Scale: []float64{step / 10, step / 10}, Grid: &crs.Grid{
			Dims: [2]string{"y", "x"}, Transform: crs.Affine{step, 0, 500000, 0, -step, 5000000},
		}}
		if i > 0 {
			l.DerivedFrom = p.Levels[i-1].Path
			l.Translation = []float64{step/20 - 0.5, step/20 - 0.5}
		}
		p.Levels = append(p.Levels, l)
	}
	attrs := multiscale.Attributes(p)
	attrs["proj:code"] = "EPSG:32633"
	g, err := zarr.CreateGroup(ctx, st, "scene", zarr.Spec{Attrs: attrs})
	for i, l := range p.Levels {
		if err == nil {
			_, err = g.CreateArray(ctx, l.Path, zarr.Spec{Shape: []int{80 >> i, 120 >> i}, DType: dtype.Uint16, Dims: []string{"y", "x"}})
		}
	}
	if err != nil {
		log.Fatal(err)
	}
	return st
}

func Example_level() {
	ctx := context.Background()
	st := tiled(ctx)
	g, err := zarr.OpenGroup(ctx, st, "scene")
	if err != nil {
		log.Fatal(err)
	}
	pyramids, _ := multiscale.Read(g.Attrs())
	if len(pyramids) == 0 {
		log.Fatal("the group has no pyramid")
	}
	level, ok := pyramids[0].Coarsest(30) // elements of at most 30 m
	if !ok {
		log.Print("all levels are coarser; level is the finest")
	}
	a, err := g.OpenArray(ctx, level.Path)
	if err != nil {
		log.Fatal(err)
	}
	y, x, _ := level.Grid.Index(500610, 4999790)
	row, col := int(math.Round(y)), int(math.Round(x)) // the element that contains the coordinate
	values, err := zarr.Read[uint16](ctx, a, zarr.Range(row, row+2), zarr.Range(col, col+3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(level.Path, a.Shape(), len(values))
	// Output: 20m/red [40 60] 6
}

func Example_reference() {
	ctx := context.Background()
	st := mem.New()
	wkt := `PROJCRS["WGS 84 / UTM zone 33N",ID["EPSG",32633]]`
	if _, err := dataset.Create(ctx, st, "", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "red", Spec: zarr.Spec{Shape: []int{40, 60}, DType: dtype.Uint16, Dims: []string{"y", "x"}, Attrs: map[string]any{"grid_mapping": "spatial_ref"}}},
		{Name: "spatial_ref", Spec: zarr.Spec{Shape: []int{}, DType: dtype.Int64, Attrs: map[string]any{"crs_wkt": wkt, "GeoTransform": "500000 20 0 5000000 0 -20"}}},
	}}, dataset.Options{}); err != nil {
		log.Fatal(err)
	}
	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	red, err := d.Var("red")
	if err != nil {
		log.Fatal(err)
	}
	ref := red.CRS()
	if ref.CRS != nil {
		fmt.Println(ref.CRS.Code, ref.CRS.Name())
	}
	if ref.Grid != nil {
		x, y := ref.Grid.At(0, 0) // the center of the first element
		fmt.Printf("%.1f %.1f\n", x, y)
	}
	for _, f := range ref.Findings {
		log.Print(f)
	}
	// Output:
	// EPSG:32633 WGS 84 / UTM zone 33N
	// 500010.0 4999990.0
}
