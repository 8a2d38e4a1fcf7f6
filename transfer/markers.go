package transfer

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// dirName is where, below the target, a transfer keeps the plan, the markers of tasks and temporary
// arrays. Names of nodes that begin with "__" are reserved in v3, so listings of groups and package
// validate pass it over.
const dirName = "__zargo_transfer"

// Dir is the path, below the root of the target's store, of what a transfer stores beside the
// target: "<target>/__zargo_transfer/<ID>".
func (p *Plan) Dir() string { return join(join(p.Target.Path, dirName), p.ID()) }

func (w *Worker) dir() string { return join(join(w.p.Target.Path, dirName), w.id) }

// mark says that a task is done, after its objects are stored, and returns the key of the marker. A
// marker has the claim's Run in its name: one that arrives after Clean is not counted when the plan
// claims its target again.
func (w *Worker) mark(ctx context.Context, c *claim, stage, i int) (key string, err error) {
	if w.archive {
		return "", nil
	}
	key = fmt.Sprintf("%s/done/%d/%d.%s", w.dir(), stage, i, c.Run)
	_, err = w.dst.Put(ctx, key, nil, store.PutOptions{})
	return key, err
}

// confirm makes sure, after markers were put, that the transfer was not removed before.
//
// fault.Conflict: it was. Then the markers are deleted, so that nothing is left of it.
func (w *Worker) confirm(ctx context.Context, c *claim, markers ...string) error {
	now, err := w.same(ctx, c)
	if err == nil {
		w.know(now)
		return nil
	}
	if errors.Is(err, fault.Conflict) && store.DeleteAll(ctx, w.dst, markers) == nil {
		_ = store.RemoveFolders(ctx, w.dst, join(w.p.Target.Path, dirName))
	}
	return err
}

// confirming confirms the markers that are sent to it, all that came meanwhile by one request, so
// that no task waits for that. stop is called with the first error. wait is to be called when all
// were sent.
func (w *Worker) confirming(ctx context.Context, c *claim, stop context.CancelCauseFunc) (markers chan<- string, wait func() error) {
	sent := make(chan string, 256)
	var err error
	var one sync.WaitGroup
	one.Go(func() {
		for key := range sent {
			batch := []string{key}
			for more := true; more; {
				select {
				case key, more = <-sent:
					if more {
						batch = append(batch, key)
					}
				default:
					more = false
				}
			}
			if err == nil {
				if err = w.confirm(ctx, c, batch...); err != nil {
					stop(err)
				}
			}
		}
	})
	return sent, func() error {
		close(sent)
		one.Wait()
		return err
	}
}

// done are the tasks of a stage that have markers of the claim; c is nil where there is no claim,
// and then none are.
func (w *Worker) done(ctx context.Context, c *claim, stage int) (*set, error) {
	first, n := w.p.TasksOf(stage)
	s := newSet(first, n)
	if c == nil {
		return s, nil
	}
	prefix := fmt.Sprintf("%s/done/%d", w.dir(), stage)
	for e, err := range store.ListAll(ctx, w.dst, prefix, store.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		name, run, _ := strings.Cut(strings.TrimPrefix(e.Key, prefix+"/"), ".")
		if i, err := strconv.Atoi(name); err == nil && run == c.Run {
			s.add(i)
		}
	}
	return s, nil
}

// set is some of the numbers from first on.
type set struct {
	first, n int
	words    []uint64
}

func newSet(first, n int) *set { return &set{first, n, make([]uint64, (n+63)/64)} }

func (s *set) add(i int) {
	if i -= s.first; i >= 0 && i < s.n {
		s.words[i/64] |= 1 << (i % 64)
	}
}

func (s *set) has(i int) bool { i -= s.first; return s.words[i/64]>>(i%64)&1 == 1 }

// between is how many of the numbers from lo to before hi are in it.
func (s *set) between(lo, hi int) (n int) {
	for i := lo; i < hi; i++ {
		if s.has(i) {
			n++
		}
	}
	return n
}

