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

// Option changes how [Open] opens a container. Options win over the URL's parameters, and later
// ones over earlier ones.
type Option struct {
	text  string
	apply func(*config)
}

// String prints the option as it is written in code, without secrets.
func (o Option) String() string { return o.text }

func option(apply func(*config), format string, args ...any) Option {
	return Option{"azure." + fmt.Sprintf(format, args...), apply}
}

func layers(s provider.Setting) Option {
	return Option{"azure." + s.Text, func(c *config) { s.Apply(&c.stack) }}
}

// Account names the storage account. URL: storage_account.
func Account(name string) Option {
	return option(func(c *config) { c.account = name }, "Account(%q)", name)
}

// Domain is the host after the account's name, such as "blob.core.usgovcloudapi.net", or an
// emulator's host and port. URL: domain.
func Domain(host string) Option {
	return option(func(c *config) { c.domain, c.fromURL.domain = host, "" }, "Domain(%q)", host)
}

// Protocol is "https" or, for emulators, "http". URL: protocol.
func Protocol(p string) Option {
	return option(func(c *config) { c.protocol, c.fromURL.protocol = p, "" }, "Protocol(%q)", p)
}

// Emulator puts the account into the path, as Azurite wants it. URL: localemu=true.
func Emulator() Option { return option(func(c *config) { c.emulator = true }, "Emulator()") }

// Anonymous sends unsigned requests, for public containers. URL: anonymous=true.
func Anonymous() Option { return option(func(c *config) { c.anonymous = true }, "Anonymous()") }

// SharedKey signs with the account's key, in base64. URL: none, on purpose.
func SharedKey(key string) Option {
	return option(func(c *config) { c.key = key }, "SharedKey(…)")
}

// SASToken sends a shared access signature, "sv=…&sig=…". URL: none, on purpose.
func SASToken(token string) Option {
	return option(func(c *config) { c.sas, c.urlSAS = token, false }, "SASToken(…)")
}

// ConnectionString says where the account is and signs with the key or the SAS token in it. URL:
// none, on purpose.
func ConnectionString(s string) Option {
	return option(func(c *config) { c.connection = s }, "ConnectionString(…)")
}

// Credential replaces the default chain of azidentity. URL: none, on purpose.
func Credential(cred azcore.TokenCredential) Option {
	return option(func(c *config) { c.credential = cred }, "Credential(…)")
}

// AccessTier is the tier of what is written: "Hot", "Cool" or "Cold". URL: access_tier.
func AccessTier(tier string) Option {
	return option(func(c *config) { c.tier = tier }, "AccessTier(%q)", tier)
}

// ContentType is the media type of what is written, application/octet-stream without it. URL:
// content_type.
func ContentType(mediaType string) Option {
	return option(func(c *config) { c.contentType = mediaType }, "ContentType(%q)", mediaType)
}

// TrustHost lets tokens be sent to domains that a URL names, over https. A name stands for itself
// and its subdomains. The variable ZARGO_TRUSTED_HOSTS does the same. URL: none, on purpose.
func TrustHost(hosts ...string) Option {
	return option(func(c *config) { c.trust = append(c.trust, hosts...) }, "TrustHost(%q)", hosts)
}

// ReadOnly refuses every write with fault.ReadOnly. URL: readonly=true.
func ReadOnly() Option { return layers(provider.ReadOnly()) }

// VerifyReads compares what is read with the checksum that Azure has: the MD5 of whole values that
// were stored with one, and a CRC64 (MD5 from hosts that are not Azure's) of ranges up to 4 MiB. A
// difference is fault.Unavailable. It is off by default: MD5 runs at 200 to 300 MB/s a core, TLS
// protects the way, and Zarr's checksum codecs do it end to end. URL: verify_reads=true.
func VerifyReads() Option { return option(func(c *config) { c.verify = true }, "VerifyReads()") }

// Client uses a client that exists already, of the container that the URL names, with its address,
// credentials and transport. Its retries are switched off for this store's requests, and it is left
// as it is. Parameters and options about the connection are then an error, StallTimeout among them:
// whether a request that stands still is given up is up to the client's transport.
func Client(client *container.Client) Option {
	return option(func(c *config) { c.client = client }, "Client(…)")
}

// HTTPClient replaces the transport, and with it what this package does about idle connections and
// proxies. An *http.Client is one; it should not follow redirects and must not decompress.
func HTTPClient(h policy.Transporter) Option {
	return option(func(c *config) { c.httpClient = h }, "HTTPClient(…)")
}

// MaxInFlight fixes how many requests the store makes at once, over all arrays and calls on it. 0
// is the default: 128 reads and 128 writes at first, shared by all stores of the process on the
// bucket; more while throughput grows with them, fewer where the service refuses some.
func MaxInFlight(n int) Option { return layers(provider.MaxInFlight(n)) }

// RequestRate bounds the requests in a second that all stores of the process on the bucket make
// that are opened with the same number, reads and writes together and repeats included. 0 is no
// bound. Of processes that know their number ([concurrency.Limits.Share]) each keeps to its share
// of it.
func RequestRate(perSecond float64) Option { return layers(provider.RequestRate(perSecond)) }

// ByteRate bounds the bytes of values that are read and written in a second, likewise.
func ByteRate(perSecond float64) Option { return layers(provider.ByteRate(perSecond)) }

// Limits uses the caller's limits instead of the process's, as zarr.Limits.Shared does for arrays.
// Stores on one bucket with the same Limits share its request slots and its retry quota.
func Limits(l *concurrency.Limits) Option { return layers(provider.Limits(l)) }

// Hedge makes a read once more whose first byte takes much longer than that of others, and uses the
// one that comes first; see package hedge for when. It costs 3 % more reads at most, and memory of
// the budget ([Limits]) while two are under way. URL: hedge=true.
func Hedge() Option { return layers(provider.Hedge()) }

// StallTimeout is how long a request may stand still, with no byte moving in either direction,
// before it is given up as fault.Unavailable and tried again; 0 is the default, 30 s. Every byte
// starts it anew, so that long values take the time they need: the only limit on the whole is the
// context's. A write's answer may take twice as long, the end of an upload in parts ten times.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry changes how failed requests are repeated; see package retry for the defaults.
// Retry(retry.Tries(1)) is never.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }
