package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/zargo-io/zargo/examples/mainjob"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(out)
	mib := flags.Int("mib", 256, "size of the array in `MiB`, rounded up to a multiple of 8")
	path := flags.String("dir", "", "`directory` to make for the array; it must not exist (default a temporary one)")
	keep := flags.Bool("keep", false, "leave the directory behind")
	delay := flags.Duration("delay", 10*time.Millisecond, "`time` added to every request in a second round of reading; 0 leaves it out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}

	root, err := makeDir(*path)
	if err != nil {
		return err
	}
	defer func() {
		if !*keep {
			err = errors.Join(err, os.RemoveAll(root))
		}
	}()
	st := dir.New(root)
	if err := (mainjob.Job{Path: "demo/values", MiB: *mib, Delay: *delay, Out: out}).Run(ctx, st); err != nil {
		return errors.Join(err, st.Close())
	}
	if *keep {
		fmt.Fprintf(out, "The array is in %s.\n", root)
	}
	return st.Close()
}

// makeDir creates a new directory and fails if it exists, so that the program never overwrites or
// removes a user's files.
func makeDir(path string) (string, error) {
	if path == "" {
		return os.MkdirTemp("", "zargo-quickstart-")
	}
	return path, os.Mkdir(path, 0o777)
}
