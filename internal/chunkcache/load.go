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
	Edge   string        // an Edge: what is found of the object is believed where the array ends as it did for this load
	epoch  uint64        // a load that began before something was forgotten is not joined
}

// Edge is how far an array reaches within an object that it ends within; it is empty for one that
// it does not end within. What was found of such an object is not what an array of another shape
// has there: others may have written it since, with a change of the shape.
type Edge []byte

// Loaded is what a load found.
type Loaded struct {
	Object    *Entry // nil where the version was known
	Unchanged bool   // the object has the version of Load.Unless
	Parts     []Part
}

// Join runs a load, or waits for one that is under way; see [concurrency.JoinedBy.Do]. f is to keep
// what it finds, by the stamp, before it returns: then there is no moment in which a load has ended
// and its result is not there.
func (r *Reader) Join(ctx context.Context, l Load, f func(context.Context, Stamp) (Loaded, error)) (got Loaded, joined bool, err error) {
	s := r.Begin(l.Key, l.Edge)
	l.epoch = s.epoch
	return r.loads.Do(ctx, l, func(ctx context.Context) (Loaded, error) { return f(ctx, s) })
}
