package azure

import (
	"context"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	gcblob "gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// Open opens "azblob://container/prefix?parameters". The prefix becomes the store's root. No
// request is made: a missing container or refused credentials show at the first verb.
//
// The forms that other programs and the portal write are read as well: az://, azure://, abfs:// and
// abfss:// with container/prefix or container@account.dfs.core.windows.net/prefix, and
// https://account.blob.core.windows.net/container/prefix, with a SAS token or without.
//
// The parameters are gocloud.dev's: storage_account, domain (blob.core.windows.net), protocol
// (https), cdn and localemu, which puts the account into the path and has 127.0.0.1:10000 and http
// as its defaults. Ours are anonymous, readonly, verify_reads, access_tier and content_type.
// Anything else is an error. What they leave open comes from AZURE_STORAGE_ACCOUNT, _DOMAIN,
// _PROTOCOL, _IS_CDN and _IS_LOCAL_EMULATOR.
//
// Credentials are the option's, else the environment's first of: AZURE_STORAGE_KEY,
// AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING (if the URL names no account), and
// azidentity's default chain (service principal, workload and managed identity, az login). Identity
// and SAS tokens are not sent to a domain outside of Azure that only the URL names: see [Domain]
// and [TrustHost]. The SAS token of an https URL goes to its host.
//
// *UsageError: the URL, a parameter or an option is malformed or contradicts another. fault.Path:
// the prefix is no key. fault.Refused: no account is named, or the credentials are malformed.
//
// The store retries, limits its requests (see [Retry] and [MaxInFlight]), implements the optional
// verbs store.PageLister, store.BatchDeleter and store.PartPutter, and gives by store.As:
// *container.Client, *gcblob.Bucket and store.Tuning.
func Open(ctx context.Context, url string, opts ...Option) (store.Store, error) {
	return new(config).open(ctx, url, opts)
}

func (c *config) open(ctx context.Context, url string, opts []Option) (store.Store, error) {
	return provider.Open(ctx, c, func() error { return c.read(url, opts) })
}

func (c *config) read(url string, opts []Option) error {
	if err := c.parseURL(url); err != nil {
		return err
	}
	for _, o := range opts {
		o.apply(c)
	}
	return c.check()
}

// Layers implements [provider.Config].
func (c *config) Layers() *provider.Stack { return &c.stack }

// Connect implements [provider.Config].
func (c *config) Connect(ctx context.Context) (store.Store, error) {
	client, err := c.connect()
	if err != nil {
		return nil, err
	}
	if c.connection != "" || c.client != nil {
		c.account, c.domain = accountOf(client)
	}
	c.reached, _, _ = strings.Cut(client.URL(), "?")
	bucket := c.opened
	if bucket == nil {
		if bucket, err = azureblob.OpenBucket(ctx, client, nil); err != nil {
			return nil, provider.Usage("%v", err)
		}
	}
	b := newBucket(client, c)
	hooks := b.hooks()
	if c.idle != nil {
		hooks.Close = func() error { c.idle.CloseIdleConnections(); return nil }
	}
	return blob.New(bucket,
		blob.Name(c.Name()),
		blob.WithHooks(hooks),
		blob.CheckKeys(b.checkKey),
		blob.Tuning(c.tuning()),
	), nil
}

// FromBucket is [Open] of a container that gocloud.dev has opened: url names the same container,
// with the prefix and the parameters that are not about the connection. Unlike blob.New it has
// versions, conditions, parts and Azure's own errors. It takes b over: Close closes it.
//
// *UsageError: b is not a container of Azure's, or another than url names.
func FromBucket(ctx context.Context, b *gcblob.Bucket, url string, opts ...Option) (store.Store, error) {
	c := &config{opened: b}
	return provider.Open(ctx, c, func() error {
		var client *container.Client
		if !b.As(&client) {
			return provider.Usage("the bucket is not a container of Azure Blob Storage")
		}
		return c.read(url, append(slices.Clip(opts), Client(client)))
	})
}
