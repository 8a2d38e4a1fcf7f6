package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// transferCmd copies in separate steps, for machines that do not communicate.
type transferCmd struct {
	Plan   transferPlanCmd   `cmd:"" help:"Plan a copy, and write the plan."`
	Run    transferRunCmd    `cmd:"" help:"Run this process's share of the tasks of a plan that are not done."`
	Verify transferVerifyCmd `cmd:"" help:"Print the tasks that are not done. If there are any, the exit code is 1."`
	Resume transferResumeCmd `cmd:"" help:"Run all tasks that are not done."`
	Clean  transferCleanCmd  `cmd:"" help:"Remove the objects that a transfer stored beside its target."`
}

type transferPlanCmd struct {
	copyArgs
	Out string `short:"o" help:"File or URL to write the plan to. By default it is printed." placeholder:"PLAN"`
}

// Run makes a plan and writes it.
func (c *transferPlanCmd) Run(ctx context.Context, s *session) error {
	o, flags, err := c.options()
	if err != nil {
		return err
	}
	defer flags.release()
	e, o, err := c.open(ctx, s, o, flags)
	if err != nil {
		return err
	}
	defer func() { _ = e.close() }() // opened for reading only
	o.Dropped = s.dropped
	p, err := e.plan(ctx, e.target.Store, o)
	if err == nil {
		err = flags.check()
	}
	if err != nil {
		return c.occupied(ctx, e, c.planFailed(e.target, err))
	}
	s.warnOfObjects(p)
	if c.Out == "" {
		_, err := s.out.Write(p.Encode())
		return err
	}
	at, key, err := s.openFile(ctx, c.Out)
	if err != nil {
		return err
	}
	defer at.release()
	if _, err := at.Put(ctx, key, p.Encode(), store.PutOptions{}); err != nil {
		return at.fail(err)
	}
	if err := printPlan(s.out, p); err != nil {
		return err
	}
	return printCommands(s.out, p, c.Out)
}

// openFile opens the store that contains a file or an object, and returns its key.
func (s *session) openFile(ctx context.Context, text string) (*place, string, error) {
	l, err := s.parseURL(text)
	if err != nil {
		return nil, "", err
	}
	if l.Scheme == "file" { // a relative name may lack a directory
		if text, err = storeURL(l); err != nil {
			return nil, "", err
		}
		l.Path = text
	}
	up, ok := l.Parent()
	if !ok || len(l.Inside) > 0 {
		return nil, "", usagef("%s is not a file or an object", render.OneLine(l.String()))
	}
	p, err := s.open(ctx, up)
	if err != nil {
		return nil, "", err
	}
	p.where = l.String()
	key, _ := below(up, l)
	return p, key, nil
}

// planFlags contains the location of a plan and the URLs of its stores.
type planFlags struct {
	Plan   string `arg:"" name:"plan" help:"File or URL of the plan."`
	Source string `help:"URL of the source's store, instead of the one in the plan, for example with a signature that the plan does not contain." placeholder:"URL"`
	Target string `help:"URL of the target's store, instead of the one in the plan." placeholder:"URL"`
}

// maxPlanFile is the maximum size of a plan in bytes.
const maxPlanFile = 256 << 20

// read reads the plan, and returns an opener for its stores.
func (f *planFlags) read(ctx context.Context, s *session) (*transfer.Plan, transfer.Opener, error) {
	at, key, err := s.openFile(ctx, f.Plan)
	if err != nil {
		return nil, nil, err
	}
	defer at.release()
	v, err := at.Get(ctx, key, store.GetOptions{Max: maxPlanFile}, nil)
	if err != nil {
		return nil, nil, at.fail(err)
	}
	p, err := transfer.Decode(v.Bytes, s.options()...)
	if err != nil {
		return nil, nil, at.fail(trimmed(err))
	}
	known := map[string]openurl.Location{}
	for name, text := range map[string]string{p.Source.Store: f.Source, p.Target.Store: f.Target} {
		if text == "" {
			continue
		}
		if known[name], err = s.parseURL(text); err != nil {
			return nil, nil, err
		}
	}
	return p, s.opener(known), nil
}

