// Command zargo-export writes the variables of a Zarr group as a table: Parquet, Arrow or CSV.
//
//	zargo-export s3://bucket/era5 --vars t2m --sel time=2020-01,lat=50:40 -o january.parquet
//	zargo-export weather.zarr --dims time,lat,lon --format csv
//	zargo-export weather.zarr --count
//
// It is a program of its own because the command zargo does not link Arrow. The format of a file
// follows from its name (.arrow, .feather, .arrows, .parquet, .csv); the standard output gets the
// Arrow stream. A file appears when it is complete.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/zargo-io/zargo/arrow"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/openurl/all"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "zargo-export:", err)
		os.Exit(1)
	}
}

// options are the arguments of the command.
type options struct {
	url, dims, vars, sel, format, file string
	count                              bool
}

// parse parses the arguments. The URL may precede the flags.
func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("zargo-export URL", flag.ContinueOnError)
	f.SetOutput(io.Discard) // main prints the error
	f.StringVar(&o.dims, "dims", "", "dimensions of the table, if variables have several sets: time,lat,lon")
	f.StringVar(&o.vars, "vars", "", "variables and coordinates, beside those of the dimensions: t2m,tp")
	f.StringVar(&o.sel, "sel", "", "labels to select: time=2020-01,lat=50:40")
	f.StringVar(&o.format, "format", "", "arrow, stream, parquet or csv; the default follows from the name of the file")
	f.StringVar(&o.file, "o", "-", "file to write; - is the standard output")
	f.BoolVar(&o.count, "count", false, "print the number of rows and the columns of each table, without reading variables")
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				f.SetOutput(out)
				f.Usage()
			}
			return o, err
		}
		if args = f.Args(); len(args) > 0 {
			if o.url != "" {
				return o, fmt.Errorf("one URL is needed, got %q and %q", o.url, args[0])
			}
			o.url, args = args[0], args[1:]
		}
	}
	if o.url == "" {
		return o, fmt.Errorf("the URL of a group is missing")
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
	format, err := o.formatOf()
	if err != nil {
		return err
	}
	st, err := all.Mux().Open(ctx, o.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	ds, err := dataset.Open(ctx, st, "", dataset.Options{})
	if err != nil {
		return err
	}
	if o.count && o.dims == "" {
		tables, err := arrow.Tables(ds)
		for _, t := range tables {
			if t, err = o.rows(t); err != nil {
				return err
			}
			if err = describe(out, t); err != nil {
				return err
			}
		}
		return err
	}
	t, err := arrow.New(ds, list(o.dims)...)
	if err != nil {
		return err
	}
	if o.vars != "" {
		if t, err = t.Select(list(o.vars)...); err != nil {
			return err
		}
	}
	if t, err = o.rows(t); err != nil {
		return err
	}
	for _, f := range t.Findings() {
		fmt.Fprintln(os.Stderr, "zargo-export:", f.Text)
	}
	switch {
	case o.count:
		return describe(out, t)
	case o.file == "-":
		return t.Write(ctx, out, format)
	}
	return write(ctx, o.file, t, format)
}

// rows returns the selected rows of a table.
func (o options) rows(t *arrow.Table) (*arrow.Table, error) {
	if o.sel == "" {
		return t, nil
	}
	q, err := dataset.Parse(o.sel)
	if err != nil {
		return nil, err
	}
	return t.Sel(q...)
}

// formatOf returns the format in --format, or the one of the file's name.
func (o options) formatOf() (arrow.Format, error) {
	if o.format != "" {
		for _, f := range arrow.Formats() {
			if o.format == string(f) {
				return f, nil
			}
		}
		return "", fmt.Errorf("--format is %q, but must be one of %q", o.format, arrow.Formats())
	}
	if o.file == "-" {
		return arrow.Stream, nil
	}
	f, ok := arrow.FormatOf(o.file)
	if !ok {
		return "", fmt.Errorf("the format of %s is unknown: use --format", o.file)
	}
	return f, nil
}

// describe prints the size and the columns of a table.
func describe(w io.Writer, t *arrow.Table) error {
	_, err := fmt.Fprintf(w, "%d rows of %v\n", t.Count(), t.Dims())
	for _, f := range t.Schema().Fields() {
		if err == nil {
			_, err = fmt.Fprintf(w, "  %-16s %v\n", f.Name, f.Type)
		}
	}
	return err
}

// write writes a table to a file, which replaces an existing one when it is complete.
func write(ctx context.Context, path string, t *arrow.Table, f arrow.Format) error {
	w, err := os.OpenFile(fmt.Sprintf("%s.part-%d", path, os.Getpid()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if err = errors.Join(t.Write(ctx, w, f), w.Close()); err == nil {
		err = os.Rename(w.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(w.Name()))
	}
	return nil
}

// list returns the names in a text.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
