// Command zargo-import writes the rows of tables (Parquet, Arrow or CSV) to a Zarr group. Columns
// contain the labels of its dimensions:
//
//	zargo-import january.parquet s3://bucket/era5 --labels time,lat,lon --extend time
//	zargo-import stations.csv new.zarr --labels time,station --chunks time=1000 --dry-run
//
// It is a program of its own because the command zargo does not link Arrow. The format of a file
// follows from its name (.arrow, .feather, .arrows, .parquet, .csv). After an interruption, the
// same command completes the import.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/openurl/all"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "zargo-import:", err)
		os.Exit(1)
	}
}

// options are the arguments of the command.
type options struct {
	paths  []string // of the files, and the URL
	format string
	dry    bool
	arrow.ImportOptions
}

// parse parses the arguments. Files and the URL may precede the flags.
func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("zargo-import FILE... URL", flag.ContinueOnError)
	f.SetOutput(io.Discard) // main prints the error
	names := func(to *[]string) func(string) error {
		return func(text string) error { *to = strings.Split(text, ","); return nil }
	}
	f.Func("labels", "columns with the labels of the dimensions: time,lat,lon (required)", names(&o.Labels))
	f.Func("vars", "columns that become variables: t2m,tp; the default is all other columns", names(&o.Columns))
	f.StringVar(&o.Extend, "extend", "", "dimension of an existing group that grows by new labels")
	f.BoolVar(&o.LastWins, "last-wins", false, "of several rows with the same labels, store the last one")
	f.Func("chunks", "lengths of the chunks of a new group: time=24,lat=100", func(text string) error {
		o.Chunks = map[string]int{}
		for item := range strings.SplitSeq(text, ",") {
			dim, n, _ := strings.Cut(item, "=")
			length, err := strconv.Atoi(n)
			if err != nil || length < 1 {
				return fmt.Errorf("%q is not DIMENSION=LENGTH", item)
			}
			o.Chunks[dim] = length
		}
		return nil
	})
	f.IntVar(&o.Format, "zarr-format", 3, "Zarr format of a new group: 2 or 3")
	f.Int64Var(&o.Memory, "memory", 0, "maximum bytes of rows in memory; the default is a quarter of the budget, at most 256 MiB")
	f.DurationVar(&o.Wait, "wait", 0, "wait this long for other appends to end")
	f.DurationVar(&o.TakeOver, "take-over", 0, "take over an append whose process has not renewed its claim for this long")
	f.StringVar(&o.format, "format", "", "arrow, stream, parquet or csv; the default follows from the names of the files")
	f.BoolVar(&o.dry, "dry-run", false, "print the dimensions, the variables and the requests, without writing")
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				f.SetOutput(out)
				f.Usage()
			}
			return o, err
		}
		if args = f.Args(); len(args) > 0 {
			o.paths, args = append(o.paths, args[0]), args[1:]
		}
	}
	if len(o.paths) < 2 || len(o.Labels) == 0 {
		return o, fmt.Errorf("files, the URL of a group and --labels are needed")
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parse(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	var from []arrow.Source
	for _, path := range o.paths[:len(o.paths)-1] {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		s, err := o.open(file)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		from = append(from, s)
	}
	st, err := all.Mux().Open(ctx, o.paths[len(o.paths)-1])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if o.dry {
		p, err := arrow.PlanImport(ctx, st, "", o.ImportOptions, from...)
		if err != nil {
			return err
		}
		return describe(out, p)
	}
	var rows int64
	last := time.Now()
	o.Progress = func(n int64) {
		if rows = n; time.Since(last) > 5*time.Second {
			last = time.Now()
			fmt.Fprintln(os.Stderr, "zargo-import:", n, "rows")
		}
	}
	if _, err = arrow.Import(ctx, st, "", o.ImportOptions, from...); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d rows\n", rows)
	return err
}

// open opens a file in the format of --format, or that of its name.
func (o options) open(file *os.File) (arrow.Source, error) {
	f := arrow.Format(o.format)
	if f == "" {
		var ok bool
		if f, ok = arrow.FormatOf(file.Name()); !ok {
			return nil, fmt.Errorf("the format is unknown: use --format")
		}
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return arrow.OpenSource(file, info.Size(), f)
}

// describe prints a plan.
func describe(w io.Writer, p *arrow.ImportPlan) error {
	what := "an existing group"
	if p.New {
		what = "a new group"
	}
	text := fmt.Sprintf("%d rows to %s with the dimensions %v", p.Rows, what, p.Dims)
	if p.More > 0 {
		text += fmt.Sprintf(", of which %d labels are new", p.More)
	}
	for _, a := range p.Vars {
		text += fmt.Sprintf("\n  %-16s %v, dimensions %v, chunks %v", a.Name(), a.DType(), a.Dims(), a.Chunks())
	}
	_, err := fmt.Fprintf(w, "%s\nat most %d requests for chunks, if each is written once\n", text, p.Most.Requests())
	return err
}
