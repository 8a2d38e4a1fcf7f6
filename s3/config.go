package s3

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go/logging"
	gcblob "gocloud.dev/blob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
)

// config holds the values of the URL and the options.
type config struct {
	bucket, prefix string

	region, endpoint, profile, role   string
	anonymous, pathStyle              bool
	dualstack, fips, accelerate       bool
	disableHTTPS                      bool
	requestChecksum, responseChecksum string
	credentials                       aws.CredentialsProvider
	httpClient                        aws.HTTPClient
	client                            *awss3.Client
	opened                            *gcblob.Bucket // owns client
	services                          aws.HTTPClient // transport of credential services, in tests

	arnRegion  string // the region in the bucket's ARN
	findRegion bool   // no region is configured, so S3 is queried for it
	mend       *mend
	named      string // the endpoint set by an option
	// outside is the endpoint that was set outside the URL: by an option, the environment or a
	// profile.
	outside         string
	allowHTTP       bool
	sdkReads        bool
	extended        bool // the client has extensions, see isExtended
	checksumsChosen bool // the environment or a profile configures checksums of uploads

	requesterPays                          bool
	sse, kmsKey, storageClass, contentType string
	customerKey                            []byte
	customerEnv                            bool // read the key from the environment
	owner                                  string

	stack   provider.Stack
	reached string       // the endpoint, set when the client exists; "" is AWS
	release func() error // releases the connections; nil if this package owns none
}

// check validates all parameters and options.
func (c *config) check() error {
	if c.client != nil {
		if c.region != "" || c.endpoint != "" || c.profile != "" || c.role != "" || c.anonymous || c.pathStyle || c.dualstack ||
			c.fips || c.accelerate || c.disableHTTPS || c.credentials != nil || c.httpClient != nil {
			return provider.Usage("parameters and options about the connection cannot be combined with s3.Client")
		}
	}
	if aws.IsCredentialsProvider(c.credentials, (*aws.AnonymousCredentials)(nil)) {
		c.anonymous, c.credentials = true, nil
	}
	if c.anonymous && (c.credentials != nil || c.profile != "" || c.role != "") {
		return provider.Usage("anonymous cannot be combined with credentials, profile or role")
	}
	if c.anonymous && c.requesterPays {
		return provider.Usage("anonymous cannot be combined with requester_pays: the requests must be signed for billing")
	}
	for name, v := range map[string]*string{
		"request_checksum_calculation": &c.requestChecksum, "response_checksum_validation": &c.responseChecksum,
	} {
		if *v = strings.ToLower(*v); *v != "" && *v != "when_supported" && *v != "when_required" {
			return provider.Usage("parameter %s must be when_supported or when_required, is %q", name, *v)
		}
	}
	if c.sse != "" {
		i := slices.IndexFunc(types.ServerSideEncryption("").Values(), func(v types.ServerSideEncryption) bool {
			return strings.EqualFold(string(v), c.sse)
		})
		if i < 0 {
			return provider.Usage("parameter ssetype must be one of %v, is %q", types.ServerSideEncryption("").Values(), c.sse)
		}
		c.sse = string(types.ServerSideEncryption("").Values()[i])
	}
	if err := c.checkCustomer(); err != nil {
		return err
	}
	if c.owner != "" && (len(c.owner) != 12 || strings.Trim(c.owner, "0123456789") != "") {
		return provider.Usage("parameter expected_bucket_owner must be an account of 12 digits, is %q", c.owner)
	}
	if c.kmsKey != "" && !strings.HasPrefix(c.sse, "aws:kms") {
		return provider.Usage("parameter kmskeyid requires ssetype=aws:kms")
	}
	if c.storageClass != "" && !slices.Contains(types.StorageClass("").Values(), types.StorageClass(c.storageClass)) {
		return provider.Usage("parameter storage_class must be one of %v, is %q", types.StorageClass("").Values(), c.storageClass)
	}
	if c.isARN() && (c.pathStyle || c.accelerate) {
		return provider.Usage("the ARN of an access point cannot be combined with use_path_style or accelerate")
	}
	if c.role != "" && !strings.HasPrefix(c.role, "arn:") {
		return provider.Usage(`parameter role must start with "arn:", is %q`, c.role)
	}
	if err := c.stack.Check(); err != nil {
		return err
	}
	if !isRegion(c.region) {
		return provider.Usage("parameter region must be a name such as eu-central-1, is %q", c.region)
	}
	return c.checkEndpoint()
}

func (c *config) checkEndpoint() error {
	if c.endpoint == "" {
		return nil
	}
	c.endpoint = withScheme(c.endpoint, c.disableHTTPS)
	u, err := url.Parse(c.endpoint)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		c.endpoint = ""
		return provider.Usage("parameter endpoint must be a URL such as http://127.0.0.1:9000")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		c.endpoint = ""
		return provider.Usage("parameter endpoint must not contain a user, a query or a fragment")
	}
	return nil
}

