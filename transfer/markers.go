package transfer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Save claims the target of a plan and stores the plan in the claim or beside it, where [Saved]
// finds it. It returns fault.Exists if another plan has claimed the target, or if another node is
// at or below it.
func Save(ctx context.Context, target store.Store, p *Plan) error {
	w := newWorker(p, target, target)
	if err := w.Save(ctx); err != nil {
		return err
	}
	if c := w.known(); c.State == taken { // other processes need not list the target again
		if _, err := w.advance(ctx, c, copying); err != nil {
			return fmt.Errorf("transfer: %w", err)
		}
	}
	return nil
}

// dirName is the directory below the target that contains the plan, the markers of tasks and
// temporary arrays. v3 reserves node names with the prefix "__", so listings of groups and package
// validate skip it.
const dirName = "__zargo_transfer"

// markAfter is the time after which the marker of a task is put. A process that is killed repeats
// the tasks of this time. A transfer that takes less time needs no markers.
const markAfter = time.Second

// Save does what the function [Save] does. [Worker.Run] then does not read the claim again. If
// [NewPlan] has returned the plan and it reads one array, Run compares the metadata of the array
// only before it publishes the target, and after an error.
func (w *Worker) Save(ctx context.Context) error {
	w.vacant, w.saving = w.p.vacant, true
	if w.watch != nil {
		w.watch.late = w.p.vacant && len(w.p.reads()) == 1
	}
	c, err := w.enter(ctx)
	if err == nil && c.State == unclaimed {
		err = fault.Newf(fault.Exists, "a node already exists at the target")
	}
	if err == nil && c.State != published && c.Saved == nil {
		_, err = w.dst.Put(ctx, node.Join(w.dir(), planName), w.p.Encode(), store.PutOptions{})
	}
	if err != nil {
		return fmt.Errorf("transfer: %w", err)
	}
	return nil
}

// planName is the name of a saved plan in the plan's directory, if it is not in the claim.
const planName = "plan.json"

// Saved returns the plan of the transfer whose target is a path in a store. If no transfer was
// started, Saved removes empty directories, which an interrupted Clean may leave.
//
// Saved returns fault.NotFound if no transfer was started, or if its plan was not saved. It returns
// fault.Conflict if several transfers were started and none of them has a claim.
func Saved(ctx context.Context, target store.Store, path string) (*Plan, error) {
	b, err := begun(ctx, target, path)
	if err != nil {
		return nil, err
	}
	if b.claim != nil { // objects of other plans are remnants
		if b.claim.Saved != nil {
			return Decode(b.claim.Saved)
		}
		b.ids = []string{b.claim.Plan}
	}
	switch {
	case len(b.ids) == 0:
		_ = store.RemoveFolders(ctx, target, node.Join(path, dirName))
		return nil, fault.Newf(fault.NotFound, "transfer: no transfer was started to the target")
	case len(b.ids) > 1:
		return nil, fault.Newf(fault.Conflict, "transfer: %d transfers were started to the target", len(b.ids))
	}
	v, err := target.Get(ctx, node.Join(node.Join(node.Join(path, dirName), b.ids[0]), planName), store.GetOptions{Max: maxPlan}, nil)
	if err != nil {
		return nil, err
	}
	return Decode(v.Bytes)
}

// beside describes the objects below a target that does not contain a node yet.
type beside struct {
	claim *claim
	ids   []string // IDs of plans with stored values
	other string   // a key that does not belong to a transfer; may be ""
}

// besides lists the objects below a target. other is a key that does not belong to a transfer; it
// may be "". some is false if the listing has no key at all.
func besides(ctx context.Context, st store.Store, path string) (other string, some bool, err error) {
	for e, err := range store.Pages(ctx, st, path, store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return "", false, err
		}
		if some = true; e.Key != node.Join(path, dirName) {
			return e.Key, true, nil // one key suffices, and the listing may be long
		}
	}
	return "", some, nil
}

// begun finds the objects that transfers have stored below a target.
func begun(ctx context.Context, st store.Store, path string) (b beside, err error) {
	if b.other, _, err = besides(ctx, st, path); err != nil {
		return beside{}, err
	}
	for e, err := range store.Pages(ctx, st, node.Join(path, dirName), store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return beside{}, err
		}
		if e.Dir {
			b.ids = append(b.ids, strings.TrimPrefix(e.Key, node.Join(path, dirName)+"/"))
		}
	}
	b.claim, err = readClaim(ctx, st, path)
	return b, err
}

// Dir returns the path of the directory that contains the plan, its markers and its temporary
// arrays: "<target>/__zargo_transfer/<ID>", below the root of the target's store.
func (p *Plan) Dir() string { return node.Join(node.Join(p.Target.Path, dirName), p.ID()) }

