package copying

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/cost"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Copy is the command copy.
type Copy struct {
	copyArgs
	Resume bool `help:"Continue an interrupted copy to the same location. Other flags do not change how it was started."`
	DryRun bool `name:"dry-run" help:"Print the plan without copying: the steps of each array, and the requests and the cost."`
	cost.Prices
}

// Run copies according to a plan. The target stores the plan until the copy is complete.
func (c *Copy) Run(ctx context.Context, s *session.Session) error {
	if err := c.CheckDry(c.DryRun); err != nil {
		return err
	}
	o, flags, err := c.options()
	if err != nil {
		return err
	}
	defer flags.release()
	o.Masked = func(path, what string) {
		_, _ = fmt.Fprintf(s.Out, "%s: %s\n", render.OneLine(cmp.Or(path, "the array")), render.OneLine(what))
	}
	o.Dropped = s.Dropped
	if l, err := s.ParseURL(c.To); err != nil || len(l.Inside) > 0 {
		if err != nil {
			return err
		}
		return c.archive(ctx, s, l, o, flags)
	}
	e, o, err := c.open(ctx, s, o, flags)
	if err != nil {
		return err
	}
	defer func() { _ = e.close() }() // all writes are complete by then
	p, err := c.plan(ctx, s, e, o)
	if err == nil && !c.Resume { // flags are not applied to the arrays of a saved plan
		err = flags.check()
	}
	if err != nil {
		return c.occupied(ctx, e, c.planFailed(e.target, err))
	}
	warnOfObjects(s, p)
	if c.DryRun {
		return c.dryRun(ctx, s, e, o, p)
	}
	return c.run(ctx, s, e, p)
}

// run copies, or rehearses the copy.
func (c *Copy) run(ctx context.Context, s *session.Session, e *ends, p *transfer.Plan) error {
	open := opener(s, map[string]openurl.Location{p.Source.Store: e.from, p.Target.Store: e.to})
	last, err := c.transfer(ctx, s, e, p, open)
	if err != nil {
		return err
	}
	if err := c.account(ctx, s, p, open); err != nil {
		return e.target.Fail(err)
	}
	if !c.DryRun {
		if _, err := fmt.Fprintf(s.Out, "copied %s, %s\n", render.Plural(writtenArrays(p), "array"), sized(last.Moved.BytesWritten)); err != nil {
			return err
		}
	}
	if e.node == nil {
		return nil
	}
	docs := map[string][]byte{}
	for key, doc := range p.Documents.Target {
		docs[key] = []byte(doc)
	}
	n, err := zarr.Open(ctx, e.target.Store, e.toPath, s.Options(zarr.Documents(docs))...)
	if err != nil {
		return e.target.Fail(err)
	}
	return session.ConsolidateFlag{Consolidate: c.Consolidate}.After(ctx, s, e.target, n)
}

// transfer saves the plan, unless it is a saved one, runs it, and removes all objects beside the
// copy.
func (c *Copy) transfer(ctx context.Context, s *session.Session, e *ends, p *transfer.Plan, open transfer.Opener) (last transfer.Progress, err error) {
	o := runOptions(s, p, transfer.RunOptions{Rehearse: c.DryRun}, &last)
	w, err := transfer.Start(ctx, p, open, o)
	if err != nil {
		return last, e.target.Fail(trimmed(err))
	}
	defer func() { err = errors.Join(err, e.target.Fail(w.Close())) }()
	if !c.Resume {
		if err := w.Save(ctx); err != nil {
			return last, e.target.Fail(err)
		}
	}
	defer session.KeepTo(p.Memory)()
	if err := w.Run(ctx, o); err != nil {
		return last, c.unfinished(e, trimmed(err))
	}
	return last, e.target.Fail(w.Clean(ctx))
}

