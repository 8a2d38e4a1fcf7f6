package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

type copyCmd struct {
	copyArgs
	Resume bool `help:"Continue an interrupted copy to the same location. Other flags do not change how it was started."`
	DryRun bool `name:"dry-run" help:"Print the plan without copying: the steps of each array, and the requests and the cost."`
	priceFlags
}

// Run copies according to a plan. The target stores the plan until the copy is complete.
func (c *copyCmd) Run(ctx context.Context, s *session) error {
	if err := c.checkDry(c.DryRun); err != nil {
		return err
	}
	o, flags, err := c.options()
	if err != nil {
		return err
	}
	defer flags.release()
	o.Masked = func(path, what string) {
		_, _ = fmt.Fprintf(s.out, "%s: %s\n", render.OneLine(cmp.Or(path, "the array")), render.OneLine(what))
	}
	o.Dropped = s.dropped
	if l, err := s.parseURL(c.To); err != nil || len(l.Inside) > 0 {
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
	s.warnOfObjects(p)
	if c.DryRun {
		return c.dryRun(ctx, s, e, o, p)
	}
	return c.run(ctx, s, e, p)
}

// run copies, or rehearses the copy.
func (c *copyCmd) run(ctx context.Context, s *session, e *ends, p *transfer.Plan) error {
	open := s.opener(map[string]openurl.Location{p.Source.Store: e.from, p.Target.Store: e.to})
	last, err := c.transfer(ctx, s, e, p, open)
	if err != nil {
		return err
	}
	if err := c.account(ctx, s, p, open); err != nil {
		return e.target.fail(err)
	}
	if !c.DryRun {
		if _, err := fmt.Fprintf(s.out, "copied %s, %s\n", render.Plural(writtenArrays(p), "array"), sized(last.Moved.BytesWritten)); err != nil {
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
	n, err := zarr.Open(ctx, e.target.Store, e.toPath, s.options(zarr.Documents(docs))...)
	if err != nil {
		return e.target.fail(err)
	}
	return consolidateFlag{c.Consolidate}.after(ctx, s, e.target, n)
}

// transfer saves the plan, unless it is a saved one, runs it, and removes all objects beside the
// copy.
func (c *copyCmd) transfer(ctx context.Context, s *session, e *ends, p *transfer.Plan, open transfer.Opener) (last transfer.Progress, err error) {
	o := s.runOptions(p, transfer.RunOptions{Rehearse: c.DryRun}, &last)
	w, err := transfer.Start(ctx, p, open, o)
	if err != nil {
		return last, e.target.fail(trimmed(err))
	}
	defer func() { err = errors.Join(err, e.target.fail(w.Close())) }()
	if !c.Resume {
		if err := w.Save(ctx); err != nil {
			return last, e.target.fail(err)
		}
	}
	defer keepTo(p.Memory)()
	if err := w.Run(ctx, o); err != nil {
		return last, c.unfinished(e, trimmed(err))
	}
	return last, e.target.fail(w.Clean(ctx))
}

// account warns of nodes that the copy lacks, by listings of the groups of both sides. The plan
// warned of everything else.
func (c *copyCmd) account(ctx context.Context, s *session, p *transfer.Plan, open transfer.Opener) error {
	all, err := transfer.Unaccounted(ctx, p, open)
	for _, u := range all {
		if u.Node && (u.In == transfer.Source) != u.Absent {
			s.warn("%s: the copy lacks this node: %s: %s", u.Key, u.In, u.Why)
		}
	}
	return err
}

// unfinished returns the error of a copy that did not complete, with a hint on how to go on.
func (c *copyArgs) unfinished(e *ends, err error) error {
	failed := e.target.fail(err)
	if errors.As(err, new(*transfer.ChangedError)) {
		return fmt.Errorf("%w; %s", failed, c.startAgain())
	}
	return resume(failed, "the copied data is kept: continue with --resume")
}

// startAgain is a hint for a copy that cannot be continued.
func (c *copyArgs) startAgain() string {
	return fmt.Sprintf("delete the unfinished copy with zargo rm %s, and copy again", render.ShellArg(where(c.To)))
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
func (c *copyCmd) dryRun(ctx context.Context, s *session, e *ends, o transfer.Options, p *transfer.Plan) error {
	sums, err := c.rehearse(ctx, s, e, p)
	if err != nil {
		return err
	}
	if err := printPlan(s.out, p); err != nil {
		return err
	}
	if len(p.Documents.Temporary) > 0 && !c.Resume {
		if err := c.oneStage(ctx, s, e, o); err != nil {
			return err
		}
	}
	return sums.print(s.out, c.priceFlags)
}

// oneStage prints the cost without temporary arrays.
func (c *copyCmd) oneStage(ctx context.Context, s *session, e *ends, o transfer.Options) error {
	o.OneStage, o.Masked, o.Dropped = true, nil, nil
	one, err := e.plan(ctx, nil, o)
	if err != nil {
		return e.target.fail(trimmed(err))
	}
	tasks, reads, writes, err := sums(one)
	if err == nil {
		_, err = fmt.Fprintf(s.out, "without temporary arrays: %s, at most %d reads and %d writes\n", render.Plural(tasks, "task"), reads, writes)
	}
	return err
}

// rehearse returns the requests of the copy. The plan is made already, with the requests of a copy.
func (c *copyCmd) rehearse(ctx context.Context, s *session, e *ends, p *transfer.Plan) (planned, error) {
	before := fixed(s.report.Amount())
	known := map[string]openurl.Location{p.Source.Store: e.from, p.Target.Store: e.to}
	tasks, err := p.Requests(ctx, s.opener(known), s.options()...)
	if err != nil {
		return planned{}, e.target.fail(trimmed(err))
	}
	if c.Resume {
		tasks = atMost(tasks)
	}
	s.rehearse()
	target, err := s.open(ctx, e.to)
	if err != nil {
		return planned{}, err
	}
	defer target.release()
	target.path, target.where = e.target.path, e.target.where
	dry := *e
	dry.target = target
	if err := c.run(ctx, s, &dry, p); err != nil {
		return planned{}, err
	}
	sums := s.rehearsed.planned()
	sums.found = before.and(sums.found).and(boundsOf(tasks.Markers)).and(boundsOf(tasks.Clean))
	sums.data = boundsOf(tasks.Objects)
	return sums, nil
}

func boundsOf(b transfer.Bounds) bounds { return bounds{b.Least, b.Most} }

// atMost returns requests without a minimum: tasks that are done send none.
func atMost(r transfer.TaskRequests) transfer.TaskRequests {
	for _, b := range []*transfer.Bounds{&r.Objects, &r.Markers, &r.Clean} {
		b.Least = store.Amount{}
	}
	return r
}

// plan makes a plan, or with --resume reads the saved plan.
func (c *copyCmd) plan(ctx context.Context, s *session, e *ends, o transfer.Options) (*transfer.Plan, error) {
	if !c.Resume {
		return e.plan(ctx, e.target.Store, o)
	}
	p, err := transfer.Saved(ctx, e.target.Store, e.toPath)
	if err != nil {
		return nil, err
	}
	if o.Source.Path = e.fromPath; p.Source != o.Source || p.Target != o.Target {
		return nil, fault.Newf(fault.Conflict, "the unfinished copy at the target has another source: %q in %s", p.Source.Path, where(p.Source.Store))
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
