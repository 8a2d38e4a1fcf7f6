package chunkcache

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Load says what is loaded: loads that are equal and under way at the same time are one.
type Load struct {
	ID
	Unless store.Version // nothing is loaded if the object still has this version
	Pieces string        // which pieces of the bytes are wanted
	epoch  uint64        // a load that began before something was forgotten is not joined
}

// Loaded is what a load found.
type Loaded struct {
	Stamp
	Object    *Entry // nil where the version was known
	Unchanged bool   // the object has the version of Load.Unless
	Parts     []Part
}

// Join runs a load, or waits for one that is under way; see [concurrency.JoinedBy.Do].
func (r *Reader) Join(ctx context.Context, l Load, f func(context.Context, Stamp) (Loaded, error)) (got Loaded, joined bool, err error) {
	s := r.Begin(l.Key)
	l.epoch = s.epoch
	return r.loads.Do(ctx, l, func(ctx context.Context) (Loaded, error) {
		got, err := f(ctx, s)
		got.Stamp = s
		return got, err
	})
}
