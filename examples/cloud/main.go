package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/zargo-io/zargo/examples/mainjob"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "cloud:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("cloud", flag.ContinueOnError)
	flags.SetOutput(out)
	mib := flags.Int("mib", 64, "size of the array in `MiB`, rounded up to a multiple of 8")
	keep := flags.Bool("keep", false, "leave the array behind")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("the argument must be one URL, such as s3://bucket/folder?region=eu-central-1 or gs://bucket/folder, or a directory")
	}
	st, err := all.Mux().Open(ctx, flags.Arg(0))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	fmt.Fprintf(out, "At most %d requests in flight: %s.\n", store.TuningOf(st).Requests, store.TuningOf(st).Reason)

	// Use a unique name, so that runs do not collide and no other objects are removed.
	name := "zargo-example-" + strings.ToLower(rand.Text())
	if !*keep {
		defer func() {
			// Remove the array even after an interrupt, which ends ctx.
			err = errors.Join(err, store.DeleteBelow(context.WithoutCancel(ctx), st, name))
		}()
	}
	below, err := store.Prefix(st, name)
	if err != nil {
		return err
	}
	if err := (mainjob.Job{Path: "values", MiB: *mib, Out: out}).Run(ctx, below); err != nil {
		return err
	}
	if *keep {
		fmt.Fprintf(out, "The array is at %s.\n", name+"/values")
	}
	return nil
}
