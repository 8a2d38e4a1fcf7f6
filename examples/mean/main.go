package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
)

func main() {
	from := flag.Int("from", 0, "first `index` along the first dimension")
	to := flag.Int("to", 1, "`index` after the last")
	flag.Parse()
	m, err := mean(context.Background(), flag.Arg(0), *from, *to)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m)
}

func mean(ctx context.Context, url string, from, to int) (float64, error) {
	st, err := all.Mux().Open(ctx, url)
	if err != nil {
		return 0, err
	}
	defer func() { _ = st.Close() }()
	a, err := zarr.OpenArray(ctx, st, "")
	if err != nil {
		return 0, err
	}
	values, err := zarr.ReadAs[float64](ctx, a, zarr.Range(from, to))
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values)), nil
}
