package s3

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// copy sends one CopyObject, which copies values of up to 5 GiB. AWS honours conditions on both
// objects. Other servers may ignore conditions on the destination, so copy returns
// errors.ErrUnsupported for them. Other servers may also ignore a condition on the source, so copy
// checks that condition by a read before it copies. Only a change between the read and the copy can
// then remain undetected.
func (b *bucket) copy(ctx context.Context, from, to string, o store.CopyOptions) (store.Version, error) {
	if !b.aws {
		if err := provider.CheckCopy(ctx, "AWS", from, o, b.get); err != nil {
			return "", err
		}
	}
	in := &awss3.CopyObjectInput{
		Bucket: b.name, Key: aws.String(b.full(to)), CopySource: aws.String(b.source(from)), CopySourceIfMatch: pin(o.FromVersion),
		IfMatch: pin(o.IfVersion), StorageClass: b.class, ServerSideEncryption: b.sse, SSEKMSKeyId: b.kmsKey,
		RequestPayer: b.payer, ExpectedBucketOwner: b.owner, ExpectedSourceBucketOwner: b.owner,
		SSECustomerAlgorithm: b.customer.algorithm, SSECustomerKey: b.customer.key, SSECustomerKeyMD5: b.customer.md5,
		CopySourceSSECustomerAlgorithm: b.customer.algorithm, CopySourceSSECustomerKey: b.customer.key, CopySourceSSECustomerKeyMD5: b.customer.md5,
	}
	if o.IfAbsent {
		in.IfNoneMatch = aws.String("*")
	}
	out, err := b.client.CopyObject(provider.SlowAnswer(ctx), in)
	if err != nil {
		return "", b.notCopied(ctx, from, to, o, err)
	}
	if out.CopyObjectResult == nil || aws.ToString(out.CopyObjectResult.ETag) == "" {
		return "", foreign("it has no ETag")
	}
	return store.Version(*out.CopyObjectResult.ETag), nil
}

// source returns the CopySource of a key: the escaped key after the bucket's name or the access
// point's ARN.
func (b *bucket) source(key string) string {
	place := *b.name + "/"
	if strings.HasPrefix(place, "arn:") {
		place += "object/"
	}
	segments := strings.Split(place+b.full(key), "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.QueryEscape(s), "+", "%20") // a plus is ambiguous
	}
	return strings.Join(segments, "/")
}

// notCopied returns the error of a failed copy. It determines whether the response is about the
// source or the destination, because S3 uses the same code for both.
func (b *bucket) notCopied(ctx context.Context, from, to string, o store.CopyOptions, err error) error {
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "InvalidRequest" && strings.Contains(api.ErrorMessage(), "copy source is larger") {
		return fault.Newf(fault.Limit, "S3 copies at most 5 GiB in one request: %w", err)
	}
	var resp *awshttp.ResponseError
	if !errors.As(err, &resp) {
		return b.explain(err, toWrite)
	}
	failed := resp.HTTPStatusCode() == http.StatusPreconditionFailed
	switch {
	case failed && o.IfAbsent && o.FromVersion == "":
		return b.explain(err, toCreate)
	case failed && o.IfAbsent:
		if _, look := b.get(ctx, to, store.GetOptions{Max: 1}, nil); look == nil || errors.Is(look, fault.Limit) {
			return b.explain(err, toCreate)
		}
	case codeOf(err) == "NoSuchKey" && o.IfVersion != "":
		if _, look := b.get(ctx, from, store.GetOptions{Max: 1}, nil); look == nil || errors.Is(look, fault.Limit) {
			return fault.Newf(fault.Conflict, "the object to be replaced does not exist: %w", err)
		}
	}
	return b.explain(err, toWrite)
}
