package copying

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

	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Transfer copies in separate steps, for machines that do not communicate.
type Transfer struct {
	Plan   transferPlan   `cmd:"" help:"Plan a copy, and write the plan."`
	Run    transferRun    `cmd:"" help:"Run this process's share of the tasks of a plan that are not done."`
	Verify transferVerify `cmd:"" help:"Print the tasks that are not done. If there are any, the exit code is 1."`
	Resume transferResume `cmd:"" help:"Run all tasks that are not done."`
	Clean  transferClean  `cmd:"" help:"Remove the objects that a transfer stored beside its target."`
}

type transferPlan struct {
	copyArgs
	Out string `short:"o" help:"File or URL to write the plan to. By default it is printed." placeholder:"PLAN"`
}

// Run makes a plan and writes it.
func (c *transferPlan) Run(ctx context.Context, s *session.Session) error {
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
	o.Dropped = s.Dropped
	p, err := e.plan(ctx, e.target.Store, o)
	if err == nil {
		err = flags.check()
	}
	if err != nil {
		return c.occupied(ctx, e, c.planFailed(e.target, err))
	}
	warnOfObjects(s, p)
	if c.Out == "" {
		_, err := s.Out.Write(p.Encode())
		return err
	}
	at, key, err := openFile(ctx, s, c.Out)
	if err != nil {
		return err
	}
	defer at.Release()
	if _, err := at.Put(ctx, key, p.Encode(), store.PutOptions{}); err != nil {
		return at.Fail(err)
	}
	if err := printPlan(s.Out, p); err != nil {
		return err
	}
	return printCommands(s.Out, p, c.Out)
}

// openFile opens the store that contains a file or an object, and returns its key.
func openFile(ctx context.Context, s *session.Session, text string) (*session.Place, string, error) {
	l, err := s.ParseURL(text)
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
		return nil, "", exit.Usagef("%s is not a file or an object", render.OneLine(l.String()))
	}
	p, err := s.Open(ctx, up)
	if err != nil {
		return nil, "", err
	}
	p.Where = l.String()
	key, _ := session.Below(up, l)
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
func (f *planFlags) read(ctx context.Context, s *session.Session) (*transfer.Plan, transfer.Opener, error) {
	at, key, err := openFile(ctx, s, f.Plan)
	if err != nil {
		return nil, nil, err
	}
	defer at.Release()
	v, err := at.Get(ctx, key, store.GetOptions{Max: maxPlanFile}, nil)
	if err != nil {
		return nil, nil, at.Fail(err)
	}
	p, err := transfer.Decode(v.Bytes, s.Options()...)
	if err != nil {
		return nil, nil, at.Fail(trimmed(err))
	}
	known := map[string]openurl.Location{}
	for name, text := range map[string]string{p.Source.Store: f.Source, p.Target.Store: f.Target} {
		if text == "" {
			continue
		}
		if known[name], err = s.ParseURL(text); err != nil {
			return nil, nil, err
		}
	}
	return p, opener(s, known), nil
}

type transferRun struct {
	planFlags
	TaskIndex *int `help:"Index of the share of the tasks to run, from 0. The default is JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX, CLOUD_RUN_TASK_INDEX, BATCH_TASK_INDEX, SLURM_ARRAY_TASK_ID or SLURM_PROCID." placeholder:"I"`
	TaskCount int  `help:"Number of shares. The default is CLOUD_RUN_TASK_COUNT or BATCH_TASK_COUNT." placeholder:"N"`
	Stage     int  `help:"The only stage to run, from 1. By default the process runs its share of each stage. If other processes have not completed a stage, it waits for a short time and then ends with code 75: start it again." placeholder:"K"`
}

// Run runs this process's share of the tasks.
func (c *transferRun) Run(ctx context.Context, s *session.Session) error {
	o := transfer.RunOptions{Stage: c.Stage, Wait: waitForStage}
	var err error
	if o.Index, o.Count, err = share(c.TaskIndex, c.TaskCount, s.Env); err != nil {
		return err
	}
	s.ShareWith(o.Count)
	p, open, err := c.read(ctx, s)
	if err != nil {
		return exit.Again(err)
	}
	if n := copyingStages(p); c.Stage < 0 || c.Stage > n {
		return exit.Usagef("--stage must be 1 to %d, the number of stages of the plan, is %d", n, c.Stage)
	}
	_, err = runPlan(s.Slow.Waiting(ctx, c.Plan, ""), s, p, open, o)
	return exit.Again(broken(ctx, err))
}

// waitForStage is how long a process waits for the other processes of a stage. It is short, because
// a process that waits may keep others from starting. Job engines start the process again after
// code 75.
const waitForStage = 10 * time.Second