// account warns of nodes that the copy lacks, by listings of the groups of both sides. The plan
// warned of everything else.
func (c *Copy) account(ctx context.Context, s *session.Session, p *transfer.Plan, open transfer.Opener) error {
	all, err := transfer.Unaccounted(ctx, p, open)
	for _, u := range all {
		if u.Node && (u.In == transfer.Source) != u.Absent {
			s.Warn("%s: the copy lacks this node: %s: %s", u.Key, u.In, u.Why)
		}
	}
	return err
}

// unfinished returns the error of a copy that did not complete, with a hint on how to go on.
func (c *copyArgs) unfinished(e *ends, err error) error {
	failed := e.target.Fail(err)
	if errors.As(err, new(*transfer.ChangedError)) {
		return fmt.Errorf("%w; %s", failed, c.startAgain())
	}
	return exit.Resume(failed, "the copied data is kept: continue with --resume")
}

// startAgain is a hint for a copy that cannot be continued.
func (c *copyArgs) startAgain() string {
	return fmt.Sprintf("delete the unfinished copy with zargo rm %s, and copy again", render.ShellArg(session.Where(c.To)))
}

// occupied returns err, the error of a new plan. If an unfinished copy is stored at the target, the
// result has a hint.
func (c *copyArgs) occupied(ctx context.Context, e *ends, err error) error {
	switch {
	case errors.Is(err, fault.Conflict): // --resume of another copy
		return fmt.Errorf("%w; %s", err, c.startAgain())
	case !errors.Is(err, fault.Exists):
		return err
	}
	if _, none := transfer.Saved(ctx, e.target.Store, e.toPath); none != nil {
		return err
	}
	return fmt.Errorf("%w; continue the unfinished copy with zargo copy --resume, or %s", err, c.startAgain())
}

// sized formats a number of written bytes with its unit.
func sized(n int64) string {
	if n < 1024 {
		return render.Plural(int(n), "byte")
	}
	return render.Size(big.NewInt(n))
}

// dryRun prints the plan and the requests. If the plan has temporary arrays, it also prints the
// cost without them.
func (c *Copy) dryRun(ctx context.Context, s *session.Session, e *ends, o transfer.Options, p *transfer.Plan) error {
	sums, err := c.rehearse(ctx, s, e, p)
	if err != nil {
		return err
	}
	if err := printPlan(s.Out, p); err != nil {
		return err
	}
	if len(p.Documents.Temporary) > 0 && !c.Resume {
		if err := c.oneStage(ctx, s, e, o); err != nil {
			return err
		}
	}
	return sums.Print(s.Out, c.Prices)
}

// oneStage prints the cost without temporary arrays.
func (c *Copy) oneStage(ctx context.Context, s *session.Session, e *ends, o transfer.Options) error {
	o.OneStage, o.Masked, o.Dropped = true, nil, nil
	one, err := e.plan(ctx, nil, o)
	if err != nil {
		return e.target.Fail(trimmed(err))
	}
	tasks, reads, writes, err := sums(one)
	if err == nil {
		_, err = fmt.Fprintf(s.Out, "without temporary arrays: %s, at most %d reads and %d writes\n", render.Plural(tasks, "task"), reads, writes)
	}
	return err
}

// rehearse returns the requests of the copy. The plan is made already, with the requests of a copy.
func (c *Copy) rehearse(ctx context.Context, s *session.Session, e *ends, p *transfer.Plan) (cost.Planned, error) {
	before := cost.Fixed(s.Report.Amount())
	known := map[string]openurl.Location{p.Source.Store: e.from, p.Target.Store: e.to}
	tasks, err := p.Requests(ctx, opener(s, known), s.Options()...)
	if err != nil {
		return cost.Planned{}, e.target.Fail(trimmed(err))
	}
	if c.Resume {
		tasks = atMost(tasks)
	}
	s.Rehearse()
	target, err := s.Open(ctx, e.to)
	if err != nil {
		return cost.Planned{}, err
	}
	defer target.Release()
	target.Path, target.Where = e.target.Path, e.target.Where
	dry := *e
	dry.target = target
	if err := c.run(ctx, s, &dry, p); err != nil {
		return cost.Planned{}, err
	}
	sums := s.Rehearsed.Planned()
	sums.Found = before.And(sums.Found).And(boundsOf(tasks.Markers)).And(boundsOf(tasks.Clean))
	sums.Data = boundsOf(tasks.Objects)
	return sums, nil
}

