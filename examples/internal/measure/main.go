package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	flags.SetOutput(out)
	starts := flags.Int("starts", 10, "`number` of starts of each function")
	sizes := flags.Bool("sizes", false, "only the size of the smallest program with each store")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *starts < 1 {
		return errors.New("the command takes no arguments, and -starts must be at least 1")
	}
	temp, err := os.MkdirTemp("", "zargo-measure-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	fmt.Fprintf(out, "%s, %s/%s, stripped, without cgo\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if *sizes {
		return printSizes(ctx, temp, out)
	}
	array := filepath.Join(temp, "array")
	if err := makeArray(ctx, array); err != nil {
		return err
	}
	for _, f := range functions() {
		if err := f.measure(ctx, temp, array, *starts, out); err != nil {
			return err
		}
	}
	return nil
}

func printSizes(ctx context.Context, temp string, out io.Writer) error {
	for _, s := range programs() {
		_, size, err := s.build(ctx, temp)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-12s %5.1f MB\n", s.name, float64(size)/1e6)
	}
	return nil
}

// function is an example that a cloud provider starts on demand.
type function struct {
	name  string
	tags  []string
	start func(ctx context.Context, program, array, request string) (start, error)
	ask   string
}

// answer is the expected response: two values in two chunks of the array that makeArray creates.
const answer = `{"shape":[1,2],"dtype":"float32","values":[63,64]}`

func functions() []function {
	return []function{
		{"lambda", []string{"lambda.norpc"}, awsLambda, `{"region":"0,63:65"}`},
		{"cloudrun", nil, cloudRun, "0,63:65"},
	}
}

func makeArray(ctx context.Context, path string) error {
	a, err := zarr.Create(ctx, dir.New(path), "", zarr.Spec{Shape: []int{128, 128}, Chunks: []int{64, 64}, DType: dtype.Float32})
	if err != nil {
		return err
	}
	values := make([]float32, a.Len())
	for i := range values {
		values[i] = float32(i)
	}
	return zarr.Write(ctx, a, values)
}

func (f function) measure(ctx context.Context, temp, array string, starts int, out io.Writer) error {
	program, size, err := build(ctx, module+"examples/"+f.name, filepath.Join(temp, f.name), f.tags...)
	if err != nil {
		return err
	}
	took := make([]time.Duration, 0, starts)
	for range starts {
		s, err := f.start(ctx, program, array, f.ask)
		if err != nil {
			return err
		}
		if s.answer != answer {
			return fmt.Errorf("%s responded with %s, want %s", f.name, s.answer, answer)
		}
		took = append(took, s.took)
	}
	slices.Sort(took)
	fmt.Fprintf(out, "%-9s %5.1f MB, first answer after %v (median of %d starts; %v to %v)\n", f.name, float64(size)/1e6,
		took[len(took)/2].Round(time.Millisecond/10), starts, took[0].Round(time.Millisecond/10), took[len(took)-1].Round(time.Millisecond/10))
	return nil
}
