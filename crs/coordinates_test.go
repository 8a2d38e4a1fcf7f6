package crs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/zarr/rule"
)

// TestCoordinates compares the grid with the transformations that rioxarray 0.23 and GDAL 3.12.2
// compute from stores with the same attributes and coordinates. GDAL has none for coordinates at
// different distances and for single coordinates, and ignores the attributes.
func TestCoordinates(t *testing.T) {
	north := map[string]any{"GeoTransform": "0.0 1.0 0.0 4.0 0.0 -1.0", "crs_wkt": `GEOGCS["WGS 84",AUTHORITY["EPSG","4326"]]`}
	south := []float64{1.5, 0.5}
	spatial := map[string]any{"spatial:dimensions": []any{"y", "x"}, "spatial:transform": []any{1., 0., 0., 0., -1., 4.}}
	for _, c := range []struct {
		name          string
		attrs, parent map[string]any
		mapping       map[string]any
		y, x          []float64
		want          crs.Affine
		source        crs.Source
		finding       string
	}{
		{"stale GeoTransform", nil, nil, north, south, []float64{1.5, 2.5, 3.5}, crs.Affine{1, 0, 1, 0, -1, 2}, crs.FromCoordinates, "GeoTransform has [1 0 0 0 -1 4]"},
		{"equal", nil, nil, north, []float64{3.5, 2.5}, []float64{0.5, 1.5}, crs.Affine{1, 0, 0, 0, -1, 4}, crs.FromGeoTransform, ""},
		{"no coordinates", nil, nil, north, nil, nil, crs.Affine{1, 0, 0, 0, -1, 4}, crs.FromGeoTransform, ""},
		{"one coordinate", nil, nil, north, nil, []float64{9}, crs.Affine{1, 0, 0, 0, -1, 4}, crs.FromGeoTransform, ""},
		{"one element", nil, nil, north, []float64{1.5}, []float64{1.5}, crs.Affine{1, 0, 1, 0, -1, 2}, crs.FromCoordinates, "is used"},
		{"reversed", nil, nil, north, []float64{0.5, 1.5, 2.5, 3.5}, []float64{1.5, 2.5}, crs.Affine{1, 0, 1, 0, 1, 0}, crs.FromCoordinates, "is used"},
		{"step", nil, nil, north, []float64{3.5, 1.5}, []float64{1.5, 2.5}, crs.Affine{1, 0, 1, 0, -2, 4.5}, crs.FromCoordinates, "is used"},
		{"last window", nil, nil, map[string]any{"GeoTransform": "0 2 0 4 0 -2", "crs_wkt": north["crs_wkt"]}, []float64{3, 1, -0.5}, []float64{1, 3, 4.5}, crs.Affine{2, 0, 0, 0, -2, 4}, crs.FromGeoTransform, ""},
		{"uneven", nil, nil, north, []float64{3.5, 0}, []float64{0.5, 2, 9}, crs.Affine{1, 0, 0, 0, -3.5, 5.25}, crs.FromCoordinates, "equal distances"},
		{"spatial", spatial, nil, nil, south, []float64{1.5, 2.5, 3.5}, crs.Affine{1, 0, 1, 0, -1, 2}, crs.FromCoordinates, "spatial has"},
		{"spatial of group", nil, spatial, nil, south, []float64{1.5, 2.5, 3.5}, crs.Affine{1, 0, 1, 0, -1, 2}, crs.FromCoordinates, "/spatial:transform"},
		{"coordinates only", nil, nil, nil, south, []float64{1.5, 2.5, 3.5}, crs.Affine{1, 0, 1, 0, -1, 2}, crs.FromCoordinates, ""},
		{"rasterio", map[string]any{"transform": []any{1., 0., 0., 0., -1., 4.}, "crs": "+init=epsg:4326"}, nil, nil, nil, nil, crs.Affine{1, 0, 0, 0, -1, 4}, crs.FromRasterio, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			coords := map[string][]float64{"y": c.y, "x": c.x}
			n := crs.Node{Array: true, Attrs: c.attrs, Parent: c.parent, Dims: []string{"y", "x"}, Shape: []int{max(len(c.y), 1), max(len(c.x), 1)},
				Var:   func(name string) (map[string]any, bool) { return c.mapping, name == "spatial_ref" && c.mapping != nil },
				Coord: func(dim string) ([]float64, error) { return coords[dim], nil },
			}
			ref := crs.Read(n)
			if ref.Grid == nil || ref.Grid.Transform != c.want || ref.Grid.Source != c.source {
				t.Fatalf("the grid is %+v, want %v from %s", ref.Grid, c.want, c.source)
			}
			if c.finding == "" && len(ref.Findings) > 0 || c.finding != "" && !slices.ContainsFunc(ref.Findings, func(f rule.Finding) bool { return strings.Contains(f.String(), c.finding) }) {
				t.Errorf("the findings are %v, want %q", ref.Findings, c.finding)
			}
			n.Coord = func(string) ([]float64, error) { return nil, errors.New("broken") }
			if ref := crs.Read(n); len(c.y) > 0 && !strings.Contains(ref.Findings[len(ref.Findings)-1].String(), "broken") {
				t.Errorf("the findings of an unreadable coordinate are %v", ref.Findings)
			}
		})
	}
	ref := crs.Read(crs.Node{Array: true, Dims: []string{"time", "level"}, Shape: []int{2, 2}, Coord: func(string) ([]float64, error) { return []float64{1, 2}, nil }})
	if ref.Grid != nil {
		t.Errorf("dimensions that are not horizontal have the grid %+v", ref.Grid)
	}
	for v, want := range map[any]string{32633.: "EPSG:32633", "32633": "", 1.5: "", -1.: ""} { // as GDAL reads them
		ref := crs.Read(crs.Node{Attrs: map[string]any{"proj:epsg": v}})
		if got := ref.CRS; (got == nil) != (want == "") || got != nil && got.Code.String() != want || want == "" && len(ref.Findings) != 1 {
			t.Errorf("proj:epsg %v is %+v, %v", v, got, ref.Findings)
		}
	}
}

// TestCoordinatesOfLongPixels checks that coordinates differ from a transformation if they are
// apart by pixels of the shorter side, however long the other side is.
func TestCoordinatesOfLongPixels(t *testing.T) {
	n := crs.Node{
		Array: true, Dims: []string{"y", "x"}, Shape: []int{4, 3}, Attrs: map[string]any{"spatial:dimensions": []any{"y", "x"}, "spatial:transform": []any{122.0, 0.0, 0.0, 0.0, -1.0, 90.0}},
		Coord: func(dim string) ([]float64, error) {
			return map[string][]float64{"y": {88.5, 87.5, 86.5, 85.5}, "x": {61, 183, 305}}[dim], nil
		},
	}
	ref := crs.Read(n)
	if want := (crs.Affine{122, 0, 0, 0, -1, 89}); ref.Grid == nil || ref.Grid.Transform != want || len(ref.Findings) != 1 {
		t.Errorf("%+v, %v, want %v and one finding", ref.Grid, ref.Findings, want)
	}
}
