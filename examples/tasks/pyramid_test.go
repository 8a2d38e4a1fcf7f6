package tasks_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
)

func Example_pyramid() {
	ctx := context.Background()
	st := weather(ctx)
	levels, err := pyramid.Build(ctx, st, "t2m", pyramid.Options{
		Levels: 2,
		Progress: func(p pyramid.Progress) {
			if p.Done == p.Objects {
				fmt.Printf("level %d of %d: %d objects\n", p.Level, p.Levels, p.Done)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range levels {
		fmt.Println(l.Path, l.Shape)
	}
	a, err := zarr.OpenArray(ctx, st, levels[1].Path)
	if err != nil {
		log.Fatal(err)
	}
	values, err := zarr.Read[float32](ctx, a, zarr.At(0))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Dims(), values)
	// Output:
	// level 2 of 2: 4 objects
	// t2m [8 4 6]
	// 1/t2m [8 2 3]
	// 2/t2m [8 1 2]
	// [time lat lon] [5.5 7.5 9.5 25.5 27.5 29.5]
}
