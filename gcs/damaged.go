package gcs

import (
	"context"
	"errors"
	"hash/crc32"
	"net/http"

	"google.golang.org/api/googleapi"

	"github.com/zargo-io/zargo/internal/provider/damaged"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// provide sets target if it is a *store.Listings or a *damaged.Put.
func (b *bucket) provide(target any) bool {
	switch t := target.(type) {
	case *damaged.Put:
		*t = func(ctx context.Context, key string, value []byte) error {
			return b.renewed(func() error { return b.putDamaged(ctx, key, value) })
		}
		return true
	case *store.Listings:
		t.Ordered = true  // "Objects: list": results are in lexicographical order of names
		t.Complete = true // "Cloud Storage consistency": object listing is strongly consistent
		return true
	}
	return false
}

// putDamaged sends one upload with a CRC32C that does not match the value. GCS responds with status
// 400 and no specific code.
func (b *bucket) putDamaged(ctx context.Context, key string, value []byte) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x := b.exchange()
	x.put, x.writes = true, true
	w := b.object(key).NewWriter(x.under(ctx))
	w.ChunkSize, w.StorageClass, w.KMSKeyName = 0, b.class, b.kmsKey
	w.CRC32C, w.SendCRC32C = ^crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli)), true
	_, err := w.Write(value)
	err = errors.Join(err, w.Close())
	if api, ok := errors.AsType[*googleapi.Error](err); ok && api.Code == http.StatusBadRequest {
		return fault.Newf(fault.Corrupt, "%w", err)
	}
	if err != nil {
		return x.explain(err, false)
	}
	return nil
}
