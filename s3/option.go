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

// Option configures how [Open] opens a bucket. Options override the URL's parameters, and later
// options override earlier ones.
type Option struct {
	text  string
	apply func(*config)
}

// String returns the option as Go code, without secrets.
func (o Option) String() string { return o.text }

func option(apply func(*config), format string, args ...any) Option {
	return Option{"s3." + fmt.Sprintf(format, args...), apply}
}

func layers(s provider.Setting) Option {
	return Option{"s3." + s.Text, func(c *config) { s.Apply(&c.stack) }}
}

// Anonymous sends unsigned requests, for public buckets. URL: anonymous=true.
func Anonymous() Option { return option(func(c *config) { c.anonymous = true }, "Anonymous()") }

// Region sets the bucket's region, such as "eu-central-1". URL: region.
//
// By default the SDK's chain determines the region (AWS_REGION, the profile). If the chain has no
// region, one unsigned request asks AWS for the region before the first request. If the region is
// wrong, the requests in flight fail once, and are sent again to the region in S3's response. With
// an [Endpoint] the default is us-east-1. With an [Endpoint] or a [Client], a wrong region is an
// error. A directory bucket of S3 Express requires a region.
func Region(name string) Option {
	return option(func(c *config) { c.region = name }, "Region(%q)", name)
}

// Endpoint sets the server, such as "http://127.0.0.1:9000". URL: endpoint. By default the SDK's
// chain determines the server (AWS_ENDPOINT_URL_S3). If the chain does not contain a server, the
// server is AWS.
func Endpoint(url string) Option {
	return option(func(c *config) { c.endpoint, c.named = url, url }, "Endpoint(%q)", url)
}

// AllowHTTP allows signed requests over http to any host, for a server without TLS in a trusted
// network. Without this option, http is allowed only to this machine, to private networks (by the
// address of the connection: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, fc00::/7,
// fe80::/10), and to an http endpoint from [Endpoint], AWS_ENDPOINT_URL_S3 or a profile. It cannot
// be set in a URL.
func AllowHTTP() Option { return option(func(c *config) { c.allowHTTP = true }, "AllowHTTP()") }

// PathStyle puts the bucket into the path instead of the host name. Most servers other than AWS
// need it. URL: use_path_style=true.
func PathStyle() Option { return option(func(c *config) { c.pathStyle = true }, "PathStyle()") }

// Profile selects a profile of the shared AWS configuration. URL: profile.
func Profile(name string) Option {
	return option(func(c *config) { c.profile = name }, "Profile(%q)", name)
}

// Role sets the ARN of a role to assume. URL: role.
func Role(arn string) Option { return option(func(c *config) { c.role = arn }, "Role(%q)", arn) }

// Credentials replaces the SDK's credential chain. The provider cannot be set in a URL.
func Credentials(p aws.CredentialsProvider) Option {
	return option(func(c *config) { c.credentials = p }, "Credentials(…)")
}

// RequesterPays makes the caller pay for the requests. S3 requires such requests to be signed, so
// RequesterPays is an error together with [Anonymous]. URL: requester_pays=true.
func RequesterPays() Option {
	return option(func(c *config) { c.requesterPays = true }, "RequesterPays()")
}

// ChecksumCalculation sets when uploads carry a checksum: "when_supported", the default for AWS, or
// "when_required", the default for every other endpoint, because R2, Ceph, OVH and older MinIO
// reject the checksums. AWS_REQUEST_CHECKSUM_CALCULATION or a profile overrides the default. With a
// [Client] the default depends on its BaseEndpoint. URL: request_checksum_calculation.
func ChecksumCalculation(when string) Option {
	return option(func(c *config) { c.requestChecksum = when }, "ChecksumCalculation(%q)", when)
}

// ChecksumValidation sets when reads of whole values verify the checksum that the server stored:
// "when_required" or "when_supported". The default is "when_required", because Zarr's checksum
// codecs already verify values end to end. URL: response_checksum_validation.
func ChecksumValidation(when string) Option {
	return option(func(c *config) { c.responseChecksum = when }, "ChecksumValidation(%q)", when)
}

