package azure

import (
	"context"
	"strings"

	"gocloud.dev/blob/azureblob"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// Open opens "azblob://container/prefix?parameters". The prefix becomes the root of the store. Open
// does not send a request, so a missing container or rejected credentials are reported by the first
// call of the store.
//
// Open also accepts the URL forms of other programs and of the portal: az://, azure://, abfs:// and
// abfss:// with container/prefix or container@account.dfs.core.windows.net/prefix, and
// https://account.blob.core.windows.net/container/prefix, with or without a SAS token.
//
// The parameters of gocloud.dev are storage_account, domain (default blob.core.windows.net),
// protocol (default https), cdn and localemu, which puts the account into the path and changes the
// defaults to 127.0.0.1:10000 and http. This package adds anonymous, readonly, verify_reads,
// access_tier, content_type and hedge. Any other parameter is an error. Values that neither the URL
// nor an option sets are read from the environment variables AZURE_STORAGE_ACCOUNT, _DOMAIN,
// _PROTOCOL, _IS_CDN and _IS_LOCAL_EMULATOR.
//
// Credentials can be set by options. By default the store uses the first that it finds in this
// order: AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_STORAGE_CONNECTION_STRING (if the URL
// does not name an account), and azidentity's default chain (service principal, workload and
// managed identity, az login). Identity and SAS tokens are not sent to a domain outside Azure that
// only the URL names: see [Domain] and [TrustHost]. The SAS token of an https URL is sent to the
// URL's host.
//
// Open returns a *UsageError if the URL, a parameter or an option is malformed or conflicts with
// another, fault.Path if the prefix is not a valid key, and fault.Refused if no account is
// configured or the credentials are malformed.
//
// The store retries requests, limits them (see [Retry] and [MaxInFlight]) and implements
// store.PageLister, store.BatchDeleter, store.PartPutter and store.Copier. store.As finds its
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
	hooks.Close = c.release
	return blob.New(bucket,
		blob.Name(c.Name()),
		blob.WithHooks(hooks),
		blob.CheckKeys(b.checkKey),
		blob.Tuning(c.tuning()),
	), nil
}