// share returns the index of this process and the number of processes that share the tasks. The
// numbers are set by flags, or by the environment variables of job engines. share ignores
// SLURM_ARRAY_TASK_COUNT, which is 1 if a single index is resubmitted.
func share(index *int, count int, env func(string) string) (int, int, error) {
	type engine struct{ Index, Count string }
	number := func(name string) (int, bool, error) {
		text := env(name)
		if name == "" || text == "" {
			return 0, false, nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return 0, false, exit.Usagef("%s must be a number, is %q", name, render.OneLine(text))
		}
		return n, true, nil
	}
	i, named := 0, "--task-index"
	if index != nil {
		i = *index
	}
	for _, e := range []engine{
		{Index: "JOB_COMPLETION_INDEX", Count: ""}, {Index: "AWS_BATCH_JOB_ARRAY_INDEX", Count: ""}, {Index: "CLOUD_RUN_TASK_INDEX", Count: "CLOUD_RUN_TASK_COUNT"},
		{Index: "BATCH_TASK_INDEX", Count: "BATCH_TASK_COUNT"}, {Index: "SLURM_ARRAY_TASK_ID", Count: ""}, {Index: "SLURM_PROCID", Count: ""},
	} {
		if index != nil && count > 0 {
			break
		}
		n, ok, err := number(e.Index)
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			continue
		}
		if index == nil {
			i, named, index = n, e.Index, &n
		}
		if count == 0 {
			if count, _, err = number(e.Count); err != nil {
				return 0, 0, err
			}
		}
	}
	switch {
	case index == nil && count > 1:
		return 0, 0, exit.Usagef("--task-count requires --task-index or the variable of a job engine")
	case index != nil && count < 1:
		return 0, 0, exit.Usagef("%s is %d, but the number of tasks is unknown: pass --task-count", named, i)
	case i < 0 || count > 0 && i >= count:
		return 0, 0, exit.Usagef("%s must be 0 to %d, is %d", named, count-1, i)
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
	return exit.Resume(err, "completed tasks are kept: continue with the same command or zargo transfer resume")
}

type transferVerify struct{ planFlags }

// Run prints the missing tasks.
func (c *transferVerify) Run(ctx context.Context, s *session.Session) error {
	p, open, err := c.read(ctx, s)
	if err != nil {
		return exit.Again(err)
	}
	var over atomic.Bool // set when the completed tasks are known
	s.Far.Begin(progress.Work{Unit: "tasks", Ahead: func() int64 {
		if over.Load() {
			return 0
		}
		return s.Far.Listed.Load() // each completed task has one marker
	}})
	missing, err := transfer.Verify(ctx, p, open)
	if err != nil {
		return exit.Again(trimmed(err))
	}
	over.Store(true)
	s.Far.At(int64(p.Tasks()-len(missing)), int64(p.Tasks()))
	if len(missing) == 0 {
		return accounted(ctx, s, p, open)
	}
	if err := printMissing(s.Out, p, missing); err != nil {
		return err
	}
	return fmt.Errorf("%d of %s are not done: run them with zargo transfer run or resume", len(missing), render.Plural(p.Tasks(), "task"))
}

// accounted warns of everything in the groups of the source and of the target that the plan does
// not account for. It returns an error if the plan or the target lacks a node of the source.
func accounted(ctx context.Context, s *session.Session, p *transfer.Plan, open transfer.Opener) error {
	all, err := transfer.Unaccounted(ctx, p, open)
	if err != nil {
		return exit.Again(trimmed(err))
	}
	var lacks []string
	for _, u := range all {
		s.Warn("%s: %s: %s", u.In, cmp.Or(u.Key, "."), u.Why)
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

type transferResume struct {
	planFlags
	DryRun bool `name:"dry-run" help:"Print the requests and the cost, without copying."`
	cost.Prices
}

// Run runs all missing tasks.
func (c *transferResume) Run(ctx context.Context, s *session.Session) error {
	if err := c.CheckDry(c.DryRun); err != nil {
		return err
	}
	p, open, err := c.read(ctx, s)
	if err != nil {
		return exit.Again(err)
	}
	if c.DryRun {
		return c.dryRun(ctx, s, p, open)
	}
	_, err = runPlan(ctx, s, p, open, transfer.RunOptions{})
	return exit.Again(broken(ctx, err))
}

// dryRun prints the requests of the missing tasks.
func (c *transferResume) dryRun(ctx context.Context, s *session.Session, p *transfer.Plan, open transfer.Opener) error {
	before := cost.Fixed(s.Report.Amount())
	tasks, err := p.Requests(ctx, open, s.Options()...)
	if err != nil {
		return exit.Again(trimmed(err))
	}
	s.Rehearse()
	last, err := runPlan(ctx, s, p, open, transfer.RunOptions{Rehearse: true})
	if err != nil {
		return exit.Again(err)
	}
	if last.Skipped > 0 {
		tasks = atMost(tasks)
	}
	sums := s.Rehearsed.Planned()
	sums.Found = before.And(sums.Found).And(boundsOf(tasks.Markers))
	sums.Data = boundsOf(tasks.Objects)
	return sums.Print(s.Out, c.Prices)
}

type transferClean struct{ planFlags }

// Run removes markers and temporary arrays.
func (c *transferClean) Run(ctx context.Context, s *session.Session) error {
	p, open, err := c.read(ctx, s)
	if err != nil {
		return exit.Again(err)
	}
	s.Far.Begin(progress.Work{Unit: "objects", Ahead: s.Far.Deleted.Load})
	if err := transfer.Clean(ctx, p, open); err != nil {
		return exit.Again(trimmed(err))
	}
	return nil
}
