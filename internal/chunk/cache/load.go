package cache

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Load identifies a load. Concurrent loads with equal values of Load are joined.
type Load struct {
	ID
	Unless store.Version // the load ends without a result if the object has this version
	Pieces string        // identifies the loaded pieces of the bytes
	Edge   string        // the Edge for which the result is valid
	epoch  uint64        // prevents joining loads that started before an invalidation
}

// Edge is the extent of an array within an object. It is empty unless the array ends within the
// object. An entry with an Edge is valid only for arrays of the same shape, because a writer that
// changed the shape may also have written the object.
type Edge []byte

// Loaded is the result of a load.
type Loaded struct {
	Object    *Entry // nil if the version was already known
	Unchanged bool   // the object has the version Load.Unless
	Parts     []Part
}

// Join runs a load by calling f, or waits for an equal load that is running; see
// [concurrency.SingleFlight.Do]. Before f returns, it must add its results to the cache, with the
// stamp, so that they are available after the load.
func (r *Reader) Join(ctx context.Context, l Load, f func(context.Context, Stamp) (Loaded, error)) (got Loaded, joined bool, err error) {
	s := r.Begin(l.Key, l.Edge)
	l.epoch = s.epoch
	return r.loads.Do(ctx, l, func(ctx context.Context) (Loaded, error) { return f(ctx, s) })
}
