package gcs

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	gcsapi "cloud.google.com/go/storage"
	"google.golang.org/api/googleapi"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// bucket holds the parameters that all requests share. Its methods are blob.Hooks.
type bucket struct {
	handle *gcsapi.BucketHandle
	prefix string // "" or with a trailing slash
	key    []byte // customer-supplied, or nil
	pace   pace

	batches batches

	bare      bool // the caller's client is used
	renews    bool // rejected tokens are replaced
	anonymous bool
	google    bool // the server is Google's

	class, kmsKey, contentType string
}

func newBucket(client *gcsapi.Client, c *config) *bucket {
	b := &bucket{
		handle: client.Bucket(c.bucket), key: c.key,
		class: c.storageClass, kmsKey: c.kmsKey, contentType: blob.ContentType,
		bare: c.client != nil, anonymous: c.anonymous, google: c.client == nil && isGoogle(c.endpoint),
		renews: c.client == nil && c.httpClient == nil && !c.anonymous,
	}
	if b.bare {
		b.handle = b.handle.Retryer(gcsapi.WithPolicy(gcsapi.RetryNever)) // of this handle only
	}
	if c.userProject != "" {
		b.handle = b.handle.UserProject(c.userProject)
	}
	b.batches.init(c)
	if c.prefix != "" {
		b.prefix = c.prefix + "/"
	}
	if c.contentType != "" {
		b.contentType = c.contentType
	}
	return b
}

func (b *bucket) hooks() blob.Hooks {
	return blob.Hooks{
		Get: func(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
			err = b.renewed(func() error { v, err = b.get(ctx, key, o, buf); return err })
			return v, err
		},
		Put: func(ctx context.Context, key string, value []byte, o store.PutOptions) (v store.Version, err error) {
			err = b.renewed(func() error { v, err = b.put(ctx, key, value, o); return err })
			return v, err
		},
		Delete: func(ctx context.Context, key string, o store.DeleteOptions) error {
			return b.renewed(func() error { return b.delete(ctx, key, o) })
		},
		ListPage: func(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
			err = b.renewed(func() error { page, next, err = b.listPage(ctx, prefix, o, token); return err })
			return slices.DeleteFunc(page, func(e store.Entry) bool { return isHidden(e.Key) }), next, err
		},
		DeleteAll: b.deleteAll,
		PutParts:  b.putParts,
		Copy: func(ctx context.Context, from, to string, o store.CopyOptions) (v store.Version, err error) {
			err = b.renewed(func() error { v, err = b.copy(ctx, from, to, o); return err })
			return v, err
		},
		Provide: b.provide,
	}
}

// renewed calls do. After a 401 it calls do again with a new token, because tokens can be revoked
// and expire by the server's clock. GCS does not execute a request that it refuses with 401.
func (b *bucket) renewed(do func() error) error {
	err := do()
	var api *googleapi.Error
	if b.renews && errors.As(err, &api) && api.Code == http.StatusUnauthorized {
		err = do()
	}
	return err
}

// exchange returns the record of one request.
func (b *bucket) exchange() *exchange { return &exchange{bare: b.bare, anonymous: b.anonymous} }

// object returns the handle of a key.
func (b *bucket) object(key string) *gcsapi.ObjectHandle {
	h := b.handle.Object(b.prefix + key)
	if b.key != nil {
		h = h.Key(b.key)
	}
	return h
}

// checkKey rejects keys that GCS does not accept and keys that are reserved for parts. The length
// limit applies to prefix and key together.
func (b *bucket) checkKey(key string) error {
	if err := provider.CheckLength(b.prefix, key); err != nil {
		return err
	}
	if isHidden(key) {
		return fault.Newf(fault.Path, "names that start with %q are reserved for parts of values", hidden)
	}
	if strings.HasPrefix(b.prefix+key, ".well-known/acme-challenge/") {
		return fault.Newf(fault.Path, "GCS does not accept the key %q", key)
	}
	return nil
}

// generation parses a Version. It returns false for a string that GCS never returns as a
// generation.
func generation(v store.Version) (int64, bool) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == string(v)
}

func neverWas(v store.Version) error {
	return fault.Newf(fault.Conflict, "%q is not a version of GCS", v)
}
