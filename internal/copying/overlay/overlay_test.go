package overlay

import (
	"context"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// undocumented is an overlay that refuses puts of documents, because an overlay cannot read them.
type undocumented struct{ *overlay }

func (u undocumented) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if isDocument(key) {
		return "", &fault.KeyError{Op: "put", Store: u.String(), Key: key, Kind: fault.Path}
	}
	return u.overlay.Put(ctx, key, value, o)
}

func TestOverlayConforms(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store {
		return undocumented{&overlay{store.Forward{Store: mem.New()}, map[string]string{"a/zarr.json": "{}"}}}
	}, storetest.Without(storetest.AnyKey), storetest.Keys(50), storetest.Rounds(3))
}
