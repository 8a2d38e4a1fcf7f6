package s3

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	smithyendpoints "github.com/aws/smithy-go/endpoints"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/provider"
)

// anyRegion is where a bucket of an unknown region is asked for. S3 answers there for the buckets
// of all regions of a partition with the region's name.
const anyRegion = "us-east-1"

// regions finds the region of the bucket: where none is configured by one unsigned HeadBucket
// before the first request, and where a wrong one is by the name in S3's refusal. What S3 says
// becomes part of a host name below AWS's domain; an address that a server names is never followed.
type regions struct {
	resolver awss3.EndpointResolverV2
	client   aws.HTTPClient
	head     awss3.EndpointParameters // of HeadBucket
	insecure bool                     // disable_https
	ask      bool                     // no region is configured

	load  concurrency.Joined[string]
	found atomic.Pointer[string]
}

// locate lets a client find the bucket's region, if that is for S3 to say: not with an endpoint of
// its own, for an ARN, which names its region, or for a directory bucket, which is in one zone.
func (c *config) locate(o *awss3.Options) {
	if aws.ToString(o.BaseEndpoint) != "" || c.isARN() || isDirectory(c.bucket) {
		return
	}
	r := &regions{
		resolver: o.EndpointResolverV2,
		client:   o.HTTPClient,
		head: awss3.EndpointParameters{
			Bucket: aws.String(c.bucket), Region: aws.String(o.Region), ForcePathStyle: aws.Bool(o.UsePathStyle), Accelerate: aws.Bool(o.UseAccelerate),
			UseFIPS:      aws.Bool(o.EndpointOptions.UseFIPSEndpoint == aws.FIPSEndpointStateEnabled),
			UseDualStack: aws.Bool(o.EndpointOptions.UseDualStackEndpoint == aws.DualStackEndpointStateEnabled),
		}.WithDefaults(),
		insecure: o.EndpointOptions.DisableHTTPS,
		ask:      c.askRegion,
	}
	o.EndpointResolverV2, c.mend.regions = r, r
}

// isDirectory reports whether a bucket is one of S3 Express One Zone.
func isDirectory(bucket string) bool { return strings.HasSuffix(bucket, "--x-s3") }

// ResolveEndpoint implements awss3.EndpointResolverV2.
func (r *regions) ResolveEndpoint(ctx context.Context, p awss3.EndpointParameters) (smithyendpoints.Endpoint, error) {
	if found := r.found.Load(); found != nil && aws.ToString(p.Bucket) == *r.head.Bucket {
		p.Region = found
	}
	return r.resolver.ResolveEndpoint(ctx, p)
}

// current is the region that requests are made for, "" while nothing is known of it.
func (r *regions) current() string {
	switch found := r.found.Load(); {
	case found != nil:
		return *found
	case r.ask:
		return ""
	}
	return *r.head.Region
}

// first asks for the region if none is configured and it was not asked for yet.
func (r *regions) first(ctx context.Context) error {
	if r.current() != "" {
		return nil
	}
	name, err := r.find(ctx)
	if err != nil {
		return err
	}
	if name == "" {
		name = anyRegion // the bucket's own request says what is wrong
	}
	r.found.Store(&name)
	return nil
}

// moved notes what S3's refusal says about the region. It is false if that is not another than the
// one that was used.
func (r *regions) moved(ctx context.Context, err error, used string) (bool, error) {
	var resp *awshttp.ResponseError
	if !errors.As(err, &resp) || resp.Response == nil || resp.Response.Response == nil {
		return false, nil
	}
	switch resp.HTTPStatusCode() {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusBadRequest:
	default:
		return false, nil
	}
	name := regionOf(resp.Response.Response)
	if name == "" {
		switch codeOf(err) {
		case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException":
		default:
			return false, nil
		}
		var bad error
		if name, bad = r.find(ctx); bad != nil {
			return false, bad
		}
	}
	if name == "" || name == used {
		return false, nil
	}
	r.found.Store(&name)
	return true, nil
}

// find is one HeadBucket for all goroutines that want it, unsigned: S3 names the region also to
// those that it refuses. "" is for an answer without a name.
func (r *regions) find(ctx context.Context) (string, error) {
	name, _, err := r.load.Do(ctx, "", func(ctx context.Context) (string, error) {
		at, err := r.resolver.ResolveEndpoint(ctx, r.head)
		if err != nil {
			return "", err
		}
		if r.insecure {
			at.URI.Scheme = "http"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodHead, at.URI.String(), nil)
		if err != nil {
			return "", err
		}
		resp, err := r.client.Do(req)
		if err != nil {
			f := provider.NoAnswer(err)
			return "", &provider.Failure{Kind: f.Kind, Text: "the region of the bucket cannot be asked for: " + f.Text, Err: &provider.UnsentError{Err: f}}
		}
		_ = resp.Body.Close()
		if name := regionOf(resp); name != "" {
			return name, nil
		}
		if s := resp.StatusCode; s >= 500 || s == http.StatusTooManyRequests {
			return "", &provider.Failure{Kind: provider.KindOf(s, false), Text: "the region of the bucket was asked for: S3 answered " + resp.Status,
				Err: &provider.UnsentError{Err: errors.New(resp.Status)}}
		}
		return "", nil
	})
	return name, err
}

// regionOf is the region that an answer names, "" if there is none that can be part of a host name.
func regionOf(resp *http.Response) string {
	name := resp.Header.Get(regionHeader)
	if name == "EU" {
		return "eu-west-1" // what S3 called it in 2007, and calls it still for buckets of that time
	}
	if !isRegion(name) || strings.Contains(name, "_") {
		return ""
	}
	return name
}
