package picture_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"log"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/picture"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "", zarr.Spec{Shape: []int{3000, 4000}, Chunks: []int{500, 500}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []float32{1, 2, 3, 4}, zarr.Range(0, 2), zarr.Range(0, 2)); err != nil {
		log.Fatal(err)
	}
	v, err := dataset.OpenArray(a, dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s, err := picture.Read(ctx, v, picture.ReadOptions{Size: 400})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Height, s.Width, s.Values[0]) // the mean of 10 × 10 elements
	img, err := picture.Render(s, picture.Options{Plain: true, Range: picture.Range{Low: 0, High: 1}})
	if err != nil {
		log.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.Bounds(), b.Len() < 2000)
	// Output:
	// 300 400 0.1
	// (0,0)-(400,300) true
}

func ExampleRender() {
	img, err := picture.Render(&picture.Slice{
		Values: []float64{1, 2, 3, 4, 5, 6}, Height: 2, Width: 3,
		Y:     picture.Axis{Name: "lat", Units: "degrees_north", Coords: []float64{40, 50}},
		X:     picture.Axis{Name: "time", Labels: []string{"2026-01", "2026-02", "2026-03"}},
		Title: "t2m (K)",
	}, picture.Options{Palette: picture.Magma, Size: 300})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(img.Bounds().Dx() > 300, len(img.Palette))
	// Output: true 256
}

func ExampleParsePalette() {
	p, err := picture.ParsePalette("coolwarm")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p, p.Diverging(), p.Colors()[128])
	// Output: coolwarm true {221 220 220 255}
}
