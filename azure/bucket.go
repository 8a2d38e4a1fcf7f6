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

// maxSegments is how many segments a blob's name may have. Source: "Naming and referencing
// containers, blobs, and metadata".
const maxSegments = 254

// bucket holds what every request says; its methods are blob.Hooks.
type bucket struct {
	client  *container.Client
	prefix  string // "" or with a trailing slash
	page    int32  // entries asked for in one listing request
	headers *azblob.HTTPHeaders
	tier    *azblob.AccessTier
	sizes   sizes
	noBatch atomic.Bool // batches are refused

	renews bool         // a token that was refused is replaced
	bare   bool         // the client is the caller's
	verify bool         // compare what is read with Azure's checksums
	crc    *crc64.Table // nil where MD5 is used
}

func newBucket(client *container.Client, c *config) *bucket {
	b := &bucket{
		client: client, page: listPage, renews: c.renews, bare: c.client != nil, verify: c.verify,
	}
	if u, err := url.Parse(client.URL()); c.crc || err == nil && isAzure(u.Host) {
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
			err = b.ask(ctx, func(ctx context.Context) error { v, err = b.get(ctx, key, o, buf); return err })
			return v, err
		},
		Put: func(ctx context.Context, key string, value []byte, o store.PutOptions) (v store.Version, err error) {
			err = b.ask(ctx, func(ctx context.Context) error { v, err = b.put(ctx, key, value, o); return err })
			return v, err
		},
		Delete: func(ctx context.Context, key string, o store.DeleteOptions) error {
			return b.ask(ctx, func(ctx context.Context) error { return b.delete(ctx, key, o) })
		},
		ListPage: func(ctx context.Context, prefix string, o store.ListOptions, token string) (page []store.Entry, next string, err error) {
			err = b.ask(ctx, func(ctx context.Context) error { page, next, err = b.listPage(ctx, prefix, o, token); return err })
			return page, next, err
		},
		DeleteAll: b.deleteAll,
		PutParts:  b.putParts,
		Provide:   b.provide,
	}
}

// ask makes a request, and makes it once more after a 401 to a token: tokens are revoked, and they
// expire by the server's clock. The SDK has forgotten the token by then, and nothing was done.
// Where Azure says whom to ask, the SDK has asked again itself.
func (b *bucket) ask(ctx context.Context, do func(context.Context) error) error {
	if b.bare {
		ctx = policy.WithRetryOptions(ctx, policy.RetryOptions{MaxRetries: -1}) // the one retry layer is the store's
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

// checkKey keeps prefix and key together within what Azure takes. The characters that gocloud's
// driver escapes (" # % ?) are taken as they are: nothing here goes through the driver, and the
// client encodes them in the URL.
func (b *bucket) checkKey(key string) error {
	if err := provider.CheckLength(b.prefix, key); err != nil {
		return err
	}
	full := b.prefix + key
	if n := strings.Count(full, "/") + 1; n > maxSegments {
		return fault.Newf(fault.Path, "key %q has %d segments with its prefix, more than %d", key, n, maxSegments)
	}
	return checkDots(full)
}

// checkDots refuses a segment that ends with a dot: Azure leaves that dot out and stores "a." as
// "a".
func checkDots(path string) error {
	if strings.HasSuffix(path, ".") || strings.Contains(path, "./") {
		return fault.Newf(fault.Path, `%q has a segment that ends with ".", which Azure stores under another name`, path)
	}
	return nil
}

// when is a pair of conditions, nil for none.
func when(match, noneMatch store.Version) *azblob.AccessConditions {
	if match == "" && noneMatch == "" {
		return nil
	}
	return &azblob.AccessConditions{ModifiedAccessConditions: &azblob.ModifiedAccessConditions{
		IfMatch: etag(match), IfNoneMatch: etag(noneMatch),
	}}
}

// whenPut is when for the conditions of a write.
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

// version is an ETag as a Version; listings write it without quotes.
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