type transferRunCmd struct {
	planFlags
	TaskIndex *int `help:"Index of the share of the tasks to run, from 0. The default is JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX, CLOUD_RUN_TASK_INDEX, BATCH_TASK_INDEX, SLURM_ARRAY_TASK_ID or SLURM_PROCID." placeholder:"I"`
	TaskCount int  `help:"Number of shares. The default is CLOUD_RUN_TASK_COUNT or BATCH_TASK_COUNT." placeholder:"N"`
	Stage     int  `help:"The only stage to run, from 1. By default the process runs its share of each stage. If other processes have not completed a stage, it waits for a short time and then ends with code 75: start it again." placeholder:"K"`
}

// Run runs this process's share of the tasks.
func (c *transferRunCmd) Run(ctx context.Context, s *session) error {
	o := transfer.RunOptions{Stage: c.Stage, Wait: waitForStage}
	var err error
	if o.Index, o.Count, err = share(c.TaskIndex, c.TaskCount, s.env); err != nil {
		return err
	}
	s.shareWith(o.Count)
	p, open, err := c.read(ctx, s)
	if err != nil {
		return again(err)
	}
	if n := copyingStages(p); c.Stage < 0 || c.Stage > n {
		return usagef("--stage must be 1 to %d, the number of stages of the plan, is %d", n, c.Stage)
	}
	_, err = s.runPlan(s.slow.waiting(ctx, c.Plan, ""), p, open, o)
	return again(broken(ctx, err))
}

// waitForStage is how long a process waits for the other processes of a stage. It is short, because
// a process that waits may keep others from starting. Job engines start the process again after
// code 75.
const waitForStage = 10 * time.Second

// share returns the index of this process and the number of processes that share the tasks. The
// numbers are set by flags, or by the environment variables of job engines. share ignores
// SLURM_ARRAY_TASK_COUNT, which is 1 if a single index is resubmitted.
func share(index *int, count int, env func(string) string) (int, int, error) {
	type engine struct{ index, count string }
	number := func(name string) (int, bool, error) {
		text := env(name)
		if name == "" || text == "" {
			return 0, false, nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return 0, false, usagef("%s must be a number, is %q", name, render.OneLine(text))
		}
		return n, true, nil
	}
	i, named := 0, "--task-index"
	if index != nil {
		i = *index
	}
	for _, e := range []engine{
		{"JOB_COMPLETION_INDEX", ""}, {"AWS_BATCH_JOB_ARRAY_INDEX", ""}, {"CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT"},
		{"BATCH_TASK_INDEX", "BATCH_TASK_COUNT"}, {"SLURM_ARRAY_TASK_ID", ""}, {"SLURM_PROCID", ""},
	} {
		if index != nil && count > 0 {
			break
		}
		n, ok, err := number(e.index)
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			continue
		}
		if index == nil {
			i, named, index = n, e.index, &n
		}
		if count == 0 {
			if count, _, err = number(e.count); err != nil {
				return 0, 0, err
			}
		}
	}
	switch {
	case index == nil && count > 1:
		return 0, 0, usagef("--task-count requires --task-index or the variable of a job engine")
	case index != nil && count < 1:
		return 0, 0, usagef("%s is %d, but the number of tasks is unknown: pass --task-count", named, i)
	case i < 0 || count > 0 && i >= count:
		return 0, 0, usagef("%s must be 0 to %d, is %d", named, count-1, i)
	}
	return i, count, nil
}

// broken adds a hint on how to resume to the error of an interrupted run.
func broken(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*transfer.ChangedError)):
		return fmt.Errorf("%w; delete the unfinished copy with zargo rm, and make a new plan", err)
	case ctx.Err() == nil:
		return err
	}
	return resume(err, "completed tasks are kept: continue with the same command or zargo transfer resume")
}

type transferVerifyCmd struct{ planFlags }

