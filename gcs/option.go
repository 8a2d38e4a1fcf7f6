package gcs

import (
	"fmt"
	"net/http"
	"time"

	gcsapi "cloud.google.com/go/storage"
	"golang.org/x/oauth2"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Option configures how [Open] opens a bucket. Options override the URL's parameters, and later
// options override earlier ones.
type Option struct {
	text  string
	apply func(*config)
}

// String returns the option as Go code, without secrets.
func (o Option) String() string { return o.text }

func option(apply func(*config), format string, args ...any) Option {
	return Option{"gcs." + fmt.Sprintf(format, args...), apply}
}

func layers(s provider.Setting) Option {
	return Option{"gcs." + s.Text, func(c *config) { s.Apply(&c.stack) }}
}

// Anonymous sends no credentials, for public buckets. URL: anonymous=true.
func Anonymous() Option { return option(func(c *config) { c.anonymous = true }, "Anonymous()") }

// TokenSource replaces the application default credentials. The source cannot be set in a URL.
func TokenSource(ts oauth2.TokenSource) Option {
	return option(func(c *config) { c.tokens = ts }, "TokenSource(…)")
}

// CredentialsFile reads the key file of a service account. For other kinds of credential files use
// GOOGLE_APPLICATION_CREDENTIALS.
func CredentialsFile(path string) Option {
	return option(func(c *config) { c.file = path }, "CredentialsFile(%q)", path)
}

// UserProject sets the project that pays for the requests. Requester-pays buckets require it. URL:
// user_project.
func UserProject(project string) Option {
	return option(func(c *config) { c.userProject = project }, "UserProject(%q)", project)
}

// EncryptionKey sets a customer-supplied key of 32 bytes (AES-256). Values are written with this
// key, and only values written with it can be read. GCS does not store the key: if the key is lost,
// the values are lost. The key cannot be set in a URL.
func EncryptionKey(key []byte) Option {
	return option(func(c *config) { c.key = append([]byte{}, key...) }, "EncryptionKey(…)")
}

// KMSKey encrypts written values with a key of Cloud KMS, identified by its resource name. URL:
// kms_key.
func KMSKey(name string) Option {
	return option(func(c *config) { c.kmsKey = name }, "KMSKey(%q)", name)
}

// StorageClass sets the storage class of written values, such as "NEARLINE". URL: storage_class.
func StorageClass(class string) Option {
	return option(func(c *config) { c.storageClass = class }, "StorageClass(%q)", class)
}

// ContentType sets the media type of written values. The default is application/octet-stream. URL:
// content_type.
func ContentType(mediaType string) Option {
	return option(func(c *config) { c.contentType = mediaType }, "ContentType(%q)", mediaType)
}

// Endpoint sets the server, such as "http://127.0.0.1:4443". URL: endpoint. The default is
// STORAGE_EMULATOR_HOST if set, else Google's servers. Credentials are sent to the endpoint of this
// option. An endpoint that only the URL names receives credentials only if it is Google's, this
// machine, or trusted (see [TrustHost]). With an http endpoint the store does not search for
// credentials, and sends them only to this machine.
func Endpoint(url string) Option {
	return option(func(c *config) { c.endpoint, c.fromURL.endpoint = url, "" }, "Endpoint(%q)", url)
}

// UniverseDomain sets the domain of a cloud that another company operates with Google's software.
// The default is GOOGLE_CLOUD_UNIVERSE_DOMAIN, then the domain of the credentials, then
// "googleapis.com". URL: universe_domain. Its value must be one of these defaults.
func UniverseDomain(domain string) Option {
	return option(func(c *config) { c.universe, c.fromURL.universe = domain, "" }, "UniverseDomain(%q)", domain)
}

// TrustHost allows credentials to be sent over https to hosts that a URL names. Subdomains of a
// host are trusted as well. The environment variable ZARGO_TRUSTED_HOSTS has the same effect. Trust
// cannot be set in a URL.
func TrustHost(hosts ...string) Option {
	return option(func(c *config) { c.trust = append(c.trust, hosts...) }, "TrustHost(%q)", hosts)
}

// ReadOnly makes every write fail with fault.ReadOnly, and requests tokens that can only read. URL:
// readonly=true.
func ReadOnly() Option { return layers(provider.ReadOnly()) }

// Client sets an existing client, made by storage.NewClient, with its endpoint, credentials and
// transport. The store does not use its retries and does not modify or close it. Parameters and
// options of the connection are an error together with Client. That includes StallTimeout, because
// the client's transport decides when a stalled request fails. The SDK hides the details of a 404,
// so a read of an absent key needs a second request, which lists the key.
func Client(client *gcsapi.Client) Option {
	return option(func(c *config) { c.client = client }, "Client(…)")
}

// HTTPClient replaces the transport and the credentials. The transport of h must add the
// credentials, and determines the HTTP version and the number of idle connections. Redirects are
// not followed.
func HTTPClient(h *http.Client) Option {
	return option(func(c *config) { c.httpClient = h }, "HTTPClient(…)")
}

// MaxInFlight sets a fixed number of requests in flight for the store, over all its arrays and
// callers. The default, 0, starts with 128 reads and 32 writes, shared by all stores of the process
// on the bucket. These numbers grow while throughput grows with them, and shrink when the service
// throttles requests. A negative n is an error.
func MaxInFlight(n int) Option { return layers(provider.MaxInFlight(n)) }

// RequestRate limits the requests per second. Reads, writes and retries count together. The limit
// is shared by all stores of the process that are opened on the bucket with the same number. The
// default, 0, means unlimited. If several processes divide the limits ([concurrency.Limits.Share]),
// each uses its share of the rate.
func RequestRate(perSecond float64) Option { return layers(provider.RequestRate(perSecond)) }

// ByteRate limits the bytes of values read and written per second, in the same way as
// [RequestRate].
func ByteRate(perSecond float64) Option { return layers(provider.ByteRate(perSecond)) }

// Limits sets the limits on requests, memory and CPU that the store uses instead of those of the
// process. See also zarr.Limits.Shared, which does the same for arrays.
// Stores on one bucket with the same Limits share its request slots and its retry quota.
func Limits(l *concurrency.Limits) Option { return layers(provider.Limits(l)) }

// Hedge repeats a read whose first byte takes much longer than usual, and uses the response that
// arrives first. Package hedge documents the conditions. It costs at most 9.9 % more reads, and
// memory of the budget ([Limits]) while both reads are in flight. URL: hedge=true.
func Hedge() Option { return layers(provider.Hedge()) }

// StallTimeout sets how long a request may wait without a byte transferred in either direction.
// After that it fails with fault.Unavailable and is retried. Each byte restarts the timeout, so
// only the context limits the time of a long value. The response to a write may take twice as long,
// and a batch delete or the joining of parts ten times. The default, 0, is 30 s. A timeout of less
// than 1 ms is an error.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry configures how failed requests are retried; package retry documents the defaults.
// Retry(retry.Tries(1)) disables retries.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }
