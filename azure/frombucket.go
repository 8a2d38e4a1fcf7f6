package azure

import (
	"context"
	neturl "net/url"
	"slices"
	"strings"

	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/provider/opened"
	"github.com/zargo-io/zargo/zarr/store"
)

// FromBucket opens a container that gocloud.dev has opened. url names the same container, with the
// prefix and the parameters that do not concern the connection. Unlike a store of blob.New, the
// result has versions, conditions, multipart uploads and Azure's own errors. The store owns b: its
// Close closes b.
//
// The store sends requests with the SDK's client of b, not through b's driver. If gocloud's
// PrefixedBucket made b, the prefix of url must therefore begin with the prefix of b.
//
// FromBucket returns a *UsageError if b is not a container of Azure, if url names another container
// or a prefix outside of that of b, and if the driver of b wraps the driver of Azure, for example
// to encrypt values or to refuse writes. It finds this without a request. It does not find a
// wrapper that implements driver.DownloaderAt by calling the driver of Azure, nor a wrapper below a
// prefixed bucket: use blob.New for these.
func FromBucket(ctx context.Context, b *gcblob.Bucket, url string, opts ...Option) (store.Store, error) {
	c := &config{opened: b}
	return provider.Open(ctx, c, func() error {
		var client *container.Client
		if !b.As(&client) {
			return provider.Usage("the bucket is not a container of Azure Blob Storage")
		}
		if err := c.read(url, append(slices.Clip(opts), Client(client))); err != nil {
			return err
		}
		return driver(client, c.container).Check(b, c.container, c.prefix)
	})
}

// driver shows the requests of gocloud's driver, whose client is for the container of that name.
// Only the driver of Azure itself downloads to files. It shows the key of a read only there, but it
// shows the prefix of each listing.
func driver(client *container.Client, name string) opened.Driver {
	base, _, _ := strings.Cut(client.URL(), "?")
	base = strings.TrimRight(base, "/") + "/"
	return opened.Driver{
		Download: opened.Of(func(in *azblob.Client) (bucket, key *string) {
			at, _, _ := strings.Cut(in.URL(), "?")
			escaped, inside := strings.CutPrefix(at, base)
			at, err := neturl.PathUnescape(escaped)
			if !inside || err != nil {
				return nil, nil
			}
			return &name, &at
		}),
		List: opened.Of(func(in *container.ListBlobsHierarchyOptions) (bucket, key *string) {
			return &name, in.Prefix
		}),
	}
}
