package metamorphic

import (
	"math/rand/v2"
	"testing"

	"gocloud.dev/blob/memblob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/hedge"
	"github.com/zargo-io/zargo/zarr/store/large"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// place is a store that is empty at the start.
type place struct {
	store.Store
	name string
	// single reports that writers need zarr.SingleWriter, because the store does not support
	// conditional writes.
	single bool
}

// Unwrap makes the optional methods of the store available to [store.As].
func (p *place) Unwrap() store.Store { return p.Store }

// foreign is the store of a place as another process opens it: writes do not reach the caches of
// this process.
type foreign struct{ store.Store }

// newPlace opens a random kind of store. One in 25 is a directory, which is the slowest kind.
func newPlace(t *testing.T, r *rand.Rand) (*place, error) {
	p := &place{Store: mem.New(), name: "mem"}
	var err error
	switch r.IntN(25) {
	case 0:
		p.Store, p.name = dir.New(t.TempDir(), dir.Sync(false)), "dir"
	case 1, 2, 3, 4:
		p.Store, p.name, p.single = blob.New(memblob.OpenBucket(nil), blob.TrustNotFound()), "memblob", true
	}
	if r.IntN(3) == 0 {
		p.name += ", prefix"
		if p.Store, err = store.Prefix(p.Store, "below/it"); err != nil {
			return nil, err
		}
	}
	switch r.IntN(8) {
	case 0:
		p.name += ", retry"
		p.Store, err = retry.New(p.Store)
	case 1:
		p.name += ", limit"
		p.Store = limit.New(p.Store, limit.Options{InFlight: 1 + r.IntN(3)})
	case 2:
		p.name += ", large"
		p.Store = large.New(p.Store, large.Options{SplitAbove: 64, PartAbove: 64, Piece: 48})
	case 3:
		p.name += ", hedge"
		p.Store = hedge.New(p.Store, hedge.Options{})
	}
	return p, err
}
