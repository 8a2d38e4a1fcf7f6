package gcs

import (
	"context"
	"errors"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"

	gcsapi "cloud.google.com/go/storage"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// put sends one upload.
func (b *bucket) put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if int64(len(value)) > maxPut {
		return "", fault.Newf(fault.Limit, "value has %d bytes, more than the maximum of %d", len(value), int64(maxPut))
	}
	h, err := b.to(key, o)
	if err != nil {
		return "", err
	}
	whole := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	x := b.exchange()
	x.put, x.writes = true, true
	w := h.NewWriter(x.under(ctx))
	// Send one request directly from the caller's bytes. With any other ChunkSize the SDK allocates
	// a buffer, of 16 MiB by default.
	w.ChunkSize = 0
	w.ContentType = b.contentType
	w.StorageClass = b.class
	w.KMSKeyName = b.kmsKey
	// The server verifies the CRC32C before the value becomes visible.
	w.CRC32C, w.SendCRC32C = crc32.Checksum(value, crc32.MakeTable(crc32.Castagnoli)), true
	// If Write fails, the request has already ended. Cancelling it would only add context.Canceled
	// to the error.
	_, err = w.Write(value)
	err = errors.Join(err, w.Close())
	if err != nil {
		return "", b.lost(whole, key, o, b.paced(key, o != store.PutOptions{}, settled(x.explain(err, o.IfAbsent))))
	}
	if attrs := w.Attrs(); attrs != nil && attrs.Generation > 0 {
		return store.Version(strconv.FormatInt(attrs.Generation, 10)), nil
	}
	return "", foreign("it has no generation")
}

// to returns an object's handle for a write of key, with the conditions in o. It returns
// fault.Throttled for a key that is written too often.
func (b *bucket) to(key string, o store.PutOptions) (*gcsapi.ObjectHandle, error) {
	h := b.object(key)
	if o.IfAbsent {
		h = h.If(gcsapi.Conditions{DoesNotExist: true})
	}
	if o.IfVersion != "" {
		g, ok := generation(o.IfVersion)
		if !ok {
			return nil, neverWas(o.IfVersion)
		}
		h = h.If(gcsapi.Conditions{GenerationMatch: g})
	}
	return h, b.pace.check(key)
}

// maxPut is GCS's limit for one object, 5 TiB.
const maxPut = 5 << 40

// delete sends one delete. If it has a condition, it reads the key first, see
// [provider.CheckDelete].
func (b *bucket) delete(ctx context.Context, key string, o store.DeleteOptions) error {
	h := b.object(key)
	if o.IfVersion != "" {
		g, ok := generation(o.IfVersion)
		if !ok {
			return neverWas(o.IfVersion)
		}
		_, err := b.get(ctx, key, provider.LookFor(o.IfVersion), nil)
		if err = provider.CheckDelete(o.IfVersion, err); err != nil {
			return err
		}
		h = h.If(gcsapi.Conditions{GenerationMatch: g})
	}
	if err := b.pace.check(key); err != nil {
		return err
	}
	x := b.exchange()
	x.writes = true
	if err := h.Delete(x.under(ctx)); err != nil {
		return b.absent(ctx, key, b.paced(key, o.IfVersion != "", x.explain(err, false)))
	}
	// GCS responds with 204, fake-gcs-server with 200 and JSON.
	if !x.bare && x.status != http.StatusNoContent && !strings.HasPrefix(x.header.Get("Content-Type"), "application/json") {
		return foreign("it has status " + strconv.Itoa(x.status) + " for a delete")
	}
	return nil
}
