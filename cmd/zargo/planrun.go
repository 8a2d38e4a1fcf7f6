package main

import (
	"context"
	"errors"
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
	"github.com/zargo-io/zargo/zarr/fault"
)

// This file contains code that the commands copy and transfer share.

// trimmed removes the prefix of package transfer from an error's text.
func trimmed(err error) error {
	return &reworded{strings.ReplaceAll(err.Error(), "transfer: ", ""), err}
}

// planFailed adds a URL to the error of a plan. This is the URL of the source if a flag does not fit
// its arrays, and the URL of the target otherwise.
func (c *copyArgs) planFailed(target *place, err error) error {
	if errors.Is(err, fault.Selection) {
		return at(where(c.From), trimmed(err))
	}
	return target.fail(trimmed(err))
}

// writtenArrays returns the number of arrays that a plan writes to the target; temporary arrays do
// not count.
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

// outsideHeap is the memory that the program uses outside the heap. Go's memory limit does not
// include this memory. keepTo reserves another sixteenth for memory that is allocated before the
// limit takes effect.
const outsideHeap = 40 << 20

// keepTo limits the heap until the returned function is called. It does nothing if GOMEMLIMIT is
// set.
func keepTo(memory int64) func() {
	was := debug.SetMemoryLimit(-1)
	if was == math.MaxInt64 {
		debug.SetMemoryLimit(max(memory/16*15-outsideHeap, memory/2))
	}
	return func() { debug.SetMemoryLimit(was) }
}

// runPlan runs tasks of a plan within the plan's memory and returns the last progress.
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

// printPlan prints one line for each step, followed by the sums.
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
	_, err = fmt.Fprintf(w, "%s, at most %d reads and %d writes, and %s of markers; %s of memory\n", render.Plural(tasks, "task"), reads, writes, render.Plural(tasks, "write"), render.Size(big.NewInt(p.Memory)))
	return err
}

// sums returns upper bounds of the tasks and requests of a plan.
func sums(p *transfer.Plan) (tasks int, reads, writes int64, err error) {
	costs, err := p.Costs()
	for _, c := range costs {
		reads, writes, tasks = reads+c.Reads, writes+c.Writes, tasks+c.Tasks
	}
	return tasks, reads, writes, err
}