func boundsOf(b transfer.Bounds) cost.Bounds { return cost.Bounds{Least: b.Least, Most: b.Most} }

// atMost returns requests without a minimum: tasks that are done send none.
func atMost(r transfer.TaskRequests) transfer.TaskRequests {
	for _, b := range []*transfer.Bounds{&r.Objects, &r.Markers, &r.Clean} {
		b.Least = store.Amount{}
	}
	return r
}

// plan makes a plan, or with --resume reads the saved plan.
func (c *Copy) plan(ctx context.Context, s *session.Session, e *ends, o transfer.Options) (*transfer.Plan, error) {
	if !c.Resume {
		return e.plan(ctx, e.target.Store, o)
	}
	p, err := transfer.Saved(ctx, e.target.Store, e.toPath)
	if err != nil {
		return nil, err
	}
	if o.Source.Path = e.fromPath; p.Source != o.Source || p.Target != o.Target {
		return nil, fault.Newf(fault.Conflict, "the unfinished copy at the target has another source: %q in %s", p.Source.Path, session.Where(p.Source.Store))
	}
	return p, nil
}

// plan makes a plan of the copy.
func (e *ends) plan(ctx context.Context, target store.Store, o transfer.Options) (*transfer.Plan, error) {
	if e.node == nil {
		return transfer.NewPlanAt(ctx, e.source.Store, e.fromPath, target, o)
	}
	return transfer.NewPlan(ctx, e.node, target, o)
}

// archive copies into a zip archive that does not exist yet.
func (c *Copy) archive(ctx context.Context, s *session.Session, l openurl.Location, o transfer.Options, flags *applied) error {
	if c.Resume || c.Root != "" || c.Given() {
		return exit.Usagef("--resume, --root and prices cannot be used for a zip archive, which is written in one run")
	}
	src, n, _, err := s.OpenAny(ctx, c.From, c.Options()...)
	if err != nil {
		return err
	}
	defer src.Release()
	flags.from(ctx, s, src, src.Path, &o)
	whole := l
	whole.Inside = nil
	o.Zarr = []zarr.Option{zarr.Extensions(s.Codecs, argument.KnownTypes())}
	at, key, err := openFile(ctx, s, whole.URL())
	if err != nil {
		return err
	}
	defer at.Release()
	if o.Source.Store, err = storeURL(src.Root); err != nil {
		return err
	}
	o.Target.Store, o.Target.Path = l.String(), strings.Trim(strings.TrimPrefix(l.Inside[0], "zip:"), "/")
	o.Root, o.OneStage, o.WholeShards = o.Target.Path, true, true
	p, err := (&ends{source: src, node: n, fromPath: src.Path}).plan(ctx, nil, o)
	if err == nil {
		err = flags.check()
	}
	if err != nil {
		return c.planFailed(at, err)
	}
	warnOfObjects(s, p)
	if c.DryRun {
		return printPlan(s.Out, p)
	}
	defer session.KeepTo(p.Memory)()
	s.Far.Begin(progress.Work{Verb: "written", Ahead: s.Far.Sent.Load})
	if err := transfer.SaveZip(ctx, p, opener(s, map[string]openurl.Location{p.Source.Store: src.Root}), at.Store, key, s.Options()...); err != nil {
		return at.Fail(trimmed(err))
	}
	_, err = fmt.Fprintf(s.Out, "copied %s\n", render.Plural(writtenArrays(p), "array"))
	return err
}
