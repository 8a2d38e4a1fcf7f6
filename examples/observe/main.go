package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"

	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	err := run(ctx, os.Args[1:], os.Stdout, log)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "observe:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, log *slog.Logger) (err error) {
	if len(args) != 1 {
		return errors.New("the argument must be the URL of an array")
	}
	st, err := all.Mux().Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return read(ctx, st, out, log)
}

// read checks every chunk of the array at the store's root.
func read(ctx context.Context, st store.Store, out io.Writer, log *slog.Logger) error {
	ctx = store.WithTrace(ctx, trace(log))
	var report zarr.Report
	a, err := zarr.OpenArray(ctx, requests(st, log), "", zarr.WithReport(&report))
	if err != nil {
		return err
	}
	if err := a.Check(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, &report)
	return err
}