// SSE sets the server-side encryption of written values: "AES256", "aws:kms" or "aws:kms:dsse".
// URL: ssetype.
func SSE(kind string) Option { return option(func(c *config) { c.sse = kind }, "SSE(%q)", kind) }

// SSEKMS encrypts written values with a key of AWS KMS, identified by ID or ARN. URL:
// ssetype=aws:kms&kmskeyid=….
func SSEKMS(key string) Option {
	return option(func(c *config) { c.sse, c.kmsKey = "aws:kms", key }, "SSEKMS(%q)", key)
}

// SSECustomerKey sets a key of 32 bytes that S3 uses for encryption and decryption and does not
// store (SSE-C). Values written with the key can only be read with the same key. It is sent with
// each read, put and part, over https only, and never to an endpoint that only the URL names. URL:
// sse_customer=true, with the base64 key in ZARGO_S3_SSE_CUSTOMER_KEY.
func SSECustomerKey(key []byte) Option {
	key = append([]byte{}, key...)
	return option(func(c *config) { c.customerKey = key }, "SSECustomerKey(…)")
}

// ExpectedBucketOwner makes S3 refuse every request unless the account, of 12 digits, owns the
// bucket. After a bucket is deleted, another account can create a bucket with the same name. URL:
// expected_bucket_owner.
func ExpectedBucketOwner(account string) Option {
	return option(func(c *config) { c.owner = account }, "ExpectedBucketOwner(%q)", account)
}

// StorageClass sets the storage class of written values, such as "STANDARD_IA". URL: storage_class.
func StorageClass(class string) Option {
	return option(func(c *config) { c.storageClass = class }, "StorageClass(%q)", class)
}

// ContentType sets the media type of written values. The default is application/octet-stream. URL:
// content_type.
func ContentType(mediaType string) Option {
	return option(func(c *config) { c.contentType = mediaType }, "ContentType(%q)", mediaType)
}

// SDKReads sends every read with the SDK's GetObject. By default reads of plain buckets bypass the
// SDK's middleware, which makes three quarters of the allocations of a small read. The SDK still
// provides the endpoint, the header, the credentials and the signer, and parses error responses.
// The SDK always sends reads with [ChecksumValidation] "when_supported" (whole values), a
// customer's key, [RequesterPays], ARNs, directory buckets, and a [Client] with middleware,
// interceptors, logs, spans, metrics or its own resolvers of endpoints and signatures. URL:
// sdk_reads=true.
func SDKReads() Option { return option(func(c *config) { c.sdkReads = true }, "SDKReads()") }

// HTTPClient replaces the transport of object requests, including this package's settings for idle
// connections, AWS_CA_BUNDLE and proxies.
func HTTPClient(h aws.HTTPClient) Option {
	return option(func(c *config) { c.httpClient = h }, "HTTPClient(…)")
}

// Client sets an existing client, with its region, endpoint, credentials and transport. The store
// uses a copy without retries. Parameters and options of the connection are an error together with
// Client.
func Client(client *awss3.Client) Option {
	return option(func(c *config) { c.client = client }, "Client(…)")
}

// MaxInFlight sets a fixed number of requests in flight for the store, over all its arrays and
// callers. The default, 0, starts with 128 reads and 128 writes, shared by all stores of the
// process on the bucket. That number grows while throughput grows with it, and shrinks when the
// service throttles requests. A negative n is an error.
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
// and the completion of a multipart upload and a batch delete ten times. The default, 0, is 30 s. A
// timeout of less than 1 ms is an error.
func StallTimeout(d time.Duration) Option { return layers(provider.StallTimeout(d)) }

// Retry configures how failed requests are retried; package retry documents the defaults.
// Retry(retry.Tries(1)) disables retries.
func Retry(opts ...retry.Option) Option { return layers(provider.Retry(opts...)) }
