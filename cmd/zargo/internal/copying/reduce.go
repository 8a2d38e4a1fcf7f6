package copying

import (
	"context"
	"fmt"
	"path"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Reduce is the command reduce.
type Reduce struct {
	Source string   `arg:"" name:"source" help:"The dataset: a group, or an array in a group."`
	Target string   `arg:"" name:"target" help:"URL of the new dataset."`
	Op     string   `help:"How elements are reduced to one: mean, sum, min, max, count, std, first or last." enum:"mean,sum,min,max,count,std,first,last" default:"mean"`
	Over   []string `help:"Dimensions that the result does not have." placeholder:"NAME,…"`
	By     []string `help:"Groups along other dimensions: time=PERIOD, lat=N for windows of N elements, lat=N:trim or lat=N:pad if they do not fit, time=rolling:N for the N elements that end at each element. The periods are year, season, month, day and hour, and the recurring monthofyear, dayofyear, seasonofyear and hourofday." placeholder:"DIM=GROUPS"`
	Vars   []string `help:"Variables of the result. The default is all data variables." placeholder:"NAME,…"`

	KeepMissing bool     `name:"keep-missing" help:"A result is missing if one of its elements is. By default missing elements are left out."`
	MinCount    int      `name:"min-count" help:"Results of fewer elements that are not missing are missing." placeholder:"N"`
	Weights     string   `help:"Weights of the elements: a variable, or cos(lat) for the cosines of latitudes." placeholder:"NAME"`
	Sel         []string `sep:"none" help:"Select by label before the reduction, as in cat --sel: time=2020,lat=40:60." placeholder:"DIM=LABEL,…"`
	Format      int      `name:"zarr-format" help:"Zarr format of the result: 2 or 3. The default is that of the source." placeholder:"N"`
	MaxMem      string   `name:"max-mem" help:"Approximate memory of the process, such as 512MiB, unless single chunks need more. The default is 96MiB." placeholder:"BYTES"`
	Root        string   `help:"URL of the hierarchy that will contain the result." placeholder:"URL"`
}

// reduceMemory is the default of --max-mem.
const reduceMemory = 96 << 20

// Run writes the reduction and prints its variables.
func (c *Reduce) Run(ctx context.Context, s *session.Session) error {
	r := dataset.Reduction{Over: c.Over, Vars: c.Vars, KeepMissing: c.KeepMissing, MinCount: c.MinCount, Weights: c.Weights}
	var err error
	if r.Op, err = dataset.ParseOp(c.Op); err != nil {
		return err
	}
	for _, text := range c.By {
		g, err := dataset.ParseGrouping(text)
		if err != nil {
			return exit.Usagef("--by: %v", err)
		}
		r.By = append(r.By, g)
	}
	if c.Format != 0 && c.Format != 2 && c.Format != 3 {
		return exit.Usagef("--zarr-format must be 2 or 3, is %d", c.Format)
	}
	if len(r.Over)+len(r.By) == 0 {
		return exit.Usagef("reduce needs --over or --by")
	}
	memory, err := argument.SizeOr("--max-mem", c.MaxMem, reduceMemory)
	if err != nil {
		return err
	}
	defer session.KeepTo(memory)()
	d, p, err := c.open(ctx, s, &r, memory)
	if err != nil {
		return err
	}
	defer p.Release()
	to, err := s.LocateNew(ctx, c.Target, c.Root)
	if err != nil {
		return err
	}
	defer to.Release()
	s.Far.Begin(progress.Work{Unit: "tasks", Verb: "done", Moved: s.Report.BytesRead.Load})
	o := dataset.ReduceOptions{Format: c.Format, Memory: max(memory/6, 1<<20), Zarr: s.Options(), Progress: func(done, tasks int) { s.Far.At(int64(done), int64(tasks)) }}
	out, err := dataset.Reduce(ctx, d, r, to.Store, to.Path, o)
	if err != nil {
		if ctx.Err() != nil {
			return exit.Resume(to.Fail(err), "the written chunks are kept: continue with the same command")
		}
		return to.Fail(err)
	}
	for _, f := range out.Findings() {
		s.Warn("%s: %s", f.Path, f.Text)
	}
	table := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, v := range out.Vars() {
		var dims []string
		for _, x := range v.Dims() {
			dims = append(dims, fmt.Sprintf("%s=%d", x.Name, x.Len))
		}
		fmt.Fprintf(table, "%s\t%v\t%s\n", render.OneLine(v.Name()), v.Array().DType(), render.OneLine(fmt.Sprint(dims)))
	}
	return table.Flush()
}

// open opens the source, with the selection of --sel.
func (c *Reduce) open(ctx context.Context, s *session.Session, r *dataset.Reduction, memory int64) (*dataset.Dataset, *session.Place, error) {
	p, n, err := s.OpenRooted(ctx, c.Source)
	if err != nil {
		return nil, nil, err
	}
	at := n.Path()
	if a, ok := n.(*zarr.Array); ok {
		if at == "" || len(c.Vars) > 0 {
			p.Release()
			return nil, nil, p.Fail(fault.Newf(fault.Selection, "the source must be a group, or an array in a group without --vars"))
		}
		r.Vars = []string{a.Name()}
		if at = path.Dir(at); at == "." {
			at = ""
		}
	}
	limit := zarr.Limit(zarr.Limits{Shared: session.LimitsOf(max(memory/2, 1<<20))})
	d, err := dataset.Open(s.Expecting(ctx), p.Store, at, dataset.Options{}, s.Options(limit)...)
	for _, text := range c.Sel {
		var q []dataset.Query
		if err == nil {
			q, err = dataset.Parse(text)
		}
		if err == nil {
			d, err = d.Sel(q...)
		}
	}
	if err != nil {
		p.Release()
		return nil, nil, p.Fail(err)
	}
	return d, p, nil
}
