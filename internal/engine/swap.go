package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/zargo-io/zargo/internal/plan"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxConflicts bounds how often a part of an object is written again. Each conflict means that another writer succeeded, so this many
// in a row is a store that misreports its versions rather than contention.
const maxConflicts = 1000

// merge reads an object, changes it, and writes it if nobody else did meanwhile, else does it all again.
func (r *runner) merge(ctx context.Context, o *plan.Object) error {
	// Goroutines of this process take turns; only other processes can conflict.
	unlock, err := r.a.State.locks.Lock(ctx, o.Key)
	if err != nil {
		return err
	}
	defer unlock()
	for try := 1; ; try++ {
		lost, err := r.swap(ctx, o)
		if !lost || try == maxConflicts {
			return err
		}
		r.a.Options.Report.conflict()
		if err := sleep(ctx, rand.N(min(time.Duration(try)*2*time.Millisecond, 100*time.Millisecond))); err != nil {
			return err
		}
	}
}

// swap is one try of merge; lost reports that the object was replaced in between, so that err is a conflict.
func (r *runner) swap(ctx context.Context, o *plan.Object) (lost bool, err error) {
	hold, err := r.op.Acquire(ctx, r.reserve(o, 2)) // the old encoded object and the new one
	if err != nil {
		return false, err
	}
	defer hold.Release()
	old, buf := getBuffer(r.a.estimate(o.Chunk)), getBuffer(r.a.estimate(o.Chunk))
	defer putBuffer(old)
	defer putBuffer(buf)

	v, err := r.stored(ctx, o, old)
	absent := errors.Is(err, fault.NotFound)
	if err != nil && !absent {
		return errors.Is(err, fault.Conflict), err
	}
	if !absent && v.Version == "" && !r.a.Options.SingleWriter {
		return false, noVersions(r.a.Store)
	}
	if absent {
		v.Bytes = nil
	} else if v.Bytes == nil {
		v.Bytes = []byte{}
	}
	empty, err := r.encode(ctx, buf, o, v.Bytes)
	if err != nil {
		return false, err
	}
	hold.Adjust(int64(cap(old.b) + cap(buf.b)))
	version := v.Version
	if r.a.Options.SingleWriter {
		version = ""
	}
	switch {
	case empty && absent:
		return false, nil
	case empty:
		err = r.delete(ctx, o, store.DeleteOptions{IfVersion: version})
	case absent && !r.a.Options.SingleWriter:
		err = r.put(ctx, o, buf.b, store.PutOptions{IfAbsent: true})
	default:
		err = r.put(ctx, o, buf.b, store.PutOptions{IfVersion: version})
	}
	return errors.Is(err, fault.Conflict) || errors.Is(err, fault.Exists), err
}
