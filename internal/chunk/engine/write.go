package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/assemble"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/internal/chunk/plan"
	"github.com/zargo-io/zargo/zarr/store"
)

// Write sets the elements of the array that sel selects to src. Objects whose elements are all
// selected are written without being read. Other objects are read, changed, and written on the
// condition that they were not replaced meanwhile. If an object was replaced, its write is retried.
// An edge object extends beyond the array's shape, and its elements inside the array are all
// selected. An absent edge object is put. An existing edge object is changed like a partly selected
// object, because another writer may have appended its other elements. An object that is all fill
// value is deleted or not written, unless the pipeline stores such objects. A store without
// conditional writes needs the option SingleWriter. Without it, a partial write returns
// errors.ErrUnsupported before anything is written.
//
// After an error each object is either wholly old or wholly new.
func (a *Array) Write(ctx context.Context, src pipeline.Memory, sel grid.Selection) error {
	ctx, r, err := a.begin(ctx, src, sel, a.WriteOptions())
	if err != nil {
		return err
	}
	return r.each(ctx, "write", r.write)
}

// WriteOptions returns the options for plans of writes.
func (a *Array) WriteOptions() *plan.WriteOptions {
	w := &plan.WriteOptions{Merge: a.Layout.Pipe.OfField(), Held: a.Options.Guard != nil, Single: a.Options.SingleWriter}
	// This is the default of store.ConditionsOf, without an allocation.
	w.Conditions = store.Conditions{IfAbsent: true, IfVersion: true}
	store.As(a.Store, &w.Conditions)
	return w
}

// write writes one object.
func (r *Call) write(ctx context.Context, o *plan.Object) error {
	switch {
	case !o.Covers || o.Edge:
		t := attempt{absent: o.Edge && !r.bare(o) && !r.plan.Write.ReadsEdges()}
		return r.contend(ctx, o, func() (lost, met bool, err error) {
			was := t
			lost, err = r.swap(ctx, o, &t)
			return lost, t == was, err
		})
	case r.plan.Write.Guarded():
		return r.add(ctx, o)
	}
	return r.replace(ctx, o)
}

// maxConflicts bounds how often the write of an object is retried. Each conflict means that another
// writer succeeded. More conflicts mean that the store reports wrong versions.
const maxConflicts = 1000

// contend writes an object on a condition and retries while the attempt is lost. Goroutines of this
// process take turns. met reports that another process wrote the object first. Then a partial write
// waits, as many processes may write the object, but a write of the whole object does not.
func (r *Call) contend(ctx context.Context, o *plan.Object, write func() (lost, met bool, err error)) error {
	merges := !o.Covers || o.Edge
	key, err := r.lock(ctx, o.Key)
	if err != nil {
		return err
	}
	defer key.Unlock()
	for try := 1; ; try++ {
		lost, met, err := write()
		if !lost || try == maxConflicts {
			return err
		}
		if !met {
			continue
		}
		if r.account.Conflict(); !merges {
			continue
		}
		if err := concurrency.Sleep(ctx, rand.N(min(time.Duration(try)*2*time.Millisecond, 100*time.Millisecond))); err != nil {
			return err
		}
	}
}

// replace writes an object without reading it.
func (r *Call) replace(ctx context.Context, o *plan.Object) error {
	p := r.packing(o, false)
	if p.Streams {
		if err := r.replaceStreamed(ctx, o, p.Limits, store.PutOptions{}); !errors.Is(err, assemble.ErrNoParts) {
			return err
		}
	}
	m, err := r.make(ctx, o, p)
	if err != nil {
		return err
	}
	defer m.hold.Release()
	return r.commit(ctx, o, m, store.PutOptions{})
}

// add writes a whole object if it is absent. An existing object may be from a longer array or an
// interrupted writer. If the guard returns nil, add replaces it, on the condition of the version
// that was read. If all elements are the fill value, add only deletes an existing object.
func (r *Call) add(ctx context.Context, o *plan.Object) error {
	p := r.packing(o, false)
	if p.Streams {
		// The version is read first, as that is cheap compared with such a shard. The shard is
		// encoded again after each conflict, because a failed condition may have removed its parts.
		err := r.contend(ctx, o, func() (lost, met bool, err error) {
			v, err := r.version(ctx, o.Key)
			if err == nil {
				err = r.replaceStreamed(ctx, o, p.Limits, only(v))
				lost = isLost(err)
			}
			return lost, true, err
		})
		if !errors.Is(err, assemble.ErrNoParts) {
			return err
		}
	}
	m, err := r.make(ctx, o, p)
	if err != nil {
		return err
	}
	defer m.hold.Release()
	expected, looked := store.Version(""), !m.empty // the first attempt expects no object
	return r.contend(ctx, o, func() (lost, met bool, err error) {
		if !looked {
			if expected, err = r.version(ctx, o.Key); err == nil {
				err = r.guarded(ctx)
			}
			if err != nil {
				return false, false, err
			}
		}
		looked = false
		err = r.commit(ctx, o, m, only(expected))
		return isLost(err), true, err
	})
}

// only returns the condition that an object has version v or, if v is "", that it is absent.
func only(v store.Version) store.PutOptions {
	return store.PutOptions{IfAbsent: v == "", IfVersion: v}
}
