package azure

import (
	"context"
	"errors"
	"hash/crc64"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// bucket holds the parameters that all requests share. Its methods are blob.Hooks.
type bucket struct {
	client  *container.Client
	prefix  string // "" or with a trailing slash
	page    int32  // entries per listing request
	headers *azblob.HTTPHeaders
	tier    *azblob.AccessTier
	sizes   sizes
	noBatch atomic.Bool // batches are rejected

	tokens azcore.TokenCredential // authorizes the source of copies; nil if the client has another credential
	azure  bool                   // the server is Azure

	renews bool         // rejected tokens are replaced
	bare   bool         // the caller's client is used
	verify bool         // compare reads with Azure's checksums
	crc    *crc64.Table // nil if MD5 is used
}

// maxSegments is the maximum number of segments in a blob's name. Source: "Naming and referencing
// containers, blobs, and metadata".
const maxSegments = 254

func newBucket(client *container.Client, c *config) *bucket {
	b := &bucket{
		client: client, page: listPage, renews: c.renews, bare: c.client != nil, verify: c.verify, tokens: c.tokens,
	}
	u, err := url.Parse(client.URL())
	b.azure = err == nil && isAzure(u.Host)
	if c.crc || b.azure {
		b.crc = crc64.MakeTable(crcPolynomial)
	}
	if c.prefix != "" {
		b.prefix = c.prefix + "/"
	}
	contentType := blob.ContentType
	if c.contentType != "" {
		contentType = c.contentType
	}
	b.headers = &azblob.HTTPHeaders{BlobContentType: &contentType}
	if c.tier != "" {
		b.tier = new(azblob.AccessTier(c.tier))
	}
	return b
}

func (b *bucket) hooks() blob.Hooks {
	return blob.Hooks{
		Get: func(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
			err = b.renewed(ctx, func(ctx context.Context) error { v, err = b.get(ctx, key, o, buf); return err })
			return v, err
		},
		Put: func(ctx context.Context, key string, value []byte, o store.PutOptions) (v store.Version, err error) {
			err = b.renewed(ctx, func(ctx context.Context) error { v, err = b.put(ctx, key, value, o); return err })
			return v, err
		},
		Delete: func(ctx context.Context, key string, o store.DeleteOptions) error {
			return b.renewed(ctx, func(ctx context.Context) error { return b.delete(ctx, key, o) })
		},
		ListPage: func(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
			err = b.renewed(ctx, func(ctx context.Context) error { page, next, err = b.listPage(ctx, prefix, o, token); return err })
			return page, next, err
		},
		DeleteAll: b.deleteAll,
		PutParts:  b.putParts,
		Copy: func(ctx context.Context, from, to string, o store.CopyOptions) (v store.Version, err error) {
			err = b.renewed(ctx, func(ctx context.Context) error { v, err = b.copy(ctx, from, to, o); return err })
			return v, err
		},
		Provide: b.provide,
	}
}

// renewed calls do. If Azure rejects the token with 401, it calls do again, because tokens can be
// revoked and expire by the server's clock. The rejected request had no effect, and the SDK has
// dropped the token. If the response names an authority, the SDK has already sent the request
// again.
func (b *bucket) renewed(ctx context.Context, do func(context.Context) error) error {
	if b.bare {
		ctx = policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1}) // the store retries
	}
	err := do(ctx)
	var resp *azcore.ResponseError
	if b.renews && errors.As(err, &resp) && resp.StatusCode == http.StatusUnauthorized && resp.RawResponse != nil &&
		!strings.HasPrefix(resp.RawResponse.Header.Get("WWW-Authenticate"), "Bearer") {
		err = do(ctx)
	}
	return err
}

func (b *bucket) blob(key string) *azblob.Client { return b.client.NewBlobClient(b.prefix + key) }

func (b *bucket) block(key string) *blockblob.Client {
	return b.client.NewBlockBlobClient(b.prefix + key)
}

// checkKey rejects keys that Azure does not accept. The length limit applies to prefix and key
// together. The characters " # % ?, which gocloud's driver escapes, are allowed, because requests
// bypass the driver and the client encodes these characters in the URL.
func (b *bucket) checkKey(key string) error {
	if err := provider.CheckLength(b.prefix, key); err != nil {
		return err
	}
	full := b.prefix + key
	if n := strings.Count(full, "/") + 1; n > maxSegments {
		return fault.Newf(fault.Path, "key %q has %d segments with its prefix, more than the maximum of %d", key, n, maxSegments)
	}
	return checkDots(full)
}

// checkDots rejects a segment that ends with a dot, because Azure drops the dot and stores "a." as
// "a".
func checkDots(path string) error {
	if strings.HasSuffix(path, ".") || strings.Contains(path, "./") {
		return fault.Newf(fault.Path, `%q has a segment that ends with ".", which Azure stores under another name`, path)
	}
	return nil
}

// when returns the access conditions, or nil if both are empty.
func when(match, noneMatch store.Version) *azblob.AccessConditions {
	if match == "" && noneMatch == "" {
		return nil
	}
	return &azblob.AccessConditions{ModifiedAccessConditions: &azblob.ModifiedAccessConditions{
		IfMatch: etag(match), IfNoneMatch: etag(noneMatch),
	}}
}

// whenPut returns the access conditions of a write.
func whenPut(o store.PutOptions) *azblob.AccessConditions {
	if o.IfAbsent {
		return when("", store.Version(azcore.ETagAny))
	}
	return when(o.IfVersion, "")
}

func etag(v store.Version) *azcore.ETag {
	if v == "" {
		return nil
	}
	return new(azcore.ETag(v))
}

// version converts an ETag to a Version. Listings omit the quotes of ETags, so version adds the
// quotes.
func version(e *azcore.ETag) store.Version {
	if e == nil || *e == "" {
		return ""
	}
	s := string(*e)
	if !strings.HasSuffix(s, `"`) {
		s = `"` + s + `"`
	}
	return store.Version(s)
}
