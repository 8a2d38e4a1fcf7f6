package transfer

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// dirName is where, below the target, a transfer keeps the plan, the markers of tasks and temporary arrays. Names of nodes that begin with
// "__" are reserved in v3, so listings of groups and package validate pass it over.
const dirName = "__zargo_transfer"

// Dir is the path, below the root of the target's store, of what a transfer stores beside the target: "<target>/__zargo_transfer/<ID>".
func (p *Plan) Dir() string { return join(join(p.Target.Path, dirName), p.ID()) }

func (w *Worker) dir() string { return join(join(w.p.Target.Path, dirName), w.id) }

// mark says that a task is done, after its objects are stored.
func (w *Worker) mark(ctx context.Context, stage, i int) error {
	_, err := w.dst.Put(ctx, fmt.Sprintf("%s/done/%d/%d", w.dir(), stage, i), nil, store.PutOptions{})
	return err
}

// done are the tasks of a stage that have markers.
func (w *Worker) done(ctx context.Context, stage int) (*set, error) {
	first, n := w.p.TasksOf(stage)
	s := newSet(first, n)
	prefix := fmt.Sprintf("%s/done/%d", w.dir(), stage)
	for e, err := range store.ListAll(ctx, w.dst, prefix, store.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		if i, err := strconv.Atoi(strings.TrimPrefix(e.Key, prefix+"/")); err == nil {
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

// Save stores a plan beside its target, where [Saved] finds it.
func Save(ctx context.Context, target store.Store, p *Plan) error {
	_, err := target.Put(ctx, join(p.Dir(), "plan.json"), p.Encode(), store.PutOptions{})
	return err
}

// Saved reads the plan of a transfer that was begun to a path of a store. fault.NotFound: none was. fault.Conflict: there is more than one.
func Saved(ctx context.Context, target store.Store, path string) (*Plan, error) {
	ids, _, err := below(ctx, target, path)
	switch {
	case err != nil:
		return nil, err
	case len(ids) == 0:
		return nil, fault.Newf(fault.NotFound, "transfer: none was begun there")
	case len(ids) > 1:
		return nil, fault.Newf(fault.Conflict, "transfer: %d were begun there", len(ids))
	}
	v, err := target.Get(ctx, join(join(join(path, dirName), ids[0]), "plan.json"), store.GetOptions{Max: maxPlan}, nil)
	if err != nil {
		return nil, err
	}
	return Decode(v.Bytes)
}

// below lists what is stored below a target: the IDs of transfers, and one key that is of none.
func below(ctx context.Context, st store.Store, path string) (ids []string, other string, err error) {
	for e, err := range store.Pages(ctx, st, path, store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return nil, "", err
		}
		if e.Key != join(path, dirName) {
			other = e.Key
			break // a directory may be a long listing
		}
	}
	for e, err := range store.Pages(ctx, st, join(path, dirName), store.ListOptions{Depth: store.OneLevel}) {
		if err != nil {
			return nil, "", err
		}
		if e.Dir {
			ids = append(ids, strings.TrimPrefix(e.Key, join(path, dirName)+"/"))
		}
	}
	return ids, other, nil
}

// Verify returns the tasks that are not done, in order; none when the target is complete. What is stored decides, nothing that an engine says of its jobs.
func Verify(ctx context.Context, p *Plan, open Opener) ([]int, error) {
	w, err := Open(ctx, p, open)
	if err != nil {
		return nil, err
	}
	missing, err := w.missing(ctx)
	return missing, errors.Join(err, w.Close())
}

func (w *Worker) missing(ctx context.Context) (missing []int, err error) {
	if published, err := w.published(ctx); published || err != nil {
		return nil, err
	}
	for k := range w.p.Stages {
		done, err := w.done(ctx, k)
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

// Clean removes what a transfer stored beside its target: the plan, markers and temporary arrays. Once the target is complete nothing needs
// them; before, the transfer begins anew, and what it has written below the target stays there. In a directory their folders go too.
func Clean(ctx context.Context, p *Plan, open Opener) error {
	st, err := open(ctx, p.Target.Store)
	if err != nil {
		return err
	}
	err = store.DeleteBelow(ctx, st, p.Dir())
	if err == nil { // what another process puts meanwhile makes its folders again
		err = store.RemoveFolders(ctx, st, join(p.Target.Path, dirName))
	}
	return errors.Join(err, st.Close())
}
