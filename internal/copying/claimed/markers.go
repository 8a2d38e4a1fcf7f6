package claimed

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// markAfter is the time after which the marker of a task is put. A process that is killed repeats
// the tasks of this time. A transfer that takes less time needs no markers.
const markAfter = time.Second

// Marker returns the key of the marker of task i, or "" if there are none. The key contains the
// claim's Run, so a marker that arrives after Clean does not count for a later claim of the plan.
func (h *Holder) Marker(c *Claim, stage, i int) string {
	if h.alone {
		return ""
	}
	return fmt.Sprintf("%s/done/%d/%d.%s", h.Dir(), stage, i, c.Run)
}

// Mark puts the markers of tasks whose objects are stored, and then checks that the transfer still
// exists, by reading the claim or by changing its state from taken to copying. If it was removed,
// Mark deletes the markers and returns fault.Conflict.
func (h *Holder) Mark(ctx context.Context, c *Claim, markers ...string) error {
	h.marked.Store(true)
	err := concurrency.EachN(ctx, store.TuningOf(h.Store).Requests, len(markers), func(ctx context.Context, i int) error {
		_, err := h.Store.Put(ctx, markers[i], nil, store.PutOptions{})
		return err
	})
	var now *Claim
	var lost error
	if k := h.Known(); k != nil && k.Run == c.Run && k.State == Taken {
		now, lost = h.Advance(ctx, k, Copying)
	} else {
		now, lost = h.Same(ctx, c)
	}
	if lost == nil {
		h.know(now)
		return err
	}
	if errors.Is(lost, fault.Conflict) && store.DeleteAll(ctx, h.Store, markers) == nil {
		_ = store.RemoveFolders(ctx, h.Store, Dir(h.Target))
	}
	return lost
}

// Marking starts a goroutine that calls Mark with the markers sent to the channel, so that tasks do
// not wait for these requests. It passes the first error to stop. After the last marker the caller
// must call wait, which returns the first error. wait puts the remaining markers, even if ctx has
// ended, or returns them if leave is true.
func (h *Holder) Marking(ctx context.Context, c *Claim, stop context.CancelCauseFunc) (markers chan<- string, wait func(leave bool) ([]string, error)) {
	sent := make(chan string, 256)
	var owed []string
	var err error
	put := func() {
		if len(owed) == 0 || err != nil {
			return
		}
		if err = ctx.Err(); err == nil {
			err = h.Mark(ctx, c, owed...)
		}
		if err != nil && ctx.Err() != nil && !errors.Is(err, fault.Conflict) { // ctx ended before or meanwhile
			over, cancel := node.Detached(ctx)
			defer cancel()
			err = h.Mark(over, c, owed...)
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

// Done lists the markers of claim c and returns the tasks of a stage that have a marker. c may be
// nil: without a claim no task is done.
func (h *Holder) Done(ctx context.Context, c *Claim, stage int) (*Set, error) {
	s := NewSet(h.Stages[stage])
	if c == nil {
		return s, nil
	}
	prefix := fmt.Sprintf("%s/done/%d", h.Dir(), stage)
	for e, err := range store.ListAll(ctx, h.Store, prefix, store.ListOptions{}) {
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

func (s *Set) add(i int) {
	if i >= s.First && i < s.First+s.N && !s.Has(i) {
		s.in.Add([]int{i - s.First})
	}
}

// Has reports whether task i is in the set.
func (s *Set) Has(i int) bool { return s.in.Has([]int{i - s.First}) }

// Between returns the number of elements of the set in [lo, hi).
func (s *Set) Between(lo, hi int) (n int) {
	for i := range s.in.All() {
		if i := i[0] + s.First; i >= lo && i < hi {
			n++
		}
	}
	return n
}

// Missing returns the number of tasks of the stage that are not in the set.
func (s *Set) Missing() int { return s.in.Missing() }

// NewSet returns an empty set of tasks of a stage.
func NewSet(s Stage) *Set { return &Set{s, keys.NewSet([]int{s.N})} }

// Set is a set of tasks of a stage. Its memory depends on the tasks in it, not on the stage.
type Set struct {
	Stage
	in *keys.Set
}

// Before checks that all stages before the given one are complete, and returns fault.Conflict
// otherwise. A task that started earlier would read objects that are not stored yet as missing
// chunks, or publish an incomplete copy. If the last task of the plan runs in another process, all
// others are done, some of them perhaps without a marker.
func (h *Holder) Before(ctx context.Context, c *Claim, stage int) error {
	if c.State == Publishing {
		return nil
	}
	for k := range stage {
		h.mu.Lock()
		known := h.complete[k]
		h.mu.Unlock()
		if known {
			continue
		}
		done, err := h.Done(ctx, c, k)
		if err != nil {
			return err
		}
		if missing := done.Missing(); missing > 0 {
			now, err := h.Same(ctx, c)
			if err == nil && (now.State == Publishing || now.State == Published) {
				h.know(now)
				return nil
			}
			if err != nil {
				return err
			}
			return fault.Newf(fault.Conflict, "%w", NotYet(fmt.Sprintf("%d of the %d tasks of stage %d are not done", missing, done.N, k+1)))
		}
		h.Complete(k)
	}
	return nil
}

// NotYet is the error of a task whose earlier stages are not complete.
type NotYet string

func (e NotYet) Error() string { return string(e) }

// Complete records that all tasks of a stage are done.
func (h *Holder) Complete(stage int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.complete == nil {
		h.complete = map[int]bool{}
	}
	h.complete[stage] = true
}

// Missing returns the tasks without markers, in ascending order, or nothing if the work is
// published. unclaimed reports that there is no claim, but the documents are stored.
func (h *Holder) Missing(ctx context.Context) (missing []int, unclaimed bool, err error) {
	c, err := read(ctx, h.record())
	switch {
	case err != nil:
		return nil, false, err
	case c == nil:
		if is, err := h.Node.Stored(ctx); err != nil || is {
			return nil, is, err
		}
	case c.Plan != h.Plan:
		return nil, false, ErrOtherPlan
	case c.State == Published:
		return nil, false, nil
	case c.State == Publishing:
		return []int{h.Stages[len(h.Stages)-1].First}, false, nil // the other tasks may have no markers
	case c.State == Cleaning:
		c = nil
	}
	for k := range h.Stages {
		done, err := h.Done(ctx, c, k)
		if err != nil {
			return nil, false, err
		}
		for at := range done.in.Absent() {
			missing = append(missing, done.First+at[0])
		}
	}
	return missing, false, nil
}
