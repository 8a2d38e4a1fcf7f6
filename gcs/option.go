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

// Option changes how [Open] opens a bucket. Options win over the URL's parameters, and later ones
// over earlier ones.
type Option struct {
	text  string
	apply func(*config)
}

// String prints the option as it is written in code, without secrets.
func (o Option) String() string { return o.text }

func option(apply func(*config), format string, args ...any) Option {
	return Option{"gcs." + fmt.Sprintf(format, args...), apply}
}

func layers(s provider.Setting) Option {
	return Option{"gcs." + s.Text, func(c *config) { s.Apply(&c.stack) }}
}

// Anonymous sends no credentials, for public buckets. URL: anonymous=true.
func Anonymous() Option { return option(func(c *config) { c.anonymous = true }, "Anonymous()") }

// TokenSource replaces the application default credentials. URL: none, on purpose.
func TokenSource(ts oauth2.TokenSource) Option {
	return option(func(c *config) { c.tokens = ts }, "TokenSource(…)")
}

// CredentialsFile reads the key file of a service account. Other kinds of files are for
// GOOGLE_APPLICATION_CREDENTIALS.
func CredentialsFile(path string) Option {
	return option(func(c *config) { c.file = path }, "CredentialsFile(%q)", path)
}

// UserProject names the project that pays for the requests, which buckets with requester pays ask
// for. URL: user_project.
func UserProject(project string) Option {
	return option(func(c *config) { c.userProject = project }, "UserProject(%q)", project)
}

// EncryptionKey is a customer-supplied key of 32 bytes (AES-256): what is written is encrypted with
// it, and what is read must have been. GCS does not keep it; whoever loses it loses the values.
// URL: none, on purpose.
func EncryptionKey(key []byte) Option {
	return option(func(c *config) { c.key = append([]byte{}, key...) }, "EncryptionKey(…)")
}

// KMSKey encrypts what is written with a key of Cloud KMS, given by its resource name. URL:
// kms_key.
func KMSKey(name string) Option {
	return option(func(c *config) { c.kmsKey = name }, "KMSKey(%q)", name)
}

// StorageClass is the class of what is written, such as "NEARLINE". URL: storage_class.
func StorageClass(class string) Option {
	return option(func(c *config) { c.storageClass = class }, "StorageClass(%q)", class)
}

// ContentType is the media type of what is written, application/octet-stream without it. URL:
// content_type.
func ContentType(mediaType string) Option {
	return option(func(c *config) { c.contentType = mediaType }, "ContentType(%q)", mediaType)
}

// Endpoint names the server: "http://127.0.0.1:4443". URL: endpoint. Without one
// STORAGE_EMULATOR_HOST decides, and then it is Google. Credentials are sent to the endpoint of
// this option, and to one that only the URL names if it is Google's, trusted (see [TrustHost]) or
// this machine. With plain HTTP no credentials are looked for, and none are sent but to this
// machine.
func Endpoint(url string) Option {
	return option(func(c *config) { c.endpoint, c.fromURL.endpoint = url, "" }, "Endpoint(%q)", url)
}

// UniverseDomain is the domain of a cloud that runs Google's software, "googleapis.com" without it;
// those of the credentials and of GOOGLE_CLOUD_UNIVERSE_DOMAIN need no option. URL:
// universe_domain, which has to be one of these.
func UniverseDomain(domain string) Option {
	return option(func(c *config) { c.universe, c.fromURL.universe = domain, "" }, "UniverseDomain(%q)", domain)
}

// TrustHost lets credentials be sent to hosts that a URL names, over https. A name stands for
// itself and its subdomains. The variable ZARGO_TRUSTED_HOSTS does the same. URL: none, on purpose.
func TrustHost(hosts ...string) Option {
	return option(func(c *config) { c.trust = append(c.trust, hosts...) }, "TrustHost(%q)", hosts)
}

// ReadOnly refuses every write with fault.ReadOnly, and asks for tokens that can only read. URL:
// readonly=true.
func ReadOnly() Option { return layers(provider.ReadOnly()) }

// Client uses a client that exists already, made by storage.NewClient, with its endpoint,
// credentials and transport. Its retries are not used, and it is left as it is: Close does not
// close it. Parameters and options about the connection are then an error, StallTimeout among them:
// whether a request that stands still is given up is up to the client's transport. The SDK keeps
// from this package what a 404 of a read is about, so an absent key costs a second request, a
// listing of that key.
func Client(client *gcsapi.Client) Option {
	return option(func(c *config) { c.client = client }, "Client(…)")
}

// HTTPClient replaces transport and credentials: its own transport must bring them. What this
// package does about HTTP/1.1 and idle connections is then up to it; redirects are not followed all
// the same.
func HTTPClient(h *http.Client) Option {
	return option(func(c *config) { c.httpClient = h }, "HTTPClient(…)")
}

// MaxInFlight fixes how many requests the store makes at once, over all arrays and calls on it. 0
// is the default: 32 writes at first and 128 reads, shared by all stores of the process on the
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
// context's. A write's answer may take twice as long.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry changes how failed requests are repeated; see package retry for the defaults.
// Retry(retry.Tries(1)) is never.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }
