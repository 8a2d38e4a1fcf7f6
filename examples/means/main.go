package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "means:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("means", flag.ContinueOnError)
	flags.SetOutput(out)
	every := flags.Int("every", 24, "`elements` of the first axis that make one mean")
	tasks := flags.Int("tasks", 2*runtime.GOMAXPROCS(0), "`number` of regions in memory at once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 || flags.Arg(0) == flags.Arg(1) || *every < 1 || *tasks < 1 {
		return errors.New("the arguments must be the URLs of the array to read and of the array to write, and numbers must be positive")
	}
	from, err := all.Mux().Open(ctx, flags.Arg(0))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := all.Mux().Open(ctx, flags.Arg(1))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()

	var read, written zarr.Report
	a, err := zarr.OpenArray(ctx, from, "", zarr.WithReport(&read))
	if err != nil {
		return err
	}
	spec, err := means(a, *every)
	if err != nil {
		return err
	}
	b, err := zarr.OpenOrCreate(ctx, to, "", spec, zarr.WithReport(&written))
	if err != nil {
		return err
	}
	begin := time.Now()
	j := job{from: a, to: b, every: *every, tasks: *tasks}
	if a.DType() == dtype.Float32 {
		err = each[float32](ctx, j)
	} else {
		err = each[float64](ctx, j)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%v chunks read, %v written, in %v\n", read.Chunks.Load(), written.Chunks.Load(), time.Since(begin).Round(time.Millisecond))
	return nil
}
