package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

type pyramidCmd struct {
	URL    string   `arg:"" name:"url" help:"The array. It must be in a group."`
	Levels int      `help:"Number of levels to create. By default levels are created until the downsampled dimensions fit into one chunk." placeholder:"N"`
	Factor int      `help:"Length of a window along each dimension, 2 to 64. Each window becomes one element." default:"2"`
	Method string   `help:"How a window becomes one element: mean, nearest or mode. mean and mode exclude missing values. Means of integers are rounded to the nearest, ties to even." enum:"mean,nearest,mode" default:"mean"`
	Dims   []string `help:"Dimensions to downsample. The default is the two with names such as y,x or lat,lon, and otherwise the last two." placeholder:"NAME,…"`
	MaxMem string   `name:"max-mem" help:"Maximum memory of the process, such as 512MiB, unless single chunks need more. The default is 192MiB." placeholder:"BYTES"`
	DryRun bool     `name:"dry-run" help:"Print the levels, and the requests and the cost of creating them, without writing."`
	priceFlags
	consolidateFlag
}

// pyramidMemory is the default of --max-mem.
const pyramidMemory = 192 << 20

// Run creates the levels of a pyramid and prints their paths and shapes.
func (c *pyramidCmd) Run(ctx context.Context, s *session) error {
	return s.runOrPlan(ctx, c.DryRun, c.priceFlags, c.run)
}

func (c *pyramidCmd) run(ctx context.Context, s *session) error {
	memory := int64(pyramidMemory)
	if c.MaxMem != "" {
		n, err := parseSize("--max-mem", c.MaxMem)
		if err != nil {
			return err
		}
		memory = int64(n)
	}
	o := pyramid.Options{Dims: c.Dims, Factor: c.Factor, Levels: c.Levels, Memory: max(memory/2, 1), Zarr: s.options()}
	var err error
	if o.Method, err = pyramid.ParseMethod(c.Method); err != nil {
		return err
	}
	p, n, err := s.openRooted(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.release()
	if _, ok := n.(*zarr.Array); !ok || n.Path() == "" {
		return p.fail(fault.Newf(fault.Selection, "the URL must name an array in a group"))
	}
	defer keepTo(memory)()
	o.Limits = limitsOf(o.Memory)
	s.far.begin(work{unit: "objects", verb: "written", moved: s.report.BytesWritten.Load})
	o.Progress = func(x pyramid.Progress) {
		s.far.before.Store(int64(x.Skipped))
		s.far.at(int64(x.Done), int64(x.Objects))
	}
	o.Dropped = s.dropped
	if c.DryRun {
		o.Plan = s.rehearsed.add
	}
	levels, err := pyramid.Build(s.expecting(ctx), p.Store, n.Path(), o)
	if err != nil {
		err = p.fail(reword(strings.TrimPrefix(err.Error(), fmt.Sprintf("pyramid of %q: ", n.Path())), err))
		if ctx.Err() != nil {
			err = resume(err, "the written chunks are kept: continue with the same command")
		}
		return err
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, l := range levels {
		shape := make([]string, len(l.Shape))
		for d, n := range l.Shape {
			shape[d] = strconv.Itoa(n)
		}
		fmt.Fprintf(table, "%s\t%s\n", render.OneLine(l.Path), strings.Join(shape, ","))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return c.consolidated(ctx, s, p, n.(*zarr.Array), levels[1:])
}

// consolidated updates the consolidated metadata of the groups above the levels. Without
// --consolidate it prints a warning if that metadata is out of date.
func (c *pyramidCmd) consolidated(ctx context.Context, s *session, p *place, source *zarr.Array, levels []pyramid.Level) error {
	paths := []string{levels[0].Path} // sufficient for the warning
	if c.Consolidate {
		group := path.Dir(levels[0].Path) // the group whose attributes have changed
		own := path.Base(source.Path()) != "0"
		if own { // each level has its own group
			group = path.Dir(group)
		}
		paths = []string{group}
		for _, l := range levels {
			paths = append(paths, l.Path)
			for _, name := range source.Dims() {
				if own {
					paths = append(paths, path.Join(path.Dir(l.Path), name))
				}
			}
		}
	}
	for _, at := range paths {
		if at == "." {
			at = ""
		}
		n, err := zarr.Open(s.expecting(ctx), p.Store, at, s.options(zarr.IgnoreConsolidated())...)
		switch {
		case errors.Is(err, fault.NotFound): // the dimension has no coordinate
			continue
		case err != nil:
			return p.fail(err)
		}
		if err := c.after(ctx, s, p, n); err != nil {
			return err
		}
	}
	return nil
}