// Run prints the missing tasks.
func (c *transferVerifyCmd) Run(ctx context.Context, s *session) error {
	p, open, err := c.read(ctx, s)
	if err != nil {
		return again(err)
	}
	var over atomic.Bool // set when the completed tasks are known
	s.far.begin(work{unit: "tasks", ahead: func() int64 {
		if over.Load() {
			return 0
		}
		return s.far.listed.Load() // each completed task has one marker
	}})
	missing, err := transfer.Verify(ctx, p, open)
	if err != nil {
		return again(trimmed(err))
	}
	over.Store(true)
	s.far.at(int64(p.Tasks()-len(missing)), int64(p.Tasks()))
	if len(missing) == 0 {
		return s.accounted(ctx, p, open)
	}
	if err := printMissing(s.out, p, missing); err != nil {
		return err
	}
	return fmt.Errorf("%d of %s are not done: run them with zargo transfer run or resume", len(missing), render.Plural(p.Tasks(), "task"))
}

// accounted warns of everything in the groups of the source and of the target that the plan does
// not account for. It returns an error if the plan or the target lacks a node of the source.
func (s *session) accounted(ctx context.Context, p *transfer.Plan, open transfer.Opener) error {
	all, err := transfer.Unaccounted(ctx, p, open)
	if err != nil {
		return again(trimmed(err))
	}
	var lacks []string
	for _, u := range all {
		s.warn("%s: %s: %s", u.In, cmp.Or(u.Key, "."), u.Why)
		if u.Node && (u.In == transfer.Source) != u.Absent {
			lacks = append(lacks, u.Key)
		}
	}
	if len(lacks) > 0 {
		return fault.Newf(fault.Conflict, "the copy lacks %s of the source, such as %q", render.Plural(len(lacks), "node"), lacks[0])
	}
	return nil
}

// printMissing prints, for each stage, the number of tasks that are not done and their numbers.
func printMissing(w io.Writer, p *transfer.Plan, missing []int) error {
	for k := range p.Stages {
		first, n := p.TasksOf(k)
		var of []int
		for _, i := range missing {
			if i >= first && i < first+n {
				of = append(of, i)
			}
		}
		var err error
		switch {
		case len(of) == 0:
		case k == copyingStages(p):
			_, err = fmt.Fprintln(w, "the metadata of the copy is not stored")
		default:
			_, err = fmt.Fprintf(w, "stage %d: %d of %s not done: %s\n", k+1, len(of), render.Plural(n, "task"), spans(of))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// spans formats ascending numbers, with ranges such as 3-5.
func spans(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ", ")
}

type transferResumeCmd struct {
	planFlags
	DryRun bool `name:"dry-run" help:"Print the requests and the cost, without copying."`
	priceFlags
}

// Run runs all missing tasks.
func (c *transferResumeCmd) Run(ctx context.Context, s *session) error {
	if err := c.checkDry(c.DryRun); err != nil {
		return err
	}
	p, open, err := c.read(ctx, s)
	if err != nil {
		return again(err)
	}
	if c.DryRun {
		return c.dryRun(ctx, s, p, open)
	}
	_, err = s.runPlan(ctx, p, open, transfer.RunOptions{})
	return again(broken(ctx, err))
}

// dryRun prints the requests of the missing tasks.
func (c *transferResumeCmd) dryRun(ctx context.Context, s *session, p *transfer.Plan, open transfer.Opener) error {
	before := fixed(s.report.Amount())
	tasks, err := p.Requests(ctx, open, s.options()...)
	if err != nil {
		return again(trimmed(err))
	}
	s.rehearse()
	last, err := s.runPlan(ctx, p, open, transfer.RunOptions{Rehearse: true})
	if err != nil {
		return again(err)
	}
	if last.Skipped > 0 {
		tasks = atMost(tasks)
	}
	sums := s.rehearsed.planned()
	sums.found = before.and(sums.found).and(boundsOf(tasks.Markers))
	sums.data = boundsOf(tasks.Objects)
	return sums.print(s.out, c.priceFlags)
}

type transferCleanCmd struct{ planFlags }

// Run removes markers and temporary arrays.
func (c *transferCleanCmd) Run(ctx context.Context, s *session) error {
	p, open, err := c.read(ctx, s)
	if err != nil {
		return again(err)
	}
	s.far.begin(work{unit: "objects", ahead: s.far.deleted.Load})
	if err := transfer.Clean(ctx, p, open); err != nil {
		return again(trimmed(err))
	}
	return nil
}
