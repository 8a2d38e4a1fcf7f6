package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
)

type copyCmd struct {
	From string `arg:"" name:"source" help:"The array, or the group with all that is below it."`
	To   string `arg:"" name:"target" help:"Where the copy is made. No node may be there."`
	copyFlags
	Resume bool `help:"Go on with a copy to the same place that was interrupted, as it was begun: other flags do not change it."`
	DryRun bool `name:"dry-run" help:"Only say what would be done: for each array how, and how many objects are read and written at most."`
}

// Run copies by a plan, which lies in the target until the copy is whole.
func (c *copyCmd) Run(ctx context.Context, s *session) error {
	o, check, err := c.options()
	if err != nil {
		return err
	}
	o.Masked = func(path, what string) { _, _ = fmt.Fprintf(s.out, "%s: %s\n", cmp.Or(path, "the array"), what) }
	if l, err := s.parseURL(c.To); err != nil || len(l.Inside) > 0 {
		if err != nil {
			return err
		}
		return c.archive(ctx, s, l, o, check)
	}
	e, err := s.openEnds(ctx, c.From, c.To, c.Root, c.separatorFlag.options()...)
	if err != nil {
		return err
	}
	defer func() { _ = e.close() }() // what is written is written by then
	p, err := c.plan(ctx, s, e, o)
	if err == nil && !c.Resume { // the arrays of a plan that was saved were not asked for what flags change
		err = check()
	}
	if err != nil {
		return e.target.fail(trimmed(err))
	}
	if c.DryRun {
		return c.dryRun(ctx, s, e, o, p)
	}
	if !c.Resume {
		if err := transfer.Save(ctx, e.target.Store, p); err != nil {
			return e.target.fail(err)
		}
	}
	open := s.opener(map[string]openurl.Location{p.Source.Store: e.from, p.Target.Store: e.to})
	last, err := s.runPlan(ctx, p, open, transfer.RunOptions{})
	if err != nil {
		return &resumable{e.target.fail(err), "what is copied stays, and --resume goes on"}
	}
	if err := transfer.Clean(ctx, p, open); err != nil {
		return e.target.fail(err)
	}
	if _, err := fmt.Fprintf(s.out, "copied %s, %s\n", plural(writtenArrays(p), "array"), sizeText(big.NewInt(last.Moved.BytesWritten))); err != nil {
		return err
	}
	n, err := zarr.Open(ctx, e.target.Store, e.toPath, s.options()...)
	if err != nil {
		return e.target.fail(err)
	}
	return consolidateFlag{c.Consolidate}.after(ctx, s, e.target, n)
}

// dryRun prints the plan, and what it would take without intermediate arrays, if it has some.
func (c *copyCmd) dryRun(ctx context.Context, s *session, e *ends, o transfer.Options, p *transfer.Plan) error {
	if err := printPlan(s.out, p); err != nil || len(p.Documents.Temporary) == 0 || c.Resume {
		return err
	}
	o, err := e.options(o)
	if err != nil {
		return err
	}
	o.OneStage, o.Masked = true, nil
	one, err := transfer.NewPlan(ctx, e.node, nil, o)
	if err != nil {
		return e.target.fail(trimmed(err))
	}
	tasks, reads, writes, err := sums(one)
	if err == nil {
		_, err = fmt.Fprintf(s.out, "without temporary arrays: %s, at most %d reads and %d writes\n", plural(tasks, "task"), reads, writes)
	}
	return err
}

// sums are what a plan takes at most.
func sums(p *transfer.Plan) (tasks int, reads, writes int64, err error) {
	costs, err := p.Costs()
	for _, c := range costs {
		reads, writes, tasks = reads+c.Reads, writes+c.Writes, tasks+c.Tasks
	}
	return tasks, reads, writes, err
}

// plan makes the plan, or finds the one that is to be gone on with.
func (c *copyCmd) plan(ctx context.Context, s *session, e *ends, o transfer.Options) (*transfer.Plan, error) {
	o, err := e.options(o)
	if err != nil {
		return nil, err
	}
	if !c.Resume {
		return transfer.NewPlan(ctx, e.node, e.target.Store, o)
	}
	p, err := transfer.Saved(ctx, e.target.Store, e.toPath)
	if err != nil {
		return nil, err
	}
	if o.Source.Path = e.node.Path(); p.Source != o.Source || p.Target != o.Target {
		return nil, fault.Newf(fault.Conflict, "the copy that was begun there is of %q in %s", p.Source.Path, where(p.Source.Store))
	}
	return p, nil
}

// resumable is the error of work that can be gone on with.
type resumable struct {
	err error
	how string
}

func (r *resumable) Error() string { return r.err.Error() + "; " + r.how }
func (r *resumable) Unwrap() error { return r.err }

// trimmed leaves out what package transfer says of itself.
func trimmed(err error) error {
	return &reworded{strings.ReplaceAll(err.Error(), "transfer: ", ""), err}
}

// writtenArrays is how many arrays a plan writes for good.
func writtenArrays(p *transfer.Plan) (n int) {
	for _, stage := range p.Stages {
		for _, step := range stage.Steps {
			if step.To != nil && step.To.In == transfer.Target {
				n++
			}
		}
	}
	return n
}

// outsideHeap is how much memory the program itself takes, which Go's limit does not count. A
// sixteenth more is for what is taken before it works.
const outsideHeap = 40 << 20

// keepTo limits the heap, unless GOMEMLIMIT does, until the function that it returns is called.
func keepTo(memory int64) func() {
	was := debug.SetMemoryLimit(-1)
	if was == math.MaxInt64 {
		debug.SetMemoryLimit(max(memory/16*15-outsideHeap, memory/2))
	}
	return func() { debug.SetMemoryLimit(was) }
}

// runPlan runs tasks of a plan within its memory, and returns how far it came.
func (s *session) runPlan(ctx context.Context, p *transfer.Plan, open transfer.Opener, o transfer.RunOptions) (last transfer.Progress, err error) {
	defer keepTo(p.Memory)()
	s.far.begin(work{unit: "tasks", verb: "written"})
	o.Zarr = append(o.Zarr, s.options()...)
	shared := concurrency.Default()
	o.Limits = &concurrency.Limits{CPU: shared.CPU, Requests: shared.Requests, Bytes: concurrency.NewBudget(p.Budget())}
	o.Progress = func(x transfer.Progress) {
		last = x
		s.far.before.Store(int64(x.Skipped))
		s.far.moved.Store(x.Moved.BytesWritten)
		s.far.at(int64(x.Done), int64(x.Tasks))
	}
	err = transfer.Run(ctx, p, open, o)
	if err != nil {
		err = trimmed(err)
	}
	return last, err
}

// printPlan prints a line for each step, and the sums.
func printPlan(w io.Writer, p *transfer.Plan) error {
	costs, err := p.Costs()
	if err != nil {
		return err
	}
	tasks, reads, writes, err := sums(p)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range costs {
		if c.Step.To == nil {
			continue
		}
		path := c.Step.To.Path
		if c.Step.To.In == transfer.Temporary {
			path += " (temporary)"
		}
		if path == "" {
			path = "."
		}
		fmt.Fprintf(table, "%s\t%s\t%s\treads %d\twrites %d\t%s\n", oneLine(path), c.Step.Kind, plural(c.Tasks, "task"), c.Reads, c.Writes, sizeText(big.NewInt(c.Bytes)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s, at most %d reads and %d writes, and %s to keep track; %s of memory\n", plural(tasks, "task"), reads, writes, plural(tasks, "write"), sizeText(big.NewInt(p.Memory)))
	return err
}