func (s *set) count() (n int) {
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Save claims the target of a plan and stores the plan beside it, where [Saved] finds it.
// fault.Exists: another plan has claimed the target, or another node is there.
func Save(ctx context.Context, target store.Store, p *Plan) error {
	w := newWorker(p, target, target)
	c, err := w.enter(ctx)
	if err == nil && c.State == unclaimed {
		err = fault.Newf(fault.Exists, "a node is at the target")
	}
	if err == nil && c.State != published {
		_, err = target.Put(ctx, join(w.dir(), planName), p.Encode(), store.PutOptions{})
	}
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	return nil
}

// planName is the name of a plan that was saved, below its directory.
const planName = "plan.json"

// Saved reads the plan of a transfer that was begun to a path of a store. fault.NotFound: none was,
// or its plan was not saved. fault.Conflict: there is more than one. Where none was begun it
// removes empty folders, which a Clean leaves that is killed at its very end.
func Saved(ctx context.Context, target store.Store, path string) (*Plan, error) {
	b, err := begun(ctx, target, path)
	if err != nil {
		return nil, err
	}
	if b.claim != nil { // what is left of others was never counted
		b.ids = []string{b.claim.Plan}
	}
	switch {
	case len(b.ids) == 0:
		_ = store.RemoveFolders(ctx, target, join(path, dirName))
		return nil, fault.Newf(fault.NotFound, "transfer: none was begun there")
	case len(b.ids) > 1:
		return nil, fault.Newf(fault.Conflict, "transfer: %d were begun there", len(b.ids))
	}
	v, err := target.Get(ctx, join(join(join(path, dirName), b.ids[0]), planName), store.GetOptions{Max: maxPlan}, nil)
	if err != nil {
		return nil, err
	}
	return Decode(v.Bytes)
}

// beside is what is stored at a target that no node is at.
type beside struct {
	claim *claim
	ids   []string // of plans that have something stored
	other string   // a key that is of no transfer, if there is one
}

// begun finds what transfers have stored at a target.
func begun(ctx context.Context, st store.Store, path string) (b beside, err error) {
	for e, err := range store.Pages(ctx, st, path, store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return beside{}, err
		}
		if e.Key != join(path, dirName) {
			b.other = e.Key
			break // a directory may be a long listing
		}
	}
	for e, err := range store.Pages(ctx, st, join(path, dirName), store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return beside{}, err
		}
		if e.Dir {
			b.ids = append(b.ids, strings.TrimPrefix(e.Key, join(path, dirName)+"/"))
		}
	}
	b.claim, err = readClaim(ctx, st, path)
	return b, err
}

// Verify returns the tasks that are not done, in order; none when the target is complete. What is
// stored decides, nothing that an engine says of its jobs.
//
// fault.Exists: another plan has claimed the target, or another node is there. After [Clean] of a
// complete transfer it compares what is stored with what the plan would store, see [RunTask].
func Verify(ctx context.Context, p *Plan, open Opener) ([]int, error) {
	w, err := Open(ctx, p, open)
	if err != nil {
		return nil, err
	}
	missing, err := w.missing(ctx)
	if err != nil {
		err = fmt.Errorf("transfer: %w", err)
	}
	return missing, errors.Join(err, w.Close())
}

func (w *Worker) missing(ctx context.Context) (missing []int, err error) {
	c, err := readClaim(ctx, w.dst, w.p.Target.Path)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		if is, err := w.stands(ctx); err != nil {
			return nil, err
		} else if is {
			return nil, w.compareAll(ctx, 0, w.tasks-1, 1)
		}
	case c.Plan != w.id:
		return nil, claimed()
	case c.State == published:
		return nil, nil
	case c.State == cleaning:
		c = nil
	}
	for k := range w.p.Stages {
		done, err := w.done(ctx, c, k)
		if err != nil {
			return nil, err
		}
		for i := done.first; i < done.first+done.n; i++ {
			if !done.has(i) {
				missing = append(missing, i)
			}
		}
	}
	return missing, nil
}
