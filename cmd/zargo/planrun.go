package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/transfer"
)

// What this file does with a plan is what copy, copy into an archive and transfer have in common.

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
		fmt.Fprintf(table, "%s\t%s\t%s\treads %d\twrites %d\t%s\n", render.OneLine(path), c.Step.Kind, render.Plural(c.Tasks, "task"), c.Reads, c.Writes, render.Size(big.NewInt(c.Bytes)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s, at most %d reads and %d writes, and %s to keep track; %s of memory\n", render.Plural(tasks, "task"), reads, writes, render.Plural(tasks, "write"), render.Size(big.NewInt(p.Memory)))
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