// withScheme adds a scheme to an endpoint that has none.
func withScheme(endpoint string, plain bool) string {
	switch {
	case strings.Contains(endpoint, "://"):
		return endpoint
	case plain:
		return "http://" + endpoint
	}
	return "https://" + endpoint
}

// connect creates the SDK's client.
func (c *config) connect(ctx context.Context) (*awss3.Client, error) {
	c.mend = &mend{}
	if c.client != nil {
		return awss3.New(c.client.Options(), c.examine, c.object, c.renew, c.confine), nil
	}
	cfg, err := c.load(ctx)
	if err != nil {
		return nil, err
	}
	return awss3.NewFromConfig(cfg, func(o *awss3.Options) {
		c.outside = cmp.Or(c.named, aws.ToString(o.BaseEndpoint))
		if c.endpoint != "" {
			o.BaseEndpoint = aws.String(c.endpoint)
		}
		o.UsePathStyle = c.pathStyle
		o.UseAccelerate = c.accelerate
		o.EndpointOptions.DisableHTTPS = c.disableHTTPS
	}, c.examine, c.object, c.renew, c.confine, c.locate), nil
}

// examine records whether the caller extended a client, before this package extends it.
func (c *config) examine(o *awss3.Options) { c.extended = isExtended(*o) }

// object sets the client options for object requests that differ from the SDK's defaults.
func (c *config) object(o *awss3.Options) {
	// This store has its own retry layer. If the SDK retried a conditional put after it lost the
	// response, the success of the first attempt would become a conflict. Requests for credentials
	// keep the SDK's retries.
	o.Retryer = aws.NopRetryer{}
	o.RetryMaxAttempts = 1
	if o.BaseEndpoint != nil {
		c.reached = strings.TrimRight(*o.BaseEndpoint, "/")
	}
	o.HTTPClient = c.transport(o.HTTPClient)
	o.UseARNRegion = o.UseARNRegion || c.isARN() // the caller chose the ARN with its region
	// S3 does not provide checksums of ranges, and Zarr has its own checksum codecs.
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	o.DisableLogOutputChecksumValidationSkipped = true
	switch {
	case c.requestChecksum == "when_supported":
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenSupported
	case c.requestChecksum == "when_required", !c.checksumsChosen && !isAWS(*o):
		// R2, Ceph, OVH and older MinIO reject uploads with checksums that they do not know.
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	}
}

// load loads the configuration with the SDK's default chain: environment, shared files, SSO,
// container and instance roles.
func (c *config) load(ctx context.Context) (aws.Config, error) {
	opts := []func(*awsconfig.LoadOptions) error{
		// LoadDefaultConfig applies AWS_CA_BUNDLE only to a BuildableClient.
		awsconfig.WithHTTPClient(cmp.Or[aws.HTTPClient](c.services, transport(c.stack.Connections(numbers())))),
		awsconfig.WithLogger(logging.Nop{}),
	}
	if c.region != "" {
		opts = append(opts, awsconfig.WithRegion(c.region))
	}
	if c.profile != "" {
		opts = append(opts, awsconfig.WithSharedConfigProfile(c.profile))
	}
	if c.services != nil {
		opts = append(opts, awsconfig.WithEndpointCredentialOptions(func(o *endpointcreds.Options) { o.HTTPClient = c.services }))
	}
	if c.dualstack {
		opts = append(opts, awsconfig.WithUseDualStackEndpoint(aws.DualStackEndpointStateEnabled))
	}
	if c.fips {
		opts = append(opts, awsconfig.WithUseFIPSEndpoint(aws.FIPSEndpointStateEnabled))
	}
	switch {
	case c.anonymous:
		opts = append(opts, awsconfig.WithCredentialsProvider(aws.AnonymousCredentials{}))
	case c.credentials != nil:
		opts = append(opts, awsconfig.WithCredentialsProvider(c.credentials))
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx, opts...)
	if err != nil {
		if none, ok := errors.AsType[awsconfig.SharedConfigProfileNotExistError](err); ok {
			return cfg, fault.Newf(fault.NoCredentials, "the AWS profile %q does not exist: %w", none.Profile, err)
		}
		return cfg, fault.Newf(fault.Refused, "the AWS configuration is unusable: %w", err)
	}
	c.checksumsChosen = checksumsChosen(cfg)
	if cfg.Region == "" {
		if isDirectory(c.bucket) && c.endpoint == "" && cfg.BaseEndpoint == nil {
			return cfg, fault.Newf(fault.Refused, "a directory bucket requires a region: set region=… in the URL, s3.Region, AWS_REGION or a profile")
		}
		cfg.Region, c.findRegion = cmp.Or(c.arnRegion, anyRegion), true
	}
	if c.role != "" {
		cfg.Credentials = aws.NewCredentialsCache(stscreds.NewAssumeRoleProvider(sts.NewFromConfig(cfg), c.role))
	}
	if c.httpClient != nil {
		cfg.HTTPClient = c.httpClient
	}
	return cfg, nil
}
