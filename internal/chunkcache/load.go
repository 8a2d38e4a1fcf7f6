package chunkcache

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Load identifies a load. Equal loads that run at the same time are joined.
type Load struct {
	ID
	Unless store.Version // the load ends without a result if the object has this version
	Pieces string        // identifies the pieces of the bytes that are loaded
	Edge   string        // the Edge for which the result is valid
	epoch  uint64        // loads that started before an invalidation are not joined
}

// Edge is the extent of an array within an object, if the array ends in it, else empty. An entry of
// such an object is invalid for an array of another shape: other writers may have written the
// object since, together with a change of the shape.
type Edge []byte

// Loaded is the result of a load.
type Loaded struct {
	Object    *Entry // nil if the version was known
	Unchanged bool   // the object has the version Load.Unless
	Parts     []Part
}

// Join runs a load, or waits for an equal one that is running; see [concurrency.JoinedBy.Do]. f
// must keep its results, with the stamp, before it returns. So there is no moment at which a load
// has ended and its results are missing.
func (r *Reader) Join(ctx context.Context, l Load, f func(context.Context, Stamp) (Loaded, error)) (got Loaded, joined bool, err error) {
	s := r.Begin(l.Key, l.Edge)
	l.epoch = s.epoch
	return r.loads.Do(ctx, l, func(ctx context.Context) (Loaded, error) { return f(ctx, s) })
}
