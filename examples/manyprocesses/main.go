package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "manyprocesses:", err)
		os.Exit(1)
	}
}

// The shape of the array and of its chunks. Each chunk has rowsShared rows, so all processes write
// to each chunk.
const (
	rows, cols             = 48, 64
	rowsShared, colsShared = 16, 32
)

// value returns the value at a position. It never equals the fill value, 0.
func value(row, col int) int32 { return int32(1 + row*cols + col) }

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("manyprocesses", flag.ContinueOnError)
	flags.SetOutput(out)
	processes := flags.Int("processes", 4, "`number` of processes that write")
	worker := flags.Int("worker", -1, "be process `k`; the command says this to those it starts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *processes < 1 || *processes > rows {
		return fmt.Errorf("the argument must be the URL of a new array, and processes must be 1 to %d", rows)
	}
	if *worker >= 0 {
		return write(ctx, flags.Arg(0), *worker, *processes, in, out)
	}
	return lead(ctx, flags.Arg(0), *processes, out)
}

// open opens the array or, if create is true, creates it.
func open(ctx context.Context, url string, create bool, opts ...zarr.Option) (*zarr.Array, error) {
	st, err := all.Mux().Open(ctx, url)
	if err != nil {
		return nil, err
	}
	if create {
		return zarr.Create(ctx, st, "", zarr.Spec{Shape: []int{rows, cols}, Chunks: []int{rowsShared, colsShared}, DType: dtype.Int32}, opts...)
	}
	return zarr.OpenArray(ctx, st, "", opts...)
}

// lead creates the array, starts the processes that write it, and checks every value.
func lead(ctx context.Context, url string, processes int, out io.Writer) (err error) {
	a, err := open(ctx, url, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Store().Close()) }()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	gate := newGate(processes)
	conflicts := make([]int, processes)
	err = concurrency.EachN(ctx, processes, processes, func(ctx context.Context, k int) (err error) {
		cmd := exec.CommandContext(ctx, program, "-processes", strconv.Itoa(processes), "-worker", strconv.Itoa(k), url)
		conflicts[k], err = gate.start(ctx, cmd)
		return err
	})
	if err != nil {
		return err
	}
	values, err := zarr.Read[int32](ctx, a)
	if err != nil {
		return err
	}
	for i, v := range values {
		if want := value(i/cols, i%cols); v != want {
			return fmt.Errorf("a write was lost: [%d, %d] is %d, want %d", i/cols, i%cols, v, want)
		}
	}
	sum := 0
	for _, n := range conflicts {
		sum += n
	}
	fmt.Fprintf(out, "%d processes wrote %d rows; every value arrived, %d writes were done again\n", processes, rows, sum)
	return nil
}

// write does the work of one process: it prints "ready", waits for a line, and writes its rows.
func write(ctx context.Context, url string, k, processes int, in io.Reader, out io.Writer) (err error) {
	var report zarr.Report
	a, err := open(ctx, url, false, zarr.WithReport(&report))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Store().Close()) }()
	fmt.Fprintln(out, "ready")
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return fmt.Errorf("waiting for the start: %w", err)
	}
	row := make([]int32, cols)
	for r := k; r < rows; r += processes {
		for c := range row {
			row[c] = value(r, c)
		}
		if err := zarr.Write(ctx, a, row, zarr.At(r)); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, report.Conflicts.Load())
	return nil
}
