package copying

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"text/tabwriter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr/fault"
)

// This file contains code that the commands copy and transfer share.

// trimmed removes the prefix of package transfer from an error's text.
func trimmed(err error) error {
	return exit.Reword(strings.ReplaceAll(err.Error(), "transfer: ", ""), err)
}

// planFailed adds a URL to the error of a plan. This is the URL of the source if a flag does not
// fit its arrays, and the URL of the target otherwise.
func (c *copyArgs) planFailed(target *session.Place, err error) error {
	if errors.Is(err, fault.Selection) {
		return exit.At(session.Where(c.From), trimmed(err))
	}
	return target.Fail(trimmed(err))
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

// runPlan runs tasks of a plan within the plan's memory and returns the last progress.
func runPlan(ctx context.Context, s *session.Session, p *transfer.Plan, open transfer.Opener, o transfer.RunOptions) (last transfer.Progress, err error) {
	defer session.KeepTo(p.Memory)()
	err = transfer.Run(ctx, p, open, runOptions(s, p, o, &last))
	if err != nil {
		err = trimmed(err)
	}
	return last, err
}

// runOptions completes the options of a run within the plan's memory, which sets last.
func runOptions(s *session.Session, p *transfer.Plan, o transfer.RunOptions, last *transfer.Progress) transfer.RunOptions {
	s.Far.Begin(progress.Work{Unit: "tasks", Verb: "written"})
	o.Zarr = append(o.Zarr, s.Options()...)
	o.Limits = session.LimitsOf(p.Budget())
	o.Progress = func(x transfer.Progress) {
		*last = x
		s.Far.Before.Store(int64(x.Skipped))
		s.Far.Moved.Store(x.Moved.BytesWritten)
		s.Far.At(int64(x.Done), int64(x.Tasks))
	}
	return o
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
	stages := copyingStages(p)
	for _, c := range costs {
		if c.Step.To == nil {
			continue
		}
		if stages > 1 {
			fmt.Fprintf(table, "stage %d\t", c.Stage+1)
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

// warnOfObjects warns of each node that a plan copies as it is stored, because it cannot be opened.
func warnOfObjects(s *session.Session, p *transfer.Plan) {
	for _, stage := range p.Stages {
		for _, step := range stage.Steps {
			if step.Kind == transfer.Objects {
				s.Warn("%s: the metadata is not supported: the documents and all objects below them are copied as they are stored", cmp.Or(step.From.Path, "."))
			}
		}
	}
}

// copyingStages returns the number of stages of a plan that the flag --stage counts: all but the
// last one, which stores the metadata of the copy.
func copyingStages(p *transfer.Plan) int { return len(p.Stages) - 1 }

// printCommands prints the commands that run a plan in one process, or in several.
func printCommands(w io.Writer, p *transfer.Plan, plan string) error {
	plan = render.ShellArg(plan)
	fmt.Fprintf(w, "\nto copy in one process:\n  zargo transfer resume %s\n", plan)
	if n := copyingStages(p); n > 1 {
		fmt.Fprintf(w, "to copy in N processes, one job for each stage, each after the previous one has ended (I is 0 to N-1):\n")
		for k := range n {
			fmt.Fprintf(w, "  zargo transfer run %s --task-index I --task-count N --stage %d\n", plan, k+1)
		}
	} else {
		fmt.Fprintf(w, "to copy in N processes (I is 0 to N-1):\n  zargo transfer run %s --task-index I --task-count N\n", plan)
	}
	_, err := fmt.Fprintf(w, "then:\n  zargo transfer verify %s\n  zargo transfer clean %s\n", plan, plan)
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
