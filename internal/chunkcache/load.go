package chunkcache

import (
	"context"

	"github.com/zargo-io/zargo/zarr/store"
)

// Load identifies a load. Equal loads that run concurrently are joined.
type Load struct {
	ID
	Unless store.Version // the load ends without a result if the object has this version
	Pieces string        // identifies the loaded pieces of the bytes
	Edge   string        // the Edge for which the result is valid
	epoch  uint64        // prevents joining loads that started before an invalidation
}

// Edge is the extent of an array within an object. It is empty unless the array ends in the object.
// An entry of such an object is invalid for an array of another shape, because other writers may
// have written the object when they changed the shape.
type Edge []byte

// Loaded is the result of a load.
type Loaded struct {
	Object    *Entry // nil if the version was already known
	Unchanged bool   // the object has the version Load.Unless
	Parts     []Part
}

// Join runs a load, or waits for an equal load that is running; see [concurrency.JoinedBy.Do]. f
// must cache its results, with the stamp, before it returns, so that the results are available when
// the load has ended.
func (r *Reader) Join(ctx context.Context, l Load, f func(context.Context, Stamp) (Loaded, error)) (got Loaded, joined bool, err error) {
	s := r.Begin(l.Key, l.Edge)
	l.epoch = s.epoch
	return r.loads.Do(ctx, l, func(ctx context.Context) (Loaded, error) { return f(ctx, s) })
}
