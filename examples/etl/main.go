package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, all.Mux(), os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "etl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, urls openurl.Mux, args []string, out io.Writer) error {
	switch {
	case len(args) >= 3 && args[0] == "append":
		return appendDays(ctx, urls, args[1], args[2:], out)
	case len(args) == 3 && args[0] == "series":
		return series(ctx, urls, args[1], args[2], out)
	}
	return errors.New("usage: etl append DATASET DAY…, or etl series DATASET TARGET")
}

// with opens a store, calls do with the store, and closes the store.
func with(ctx context.Context, urls openurl.Mux, url string, do func(store.Store) error) (err error) {
	st, err := urls.Open(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return do(st)
}
