package gcs

import (
	"strconv"
	"strings"

	gcsapi "cloud.google.com/go/storage"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// bucket holds what every request says; its methods are blob.Hooks.
type bucket struct {
	handle *gcsapi.BucketHandle
	prefix string // "" or with a trailing slash
	key    []byte // customer-supplied, or nil

	class, kmsKey, contentType string
}

func newBucket(client *gcsapi.Client, c *config) *bucket {
	b := &bucket{
		handle: client.Bucket(c.bucket), key: c.key,
		class: c.storageClass, kmsKey: c.kmsKey, contentType: blob.ContentType,
	}
	if c.userProject != "" {
		b.handle = b.handle.UserProject(c.userProject)
	}
	if c.prefix != "" {
		b.prefix = c.prefix + "/"
	}
	if c.contentType != "" {
		b.contentType = c.contentType
	}
	return b
}

func (b *bucket) hooks() blob.Hooks {
	return blob.Hooks{Get: b.get, Put: b.put, Delete: b.delete, ListPage: b.listPage}
}

// object is the handle of a key.
func (b *bucket) object(key string) *gcsapi.ObjectHandle {
	h := b.handle.Object(b.prefix + key)
	if b.key != nil {
		h = h.Key(b.key)
	}
	return h
}

// checkKey keeps prefix and key together within what GCS takes.
func (b *bucket) checkKey(key string) error {
	if err := provider.CheckLength(b.prefix, key); err != nil {
		return err
	}
	if strings.HasPrefix(b.prefix+key, ".well-known/acme-challenge/") {
		return fault.Newf(fault.Path, "key %q is one that GCS does not take", key)
	}
	return nil
}

// generation reads a Version; one that is no generation is no version that any value here ever had.
func generation(v store.Version) (int64, bool) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == string(v)
}

func neverWas(v store.Version) error {
	return fault.Newf(fault.Conflict, "version %q is none of GCS's", v)
}
