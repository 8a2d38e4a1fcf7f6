package s3

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// delete sends one DeleteObject. If it has a condition, it reads the key first, see
// [provider.CheckDelete]. The read is a GetObject to which S3 responds with 304. Errors of a
// HeadObject lack a body, so they could not be distinguished.
func (b *bucket) delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if o.IfVersion != "" {
		_, err := b.get(ctx, key, provider.LookFor(o.IfVersion), nil)
		if err = provider.CheckDelete(o.IfVersion, err); err != nil {
			return err
		}
	}
	out, err := b.client.DeleteObject(ctx, &awss3.DeleteObjectInput{
		Bucket: b.name, Key: aws.String(b.full(key)), IfMatch: pin(o.IfVersion), RequestPayer: b.payer, ExpectedBucketOwner: b.owner,
	})
	if err != nil {
		return b.explain(err, toWrite)
	}
	return genuine(out.ResultMetadata)
}

// deleteBatch is S3's limit of keys per DeleteObjects.
const deleteBatch = 1000

// genuine returns an error if a response with a success status is not from S3. S3 responds to a
// delete with 204, and all its responses have a request ID.
func genuine(m middleware.Metadata) error {
	r, ok := awsmiddleware.GetRawResponse(m).(*smithyhttp.Response)
	if ok && r.Response != nil && r.StatusCode != http.StatusNoContent && r.Header.Get("X-Amz-Request-Id") == "" {
		return foreign("it has neither status 204 nor a request ID")
	}
	return nil
}

// deleteAll sends one DeleteObjects per 1000 keys. If the server does not support DeleteObjects,
// the error is errors.ErrUnsupported and no key has been deleted.
func (b *bucket) deleteAll(ctx context.Context, keys []string) (string, error) {
	return provider.Batches(keys, deleteBatch, func(keys []string) ([]string, error) { return b.deleteSome(ctx, keys) })
}

// deleteSome sends one DeleteObjects. It returns the keys that were not deleted and the error of
// the first of them.
func (b *bucket) deleteSome(ctx context.Context, keys []string) (rest []string, _ error) {
	ids := make([]types.ObjectIdentifier, len(keys))
	left := make(map[string]bool, len(keys))
	for i, k := range keys {
		ids[i].Key = aws.String(b.full(k))
		left[*ids[i].Key] = true
	}
	var opts []func(*awss3.Options)
	if b.md5 {
		opts = append(opts, contentMD5)
	}
	out, err := b.client.DeleteObjects(provider.SlowAnswer(ctx), &awss3.DeleteObjectsInput{
		Bucket: b.name, Delete: &types.Delete{Objects: ids}, RequestPayer: b.payer, ExpectedBucketOwner: b.owner,
	}, opts...)
	if err != nil {
		return keys, b.explain(err, toWrite)
	}
	failed := make(map[string]types.Error, len(out.Errors))
	for _, e := range out.Errors {
		if aws.ToString(e.Code) != "NoSuchKey" {
			failed[aws.ToString(e.Key)] = e
		} else {
			delete(left, aws.ToString(e.Key))
		}
	}
	for _, d := range out.Deleted {
		delete(left, aws.ToString(d.Key))
	}
	for _, k := range keys {
		e, refused := failed[b.full(k)]
		switch {
		case !refused && !left[b.full(k)]:
			continue
		case err != nil:
		case refused:
			err = refusedDelete(e)
		default:
			err = foreign("it does not mention this key")
		}
		rest = append(rest, k)
	}
	return rest, err
}

// refusedDelete returns the error for one key of a batch. Such an error lacks an HTTP status.
func refusedDelete(e types.Error) error {
	kind := byCode(aws.ToString(e.Code))
	switch {
	case kind != nil:
	case aws.ToString(e.Code) == "InternalError":
		kind = fault.Unavailable
	default:
		kind = fault.Refused
	}
	return fault.Newf(kind, "S3 responded with %s: %s", aws.ToString(e.Code), aws.ToString(e.Message))
}
