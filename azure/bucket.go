package azure

import (
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxSegments is how many segments a blob's name may have. Source: "Naming and referencing containers, blobs, and
// metadata".
const maxSegments = 254

// bucket holds what every request says; its methods are blob.Hooks.
type bucket struct {
	client  *container.Client
	prefix  string // "" or with a trailing slash
	page    int32  // entries asked for in one listing request
	headers *azblob.HTTPHeaders
	tier    *azblob.AccessTier
	sizes   sizes
}

func newBucket(client *container.Client, c *config) *bucket {
	b := &bucket{client: client, page: listPage}
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
		Get:      b.get,
		Put:      b.put,
		Delete:   b.delete,
		ListPage: b.listPage,
		PutParts: b.putParts,
		// No DeleteAll: Azure has a batch of 256, but the client's reader of its answers panics on ones it does not expect.
	}
}

func (b *bucket) blob(key string) *azblob.Client { return b.client.NewBlobClient(b.prefix + key) }

func (b *bucket) block(key string) *blockblob.Client {
	return b.client.NewBlockBlobClient(b.prefix + key)
}

// checkKey keeps prefix and key together within what Azure takes. The characters that gocloud's driver escapes
// (" # % ?) are taken as they are: nothing here goes through the driver, and the client encodes them in the URL.
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

// checkDots refuses a segment that ends with a dot: Azure leaves that dot out and stores "a." as "a".
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
