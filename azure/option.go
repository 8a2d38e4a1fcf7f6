package azure

import (
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Option configures how [Open] opens a container. Options override the URL's parameters, and later
// options override earlier ones.
type Option struct {
	text  string
	apply func(*config)
}

// String returns the option as Go code, without secrets.
func (o Option) String() string { return o.text }

func option(apply func(*config), format string, args ...any) Option {
	return Option{"azure." + fmt.Sprintf(format, args...), apply}
}

func layers(s provider.Setting) Option {
	return Option{"azure." + s.Text, func(c *config) { s.Apply(&c.stack) }}
}

// Account sets the storage account. URL: storage_account.
func Account(name string) Option {
	return option(func(c *config) { c.account = name }, "Account(%q)", name)
}

// Domain sets the part of the host name after the account, such as "blob.core.usgovcloudapi.net",
// or the host and port of an emulator. The default is "blob.core.windows.net". URL: domain.
func Domain(host string) Option {
	return option(func(c *config) { c.domain, c.fromURL.domain = host, "" }, "Domain(%q)", host)
}

// Protocol sets the protocol: "https", the default, or "http", for emulators. URL: protocol.
func Protocol(p string) Option {
	return option(func(c *config) { c.protocol, c.fromURL.protocol = p, "" }, "Protocol(%q)", p)
}

// Emulator puts the account into the path, as Azurite requires. URL: localemu=true.
func Emulator() Option { return option(func(c *config) { c.emulator = true }, "Emulator()") }

// Anonymous sends unsigned requests, for public containers. URL: anonymous=true.
func Anonymous() Option { return option(func(c *config) { c.anonymous = true }, "Anonymous()") }

// SharedKey signs requests with the account's base64 key. The key cannot be set in a URL.
func SharedKey(key string) Option {
	return option(func(c *config) { c.key = key }, "SharedKey(…)")
}

// SASToken sends a shared access signature, "sv=…&sig=…". For URLs see [Open].
func SASToken(token string) Option {
	return option(func(c *config) { c.sas, c.urlSAS = token, false }, "SASToken(…)")
}

// ConnectionString sets the account, and the key or the SAS token that authorizes requests. The
// string cannot be set in a URL.
func ConnectionString(s string) Option {
	return option(func(c *config) { c.connection = s }, "ConnectionString(…)")
}

// Credential replaces the default chain of azidentity. It cannot be set in a URL.
func Credential(cred azcore.TokenCredential) Option {
	return option(func(c *config) { c.credential = cred }, "Credential(…)")
}

// AccessTier sets the tier of written values: "Hot", "Cool" or "Cold". URL: access_tier.
func AccessTier(tier string) Option {
	return option(func(c *config) { c.tier = tier }, "AccessTier(%q)", tier)
}

// ContentType sets the media type of written values. The default is application/octet-stream. URL:
// content_type.
func ContentType(mediaType string) Option {
	return option(func(c *config) { c.contentType = mediaType }, "ContentType(%q)", mediaType)
}

// TrustHost allows tokens to be sent over https to domains that a URL names. Subdomains of a host
// are trusted as well. The environment variable ZARGO_TRUSTED_HOSTS has the same effect. Trust
// cannot be set in a URL.
func TrustHost(hosts ...string) Option {
	return option(func(c *config) { c.trust = append(c.trust, hosts...) }, "TrustHost(%q)", hosts)
}

// ReadOnly makes every write fail with fault.ReadOnly. URL: readonly=true.
func ReadOnly() Option { return layers(provider.ReadOnly()) }

// VerifyReads verifies reads with Azure's checksums: whole values with the MD5 that is stored with
// them, if any, and ranges of up to 4 MiB with a CRC64 (an MD5 for hosts outside Azure). A mismatch
// returns fault.Unavailable. Reads are not verified by default, because MD5 runs at 200 to 300 MB/s
// per core, TLS protects the transfer, and Zarr's checksum codecs verify end to end. URL:
// verify_reads=true.
func VerifyReads() Option { return option(func(c *config) { c.verify = true }, "VerifyReads()") }

// Client sets an existing client of the container that the URL names, with its address, credentials
// and transport. The store does not modify the client, and disables retries for the requests of the
// store only. Parameters and options of the connection are an error together with Client. That
// includes StallTimeout, because the client's transport decides when a stalled request fails.
func Client(client *container.Client) Option {
	return option(func(c *config) { c.client = client }, "Client(…)")
}

// HTTPClient replaces the transport, including this package's settings for idle connections and
// proxies. h may be an *http.Client. It should not follow redirects, and must not decompress
// responses.
func HTTPClient(h policy.Transporter) Option {
	return option(func(c *config) { c.httpClient = h }, "HTTPClient(…)")
}

// MaxInFlight sets a fixed number of requests in flight for the store, over all its arrays and
// callers. The default, 0, starts with 128 reads and 128 writes, shared by all stores of the
// process on the container. That number grows while throughput grows with it, and shrinks when the
// service throttles requests. A negative n is an error.
func MaxInFlight(n int) Option { return layers(provider.MaxInFlight(n)) }

// RequestRate limits the requests per second. Reads, writes and retries count together. The limit
// is shared by all stores of the process that are opened on the container with the same number. The
// default, 0, means unlimited. If several processes divide the limits ([concurrency.Limits.Share]),
// each uses its share of the rate.
func RequestRate(perSecond float64) Option { return layers(provider.RequestRate(perSecond)) }

// ByteRate limits the bytes of values read and written per second, in the same way as
// [RequestRate].
func ByteRate(perSecond float64) Option { return layers(provider.ByteRate(perSecond)) }

// Limits sets the limits on requests, memory and CPU that the store uses instead of those of the
// process. See also zarr.Limits.Shared, which does the same for arrays.
// Stores on one container with the same Limits share its request slots and its retry quota.
func Limits(l *concurrency.Limits) Option { return layers(provider.Limits(l)) }

// Hedge repeats a read whose first byte takes much longer than usual, and uses the response that
// arrives first. Package hedge documents the conditions. It costs at most 9.9 % more reads, and
// memory of the budget ([Limits]) while both reads are in flight. URL: hedge=true.
func Hedge() Option { return layers(provider.Hedge()) }

// StallTimeout sets how long a request may wait without a byte transferred in either direction.
// After that it fails with fault.Unavailable and is retried. Each byte restarts the timeout, so
// only the context limits the time of a long value. The response to a write may take twice as long,
// and the completion of an upload in parts and a batch delete ten times. The default, 0, is 30 s. A
// timeout of less than 1 ms is an error.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry configures how failed requests are retried; package retry documents the defaults.
// Retry(retry.Tries(1)) disables retries.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }
