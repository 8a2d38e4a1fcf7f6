package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/copying/claimed"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Opener opens the store named by [Place].Store, usually a URL, with the credentials of the
// process. The function that called the Opener closes the store.
type Opener func(ctx context.Context, name string) (store.Store, error)

// Worker runs tasks of one plan. [Open] makes a Worker. It is safe for concurrent use.
type Worker struct {
	p        *Plan
	tasks    int
	src, dst store.Store
	out      store.Store // dst with the conditions of claimed.Holder.Fenced, for the writes of tasks
	tmp      store.Store
	claim    *claimed.Holder
	target   *claimed.Target
	arrays   *arrays
	watch    *watch // detects changes of the source
	opts     []zarr.Option
	one      bool // source and target are one store
	noCopy   atomic.Bool
	memory   *concurrency.Budget // the plan's budget; elements of regions are Blocks
	limits   *concurrency.Limits // for objects in flight; Bytes is a child of memory
	moving   *concurrency.Slots  // for tasks that copy encoded objects
	moved    counter
}

// Open checks a plan and opens its stores, in order to run many tasks. The worker opens arrays with
// opts, for example with zarr.Extensions. It reserves memory for tasks in a child of the budget of
// concurrency.Default, which is bounded by the plan's memory. The caller must call [Worker.Close].
func Open(ctx context.Context, p *Plan, open Opener, opts ...zarr.Option) (*Worker, error) {
	return openWith(ctx, p, open, nil, opts)
}

func openWith(ctx context.Context, p *Plan, open Opener, shared *concurrency.Limits, opts []zarr.Option) (*Worker, error) {
	if shared == nil {
		shared = concurrency.Default()
	}
	if shared.CPU == nil || shared.Bytes == nil {
		return nil, fault.Newf(fault.Selection, "transfer: Limits must have CPU and Bytes")
	}
	if err := p.Check(opts...); err != nil {
		return nil, err
	}
	src, err := open(ctx, p.Source.Store)
	if err != nil {
		return nil, fmt.Errorf("transfer: source: %w", err)
	}
	dst := src
	if p.Source.Store != p.Target.Store {
		if dst, err = open(ctx, p.Target.Store); err != nil {
			return nil, errors.Join(fmt.Errorf("transfer: target: %w", err), src.Close())
		}
	}
	w := newWorker(p, account.CountedBy(src, opts), account.CountedBy(dst, opts))
	w.opts = opts
	if w.tmp, err = store.Prefix(w.dst, node.Join(w.claim.Dir(), "tmp")); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	w.memory = shared.Bytes.Child(p.Budget())
	w.limits = &concurrency.Limits{CPU: shared.CPU, Requests: shared.Requests, Bytes: w.memory.Child(objectsShare(p.Budget()))}
	w.watch = newWatch(p, w.src, opts)
	w.arrays = newArrays(p, w.src, w.out, w.tmp, append(slices.Clone(opts), zarr.Limit(zarr.Limits{Shared: w.limits})))
	return w, nil
}

// newWorker returns a worker that can read and write claims and markers. Its memory and arrays,
// which tasks need, are not set.
func newWorker(p *Plan, src, dst store.Store) *Worker {
	w := &Worker{
		p: p, tasks: p.Tasks(), moving: concurrency.NewSlots(moving), one: p.Source.Store == p.Target.Store,
	}
	w.dst = w.moved.around(written.Around(dst))
	w.target = &claimed.Target{Documents: &claimed.Documents{Store: w.dst, Target: p.Target.Path, Texts: p.Documents.Target}}
	w.claim = newHolder(p, w.dst)
	w.claim.Node = w.target
	w.out = w.claim.Fenced()
	if w.src = w.dst; !w.one {
		w.src = w.moved.around(src)
	}
	return w
}

// newHolder returns the holder of the claim of a plan. Its Node, which the first task needs, is not
// set.
func newHolder(p *Plan, st store.Store) *claimed.Holder {
	h := &claimed.Holder{Store: st, Target: p.Target.Path, Plan: p.ID()}
	for k := range p.Stages {
		first, n := p.TasksOf(k)
		h.Stages = append(h.Stages, claimed.Stage{First: first, N: n})
	}
	return h
}

// Close closes the stores.
func (w *Worker) Close() error {
	if w.one {
		return w.dst.Close()
	}
	return errors.Join(w.src.Close(), w.dst.Close())
}

// moving is the number of concurrent tasks that copy objects. With 2, the next task starts before
// the previous one ends. More tasks would not be faster, because each task sends as many requests
// as the store allows, and an interruption would repeat more of them.
const moving = 2

// counter counts requests and bytes.
type counter struct{ gets, puts, read, written atomic.Int64 }

// around wraps s so that its requests are counted.
func (c *counter) around(s store.Store) store.Store {
	return store.Observe(s, func(_ context.Context, e store.Event) {
		switch e.Op {
		case store.OpGet, store.OpList:
			c.gets.Add(1)
			c.read.Add(e.Bytes)
		default:
			c.puts.Add(1)
			c.written.Add(e.Bytes)
		}
	})
}

func (c *counter) amount() store.Amount {
	return store.Amount{Gets: c.gets.Load(), Puts: c.puts.Load(), BytesRead: c.read.Load(), BytesWritten: c.written.Load()}
}
