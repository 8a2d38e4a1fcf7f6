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

// anyRegion is the region that HeadBucket is sent to if the bucket's region is unknown. The
// response contains the region of any bucket in the same partition.
const anyRegion = "us-east-1"

// regions finds the bucket's region. If no region is configured, it sends one unsigned HeadBucket
// before the first request. If a wrong region is configured, it uses the region in S3's refusal.
// Only the name of the region is taken from a response, for a host name in AWS's domain; an address
// in a response is never followed.
type regions struct {
	resolver awss3.EndpointResolverV2
	client   aws.HTTPClient
	head     awss3.EndpointParameters // for HeadBucket
	insecure bool                     // disable_https
	ask      bool                     // no region is configured

	load  concurrency.SingleFlight[string, string]
	found atomic.Pointer[string]
}

// locate adds regions to a client, unless the region is fixed. It is fixed if an endpoint is
// configured, if the bucket is an ARN (which contains the region), or if the bucket is a directory
// bucket (which is in one zone).
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
		ask:      c.findRegion,
	}
	o.EndpointResolverV2, c.mend.regions = r, r
}

// isDirectory reports whether a bucket is a directory bucket of S3 Express One Zone.
func isDirectory(bucket string) bool { return strings.HasSuffix(bucket, "--x-s3") }

// ResolveEndpoint implements awss3.EndpointResolverV2.
func (r *regions) ResolveEndpoint(ctx context.Context, p awss3.EndpointParameters) (smithyendpoints.Endpoint, error) {
	if found := r.found.Load(); found != nil && aws.ToString(p.Bucket) == *r.head.Bucket {
		p.Region = found
	}
	return r.resolver.ResolveEndpoint(ctx, p)
}

// current returns the region that requests are sent to, or "" while it is unknown.
func (r *regions) current() string {
	switch found := r.found.Load(); {
	case found != nil:
		return *found
	case r.ask:
		return ""
	}
	return *r.head.Region
}

// first finds the region if no region is configured or known yet.
func (r *regions) first(ctx context.Context) error {
	if r.current() != "" {
		return nil
	}
	name, err := r.find(ctx)
	if err != nil {
		return err
	}
	if name == "" {
		name = anyRegion // the first request then returns the actual error
	}
	r.found.Store(&name)
	return nil
}

// moved updates the region from S3's refusal of a request that was sent to region used. It reports
// whether the region has changed.
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

// find sends one unsigned HeadBucket for all goroutines that wait for the region. S3 includes the
// region even in refusals. find returns "" if the response does not contain a region.
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
			return "", &provider.Failure{Kind: f.Kind, Text: "the query for the bucket's region failed: " + f.Text, Err: &provider.UnsentError{Err: f}}
		}
		_ = resp.Body.Close()
		if name := regionOf(resp); name != "" {
			return name, nil
		}
		if s := resp.StatusCode; s >= 500 || s == http.StatusTooManyRequests {
			return "", &provider.Failure{Kind: provider.KindOf(s, false), Text: "the query for the bucket's region failed: S3 responded with " + resp.Status,
				Err: &provider.UnsentError{Err: errors.New(resp.Status)}}
		}
		return "", nil
	})
	return name, err
}

// regionOf returns the region in a response, or "" if the response lacks a region that is safe in a
// host name.
func regionOf(resp *http.Response) string {
	name := resp.Header.Get(regionHeader)
	if name == "EU" {
		return "eu-west-1" // the name of 2007, still used for buckets of that time
	}
	if !isRegion(name) || strings.Contains(name, "_") {
		return ""
	}
	return name
}