func (w *Worker) dir() string { return node.Join(node.Join(w.p.Target.Path, dirName), w.id) }

// markerOf returns the key of the marker of task i, or "" for an archive. The key contains the
// claim's Run, so a marker that arrives after Clean does not count for a later claim of the plan.
func (w *Worker) markerOf(c *claim, stage, i int) string {
	if w.target.archive {
		return ""
	}
	return fmt.Sprintf("%s/done/%d/%d.%s", w.dir(), stage, i, c.Run)
}

// mark puts the markers of tasks whose objects are stored, and then checks that the transfer still
// exists, by reading the claim or by changing its state from taken to copying. If it was removed,
// mark deletes the markers and returns fault.Conflict.
func (w *Worker) mark(ctx context.Context, c *claim, markers ...string) error {
	w.marked.Store(true)
	err := w.target.Each(ctx, markers, func(ctx context.Context, key string) error {
		_, err := w.dst.Put(ctx, key, nil, store.PutOptions{})
		return err
	})
	var now *claim
	var lost error
	if k := w.known(); k != nil && k.Run == c.Run && k.State == taken {
		now, lost = w.advance(ctx, k, copying)
	} else {
		now, lost = w.same(ctx, c)
	}
	if lost == nil {
		w.know(now)
		return err
	}
	if errors.Is(lost, fault.Conflict) && store.DeleteAll(ctx, w.dst, markers) == nil {
		_ = store.RemoveFolders(ctx, w.dst, node.Join(w.p.Target.Path, dirName))
	}
	return lost
}

// marking starts a goroutine that calls mark with the markers sent to the channel, so that tasks do
// not wait for these requests. It passes the first error to stop. After the last marker the caller
// must call wait, which returns the first error. wait puts the remaining markers, even if ctx has
// ended, or returns them if leave is true.
func (w *Worker) marking(ctx context.Context, c *claim, stop context.CancelCauseFunc) (markers chan<- string, wait func(leave bool) ([]string, error)) {
	sent := make(chan string, 256)
	var owed []string
	var err error
	put := func() {
		if len(owed) == 0 || err != nil {
			return
		}
		if err = ctx.Err(); err == nil {
			err = w.mark(ctx, c, owed...)
		}
		if err != nil && ctx.Err() != nil && !errors.Is(err, fault.Conflict) { // ctx ended before or meanwhile
			over, cancel := node.Detached(ctx)
			defer cancel()
			err = w.mark(over, c, owed...)
		}
		if err != nil {
			stop(err)
		}
		owed = nil
	}
	var one sync.WaitGroup
	one.Go(func() {
		var due <-chan time.Time
		for {
			select {
			case key, more := <-sent:
				if !more {
					return
				}
				if owed = append(owed, key); len(owed) == 1 {
					due = time.After(markAfter)
				}
			case <-due:
				put()
			}
		}
	})
	return sent, func(leave bool) ([]string, error) {
		close(sent)
		one.Wait()
		if !leave {
			put()
		}
		return owed, err
	}
}

// done lists the markers of claim c and returns the tasks of a stage that have a marker. c may be
// nil: without a claim no task is done.
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

func (s *set) add(i int) {
	if i >= s.first && i < s.first+s.n && !s.has(i) {
		s.in.Add([]int{i - s.first})
		s.members++
	}
}

func (s *set) has(i int) bool { return s.in.Has([]int{i - s.first}) }

// between returns the number of elements of the set in [lo, hi).
func (s *set) between(lo, hi int) (n int) {
	for i := range s.in.All() {
		if i := i[0] + s.first; i >= lo && i < hi {
			n++
		}
	}
	return n
}

func (s *set) count() int { return s.members }

func newSet(first, n int) *set { return &set{first, n, keys.NewSet([]int{n}), 0} }

// set is a set of numbers in [first, first+n). Its memory depends on the numbers in it, not on n.
type set struct {
	first, n int
	in       *keys.Set
	members  int
}

// Verify returns the numbers of the tasks that are not done, in ascending order. The result is
// empty if the target is complete. It reads the claim and the markers of tasks in the target's
// store. After [Clean] of a complete transfer it compares the stored values with those of the
// source, see [RunTask]. It returns fault.Exists if another plan has claimed the target, or if
// another node is there.
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
		if is, err := w.target.Stored(ctx); err != nil {
			return nil, err
		} else if is {
			return nil, w.compareAll(ctx, 0, w.tasks-1, 1)
		}
	case c.Plan != w.id:
		return nil, otherPlan()
	case c.State == published:
		return nil, nil
	case c.State == publishing:
		return []int{w.tasks - 1}, nil // the other tasks may have no markers
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
