package tasks_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

func Example_xarray() {
	ctx := context.Background()
	st := weather(ctx)
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	d, err := dataset.Open(ctx, st, "", dataset.Options{})
	check(err)
	t2m, err := d.Var("t2m", dataset.Label("time", "2026-01-01"), dataset.Between("lat", 60, 59))
	check(err)
	values, err := dataset.Read[float64](ctx, t2m)
	check(err)
	steps := t2m.Dims()[0].Len
	mean := make([]float64, len(values)/steps)
	for i, v := range values {
		mean[i%len(mean)] += v / float64(steps)
	}
	fmt.Println(t2m.Dims(), mean[:3])
	// Output: [{time 8} {lat 3} {lon 6}] [350 351 352]
}

func Example_packed() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "t2m", zarr.Spec{
		Shape: []int{3}, DType: dtype.Int16, Fill: -32767,
		Attrs: map[string]any{"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32767},
	})
	if err == nil {
		err = zarr.Write(ctx, a, []int16{-315, 1000}, zarr.Range(0, 2))
	}
	if err != nil {
		log.Fatal(err)
	}
	scale, _, err := zarr.Attr[float64](a, "scale_factor")
	if err != nil {
		log.Fatal(err)
	}
	offset, _, err := zarr.Attr[float64](a, "add_offset")
	if err != nil {
		log.Fatal(err)
	}
	missing, masked, err := zarr.Attr[int16](a, "_FillValue")
	if err != nil {
		log.Fatal(err)
	}
	stored, err := zarr.Read[int16](ctx, a)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range stored {
		if masked && v == missing {
			fmt.Println("missing")
			continue
		}
		fmt.Printf("%.2f K\n", float64(v)*scale+offset)
	}
	// Output:
	// 270.00 K
	// 283.15 K
	// missing
}

func Example_migrate() {
	ctx, st := context.Background(), mem.New()
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{
		Format: 2, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32, Codecs: []codec.Spec{codec.Zlib(5)},
	})
	if err == nil {
		err = zarr.Write(ctx, a, []int32{1, 2, 3, 4})
	}
	if err != nil {
		log.Fatal(err)
	}
	g, err := zarr.OpenGroup(ctx, st, "")
	if err != nil {
		log.Fatal(err)
	}
	nodes, err := upkeep.Migrate(ctx, g, upkeep.MigrateOptions{Remove: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(nodes), "nodes")
	for e, err := range store.ListAll(ctx, st, "", store.ListOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Key)
	}
	if a, err = zarr.OpenArray(ctx, st, "t2m", zarr.Format(3)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[int32](ctx, a))
	// Output:
	// 2 nodes
	// t2m/0
	// t2m/1
	// t2m/zarr.json
	// zarr.json
	// [1 2 3 4] <nil>
}

func Example_rechunk() {
	ctx := context.Background()
	maps, series := weather(ctx), mem.New()
	g, err := zarr.OpenGroup(ctx, maps, "")
	if err != nil {
		log.Fatal(err)
	}
	_, err = transfer.Copy(ctx, g, series, transfer.Options{Grid: func(a *zarr.Array) (chunks, shards []int, err error) {
		if len(a.Shape()) == 3 {
			return []int{8, 1, 2}, nil, nil // all hours of a few places
		}
		return a.Chunks(), a.Shards(), nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.OpenArray(ctx, series, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Chunks())
	fmt.Println(zarr.Read[float32](ctx, a, zarr.All, zarr.At(2), zarr.At(1)))
	// Output:
	// [8 1 2]
	// [21 121 221 321 421 521 621 721] <nil>
}
