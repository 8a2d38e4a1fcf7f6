package tasks_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func Example_readRegion() {
	ctx := context.Background()
	st := weather(ctx)
	a, err := zarr.OpenArray(ctx, st, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.DType(), a.Shape(), a.Dims())

	// One hour, latitudes 2 and 3, the first three longitudes.
	box, err := zarr.Read[float32](ctx, a, zarr.At(5), zarr.Range(2, 4), zarr.Range(0, 3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(box)

	// All hours at one place, by the names of the dimensions.
	series, err := zarr.Read[float32](ctx, a, zarr.Dim("lat", zarr.At(2)), zarr.Dim("lon", zarr.At(1)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(series)
	// Output:
	// float32 [8 4 6] [time lat lon]
	// [520 521 522 530 531 532]
	// [21 121 221 321 421 521 621 721]
}

func Example_readBlocks() {
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, weather(ctx), "t2m")
	if err != nil {
		log.Fatal(err)
	}
	sum, n := 0.0, 0
	for b, err := range zarr.Blocks[float32](ctx, a, zarr.BlockOptions{Objects: []int{1, 2, 2}}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, v := range b.Values { // b.Shape values from b.At on
			sum, n = sum+float64(v), n+1
		}
	}
	fmt.Println("mean", sum/float64(n))
	// Output: mean 367.5
}

func Example_readPoints() {
	ctx := context.Background()
	a, err := zarr.OpenArray(ctx, weather(ctx), "t2m")
	if err != nil {
		log.Fatal(err)
	}
	// The values at [0, 3, 5], [7, 0, 0] and [2, 1, 4].
	points, err := zarr.Read[float32](ctx, a, zarr.Points([]int{0, 7, 2}, []int{3, 0, 1}, []int{5, 0, 4}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(points)

	// Every combination of hours 0 and 7 with longitudes 1 and 4, at latitude 3.
	cross, err := zarr.Read[float32](ctx, a, zarr.Index(0, 7), zarr.At(3), zarr.Index(1, 4))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cross)
	// Output:
	// [35 700 214]
	// [31 34 731 734]
}

func Example_nearest() {
	ctx := context.Background()
	g, err := zarr.OpenGroup(ctx, weather(ctx), "")
	if err != nil {
		log.Fatal(err)
	}
	a, err := g.OpenArray(ctx, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	y, err := nearest(ctx, g, "lat", 59.2)
	if err != nil {
		log.Fatal(err)
	}
	x, err := nearest(ctx, g, "lon", 2.1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[float32](ctx, a, zarr.All, zarr.At(y), zarr.At(x)))
	// Output: [24 124 224 324 424 524 624 724] <nil>
}

// nearest returns the index of the coordinate value closest to v.
func nearest(ctx context.Context, g *zarr.Group, coordinate string, v float64) (int, error) {
	a, err := g.OpenArray(ctx, coordinate)
	if err != nil {
		return 0, err
	}
	values, err := zarr.ReadAs[float64](ctx, a)
	if err != nil {
		return 0, err
	}
	best := 0
	for i, w := range values {
		if (w-v)*(w-v) < (values[best]-v)*(values[best]-v) {
			best = i
		}
	}
	return best, nil
}

func Example_chunks() {
	ctx, st := context.Background(), mem.New()
	shape := []int{8760, 180, 360}
	for _, spec := range []zarr.Spec{
		{Shape: shape, DType: dtype.Float32, Chunks: []int{24, 180, 360}},
		{Shape: shape, DType: dtype.Float32, Chunks: []int{8760, 10, 10}},
		{Shape: shape, DType: dtype.Float32, Chunks: []int{240, 30, 30}},
		{Shape: shape, DType: dtype.Float32, Chunks: []int{240, 30, 30}, Shards: []int{240, 180, 360}},
	} {
		a, err := zarr.Replace(ctx, st, "scratch", spec)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("chunks", a.Chunks(), "shards", a.Shards(), "objects", a.GridShape())
		for _, sel := range [][]zarr.Selection{{zarr.At(0)}, {zarr.All, zarr.At(90), zarr.At(180)}} {
			p, err := a.Plan(sel...) // sends no request
			if err != nil {
				log.Fatal(err)
			}
			_, most := p.Bounds()
			fmt.Printf("%6d gets, %4d MB\n", most.Gets, most.BytesRead/1e6)
		}
	}
	// Output:
	// chunks [24 180 360] shards [] objects [365 1 1]
	//      1 gets,   12 MB
	//    365 gets, 4565 MB
	// chunks [8760 10 10] shards [] objects [1 18 36]
	//    648 gets, 4583 MB
	//      1 gets,    7 MB
	// chunks [240 30 30] shards [] objects [37 6 12]
	//     72 gets,  129 MB
	//     37 gets,   66 MB
	// chunks [240 30 30] shards [240 180 360] objects [37 1 1]
	//     73 gets,  129 MB
	//     74 gets,   66 MB
}
