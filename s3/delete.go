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

// deleteBatch is S3's limit for one DeleteObjects.
const deleteBatch = 1000

// delete is one DeleteObject. With a condition a look at the key comes first, as
// [provider.CheckDelete] says. The look is a GetObject that is answered with 304, as HeadObject's
// errors have no body and so tell nothing apart.
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

// genuine refuses a success that is not S3's: S3 answers a delete with 204, and every request with
// its number.
func genuine(m middleware.Metadata) error {
	r, ok := awsmiddleware.GetRawResponse(m).(*smithyhttp.Response)
	if ok && r.StatusCode != http.StatusNoContent && r.Header.Get("X-Amz-Request-Id") == "" {
		return foreign("it has neither status 204 nor a request number")
	}
	return nil
}

// deleteAll sends DeleteObjects for up to 1000 keys at a time. A server without it is
// errors.ErrUnsupported, before anything is deleted.
func (b *bucket) deleteAll(ctx context.Context, keys []string) (string, error) {
	return provider.Batches(keys, deleteBatch, func(keys []string) ([]string, error) { return b.deleteSome(ctx, keys) })
}

// deleteSome is one DeleteObjects. It gives the keys that are left, and why the first of them is.
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

// refusedDelete is a failure of one key among many, which comes without an HTTP status of its own.
func refusedDelete(e types.Error) error {
	kind := byCode(aws.ToString(e.Code))
	switch {
	case kind != nil:
	case aws.ToString(e.Code) == "InternalError":
		kind = fault.Unavailable
	default:
		kind = fault.Refused
	}
	return fault.Newf(kind, "S3 answered %s: %s", aws.ToString(e.Code), aws.ToString(e.Message))
}
