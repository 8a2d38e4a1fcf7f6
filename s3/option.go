package s3

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

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
	return Option{"s3." + fmt.Sprintf(format, args...), apply}
}

func layers(s provider.Setting) Option {
	return Option{"s3." + s.Text, func(c *config) { s.Apply(&c.stack) }}
}

// Anonymous sends unsigned requests, for public buckets. URL: anonymous=true.
func Anonymous() Option { return option(func(c *config) { c.anonymous = true }, "Anonymous()") }

// Region names the bucket's region, such as "eu-central-1". URL: region. Without one the SDK's
// chain decides (AWS_REGION, the profile). When that gives none either, AWS is asked by one
// unsigned request before the first; a wrong one costs the requests under way when S3 refuses the
// first, and is corrected from what it says. With an [Endpoint], us-east-1 is the default, and a
// wrong one is refused, as with a [Client]. A directory bucket of S3 Express needs its region.
func Region(name string) Option {
	return option(func(c *config) { c.region = name }, "Region(%q)", name)
}

// Endpoint names the server: "http://127.0.0.1:9000". URL: endpoint. Without one the SDK's chain
// decides (AWS_ENDPOINT_URL_S3), and then it is AWS.
func Endpoint(url string) Option {
	return option(func(c *config) { c.endpoint, c.named = url, url }, "Endpoint(%q)", url)
}

// AllowHTTP lets signed requests go over http to wherever the URL names, for a server without TLS
// in a network that is trusted. Without it that is for this machine, for private networks (by the
// address that is connected to: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16,
// fc00::/7, fe80::/10), and for an http endpoint that [Endpoint], AWS_ENDPOINT_URL_S3 or a profile
// names. URL: none, on purpose.
func AllowHTTP() Option { return option(func(c *config) { c.allowHTTP = true }, "AllowHTTP()") }

// PathStyle puts the bucket into the path and not into the host name, as most servers that are not
// AWS want it. URL: use_path_style=true.
func PathStyle() Option { return option(func(c *config) { c.pathStyle = true }, "PathStyle()") }

// Profile names a profile of the shared AWS configuration. URL: profile.
func Profile(name string) Option {
	return option(func(c *config) { c.profile = name }, "Profile(%q)", name)
}

// Role names a role to take on, as an ARN. URL: role.
func Role(arn string) Option { return option(func(c *config) { c.role = arn }, "Role(%q)", arn) }

// Credentials replaces the SDK's credential chain. URL: none, on purpose.
func Credentials(p aws.CredentialsProvider) Option {
	return option(func(c *config) { c.credentials = p }, "Credentials(…)")
}

// RequesterPays agrees to pay for the requests, which are therefore signed: with [Anonymous] it is
// an error. URL: requester_pays=true.
func RequesterPays() Option {
	return option(func(c *config) { c.requesterPays = true }, "RequesterPays()")
}

// ChecksumCalculation says when uploads carry a checksum of their own: "when_supported", the
// default for AWS, or "when_required", the default for every other endpoint, as R2, Ceph, OVH and
// older MinIO refuse them. AWS_REQUEST_CHECKSUM_CALCULATION or a profile may say it too. With a
// [Client] the same defaults go by its BaseEndpoint. URL: request_checksum_calculation.
func ChecksumCalculation(when string) Option {
	return option(func(c *config) { c.requestChecksum = when }, "ChecksumCalculation(%q)", when)
}

// ChecksumValidation says when whole-value reads compare the checksum that the server stored:
// "when_required" (the default here: Zarr's checksum codecs do it end to end) or "when_supported".
// URL: response_checksum_validation.
func ChecksumValidation(when string) Option {
	return option(func(c *config) { c.responseChecksum = when }, "ChecksumValidation(%q)", when)
}

// SSE names the server-side encryption of what is written: "AES256", "aws:kms" or "aws:kms:dsse".
// URL: ssetype.
func SSE(kind string) Option { return option(func(c *config) { c.sse = kind }, "SSE(%q)", kind) }

// SSEKMS encrypts what is written with a key of AWS KMS, given by id or ARN. URL:
// ssetype=aws:kms&kmskeyid=….
func SSEKMS(key string) Option {
	return option(func(c *config) { c.sse, c.kmsKey = "aws:kms", key }, "SSEKMS(%q)", key)
}

// SSECustomerKey is a key of 32 bytes that S3 encrypts and decrypts everything with and does not
// keep (SSE-C): what is written with it can be read with it only. It goes with each read, put and
// part, over https alone, and not to an endpoint that only the URL names. URL: sse_customer=true,
// with the key in ZARGO_S3_SSE_CUSTOMER_KEY in base64.
func SSECustomerKey(key []byte) Option {
	key = append([]byte{}, key...)
	return option(func(c *config) { c.customerKey = key }, "SSECustomerKey(…)")
}

// ExpectedBucketOwner makes S3 refuse every request if the bucket is not of that account, 12
// digits: a name that was given up may be another account's bucket today. URL:
// expected_bucket_owner.
func ExpectedBucketOwner(account string) Option {
	return option(func(c *config) { c.owner = account }, "ExpectedBucketOwner(%q)", account)
}

// StorageClass is the class of what is written, such as "STANDARD_IA". URL: storage_class.
func StorageClass(class string) Option {
	return option(func(c *config) { c.storageClass = class }, "StorageClass(%q)", class)
}

// ContentType is the media type of what is written, application/octet-stream without it. URL:
// content_type.
func ContentType(mediaType string) Option {
	return option(func(c *config) { c.contentType = mediaType }, "ContentType(%q)", mediaType)
}

// SDKReads makes every read by the SDK's GetObject. Without it reads of a plain bucket are requests
// of this package: where they go and what they say is taken from the SDK, whose signer signs them
// with its credentials, and which reads every answer that is no value. What is left out is its
// middleware, three quarters of a small read's allocations. The SDK reads in any case with
// checksums ([ChecksumValidation]), a customer's key, [RequesterPays], ARNs, directory buckets, and
// by a [Client] with middleware, interceptors, logs, spans, metrics or rules of its own for
// endpoints and signatures. URL: sdk_reads=true.
func SDKReads() Option { return option(func(c *config) { c.sdkReads = true }, "SDKReads()") }

// HTTPClient replaces the transport of object requests, and with it what this package does about
// idle connections, AWS_CA_BUNDLE and proxies.
func HTTPClient(h aws.HTTPClient) Option {
	return option(func(c *config) { c.httpClient = h }, "HTTPClient(…)")
}

// Client uses a client that exists already, with its region, endpoint, credentials and transport;
// only its retries are switched off, in a copy. Parameters and options about the connection are
// then an error.
func Client(client *awss3.Client) Option {
	return option(func(c *config) { c.client = client }, "Client(…)")
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
// context's. A write's answer may take twice as long, the end of an upload in parts and a deletion
// of many keys ten times.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry changes how failed requests are repeated; see package retry for the defaults.
// Retry(retry.Tries(1)) is never.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }
