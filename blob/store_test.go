package blob_test

import (
	"testing"

	"gocloud.dev/blob/memblob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func TestStoreMemblob(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store {
		return blob.New(memblob.OpenBucket(&memblob.Options{NoMD5: true}), blob.TrustNotFound())
	}, storetest.Without(storetest.Versions, storetest.AnyKey))
}

// TestStoreMemblobUntrusted runs the conformance tests with a driver whose NotFound is not trusted,
// so absence is proven by listings.
func TestStoreMemblobUntrusted(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store {
		return blob.New(memblob.OpenBucket(&memblob.Options{NoMD5: true}))
	}, storetest.Without(storetest.Versions, storetest.AnyKey), storetest.Keys(50))
}
