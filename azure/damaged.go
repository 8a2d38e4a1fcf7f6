package azure

import (
	"context"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/zargo-io/zargo/internal/provider/damaged"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// provide sets target if it is a *store.Listings or a *damaged.Put.
func (b *bucket) provide(target any) bool {
	switch t := target.(type) {
	case *damaged.Put:
		*t = func(ctx context.Context, key string, value []byte) error {
			return b.renewed(ctx, func(ctx context.Context) error { return b.putDamaged(ctx, key, value) })
		}
		return true
	case *store.Listings:
		t.Complete = true // "Azure Storage uses a strong consistency model", also for listings
		return true
	}
	return false
}

// putDamaged sends one Put Blob with a checksum that does not match the value. Azure responds with
// status 400 and the code Md5Mismatch or Crc64Mismatch, Azurite with 400 and another code.
func (b *bucket) putDamaged(ctx context.Context, key string, value []byte) error {
	body := &lent{b: value}
	defer body.giveBack()
	b.sizes.forget(key)
	_, err := b.block(key).Upload(ctx, body, &blockblob.UploadOptions{Tier: b.tier, TransactionalValidation: b.sum(append([]byte("not "), value...))})
	if resp, ok := errors.AsType[*azcore.ResponseError](err); ok && resp.StatusCode == http.StatusBadRequest {
		return fault.Newf(fault.Corrupt, "%w", err)
	}
	if err != nil {
		return explain(err, false)
	}
	return nil
}
