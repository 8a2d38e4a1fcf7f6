package copying

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Pyramid is the command pyramid.
type Pyramid struct {
	URL    string   `arg:"" name:"url" help:"The array. It must be in a group."`
	Levels int      `help:"Number of levels to create. By default levels are created until the downsampled dimensions fit into one chunk." placeholder:"N"`
	Factor int      `help:"Length of a window along each dimension, 2 to 64. Each window becomes one element." default:"2"`
	Method string   `help:"How a window becomes one element: mean, nearest or mode. mean and mode exclude missing values. Means of integers are rounded to the nearest, ties to even." enum:"mean,nearest,mode" default:"mean"`
	Dims   []string `help:"Dimensions to downsample. The default is the two with names such as y,x or lat,lon, and otherwise the last two." placeholder:"NAME,…"`
	MaxMem string   `name:"max-mem" help:"Maximum memory of the process, such as 512MiB, unless single chunks need more. The default is 192MiB." placeholder:"BYTES"`
	DryRun bool     `name:"dry-run" help:"Print the levels, and the requests and the cost of creating them, without writing."`
	cost.Prices
	session.ConsolidateFlag
}

// pyramidMemory is the default of --max-mem.
const pyramidMemory = 192 << 20

// Run creates the levels of a pyramid and prints their paths and shapes.
func (c *Pyramid) Run(ctx context.Context, s *session.Session) error {
	return s.RunOrPlan(ctx, c.DryRun, c.Prices, c.run)
}

func (c *Pyramid) run(ctx context.Context, s *session.Session) error {
	memory, err := argument.SizeOr("--max-mem", c.MaxMem, pyramidMemory)
	if err != nil {
		return err
	}
	o := pyramid.Options{Dims: c.Dims, Factor: c.Factor, Levels: c.Levels, Memory: max(memory/2, 1), Zarr: s.Options()}
	if o.Method, err = pyramid.ParseMethod(c.Method); err != nil {
		return err
	}
	p, n, err := s.OpenRooted(ctx, c.URL)
	if err != nil {
		return err
	}
	defer p.Release()
	if _, ok := n.(*zarr.Array); !ok || n.Path() == "" {
		return p.Fail(fault.Newf(fault.Selection, "the URL must name an array in a group"))
	}
	defer session.KeepTo(memory)()
	o.Limits = session.LimitsOf(o.Memory)
	s.Far.Begin(progress.Work{Unit: "objects", Verb: "written", Moved: s.Report.BytesWritten.Load})
	o.Progress = func(x pyramid.Progress) {
		s.Far.Before.Store(int64(x.Skipped))
		s.Far.At(int64(x.Done), int64(x.Objects))
	}
	o.Dropped = s.Dropped
	if c.DryRun {
		o.Plan = s.Rehearsed.Add
	}
	levels, err := pyramid.Build(s.Expecting(ctx), p.Store, n.Path(), o)
	if err != nil {
		err = p.Fail(exit.Reword(strings.TrimPrefix(err.Error(), fmt.Sprintf("pyramid of %q: ", n.Path())), err))
		if ctx.Err() != nil {
			err = exit.Resume(err, "the written chunks are kept: continue with the same command")
		}
		return err
	}
	table := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, l := range levels {
		fmt.Fprintf(table, "%s\t%s\n", render.OneLine(l.Path), strings.ReplaceAll(strings.Trim(fmt.Sprint(l.Shape), "[]"), " ", ","))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return c.consolidated(ctx, s, p, n.(*zarr.Array), levels[1:])
}

// consolidated updates the consolidated metadata of the groups above the levels. Without
// --consolidate it prints a warning if that metadata is out of date.
func (c *Pyramid) consolidated(ctx context.Context, s *session.Session, p *session.Place, source *zarr.Array, levels []pyramid.Level) error {
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
		n, err := zarr.Open(s.Expecting(ctx), p.Store, at, s.Options(zarr.IgnoreConsolidated())...)
		switch {
		case errors.Is(err, fault.NotFound): // the dimension has no coordinate
			continue
		case err != nil:
			return p.Fail(err)
		}
		if err := c.After(ctx, s, p, n); err != nil {
			return err
		}
	}
	return nil
}
