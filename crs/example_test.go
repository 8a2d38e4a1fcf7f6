package crs_test

import (
	"fmt"
	"log"

	"github.com/zargo-io/zargo/crs"
)

// band is an array with the conventions proj and spatial.
var band = crs.Node{
	Array: true, Dims: []string{"y", "x"}, Shape: []int{100, 200},
	Attrs: map[string]any{
		"proj:code":          "EPSG:32633",
		"spatial:dimensions": []any{"y", "x"},
		"spatial:transform":  []any{10.0, 0.0, 500000.0, 0.0, -10.0, 5000000.0},
	},
}

func ExampleRead() {
	ref := crs.Read(band)
	fmt.Println(ref.CRS.Code, ref.CRS.Source)
	x, y := ref.Grid.At(0, 0)
	fmt.Printf("%.0f %.0f\n", x, y)
	row, col, ok := ref.Grid.Index(500025, 4999995)
	fmt.Println(row, col, ok)
	// Output:
	// EPSG:32633 proj
	// 500005 4999995
	// 0 2 true
}

func ExampleValidate() {
	for _, f := range crs.Validate(band) {
		fmt.Println(f)
	}
	// Output:
	// /proj:code: zarr_conventions must declare the convention proj
	// /spatial:dimensions: zarr_conventions must declare the convention spatial
}

func ExampleParseCode() {
	c, err := crs.ParseCode("urn:ogc:def:crs:EPSG::4326")
	if err != nil {
		log.Fatal(err)
	}
	n, ok := c.Number()
	fmt.Println(c, c.Authority, n, ok)
	// Output: EPSG:4326 EPSG 4326 true
}

func ExampleReadGrid() {
	g, findings := crs.ReadGrid(map[string]any{"spatial:transform": []any{20, 0, 0, 0, -20}, "spatial:registration": "node"})
	fmt.Println(g.Registration, findings)
	// Output: node [/spatial:transform: must have 6 numbers, has 5]
}
