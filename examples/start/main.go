package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: start URL")
	}
	if err := run(context.Background(), os.Args[1], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url string, out io.Writer) error {
	st, err := all.Mux().Open(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()

	// One year of daily values on a grid of 180 × 360 points. A chunk holds ten days.
	a, err := zarr.OpenOrCreate(ctx, st, "t2m", zarr.Spec{
		Shape:  []int{365, 180, 360},
		Chunks: []int{10, 180, 360},
		DType:  dtype.Float32,
		Fill:   math.NaN(),
		Dims:   []string{"time", "lat", "lon"},
		Attrs:  map[string]any{"units": "K"},
	})
	if err != nil {
		return err
	}

	// Day d of January has the value 280 + d everywhere.
	january := make([]float32, 31*180*360)
	for i := range january {
		january[i] = 280 + float32(i/(180*360))
	}
	if err := zarr.Write(ctx, a, january, zarr.Range(0, 31)); err != nil {
		return err
	}

	// Five days of one point. The last two days were never written.
	days, err := zarr.Read[float32](ctx, a, zarr.Range(28, 33), zarr.At(90), zarr.At(180))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, days)
	return nil
}
