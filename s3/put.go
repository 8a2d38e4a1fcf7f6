package s3

import (
	"bytes"
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// put sends one PutObject directly from the caller's bytes, without a pipe, a copy or a transfer
// manager.
func (b *bucket) put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if int64(len(value)) > maxPut {
		return "", fault.Newf(fault.Limit, "value has %d bytes, more than the maximum of %d for one put", len(value), int64(maxPut))
	}
	in := &awss3.PutObjectInput{
		Bucket: b.name, Key: aws.String(b.full(key)), Body: bytes.NewReader(value), ContentLength: aws.Int64(int64(len(value))),
		ContentType: b.contentType, StorageClass: b.class, ServerSideEncryption: b.sse, SSEKMSKeyId: b.kmsKey,
		IfMatch: pin(o.IfVersion), RequestPayer: b.payer, ExpectedBucketOwner: b.owner,
		SSECustomerAlgorithm: b.customer.algorithm, SSECustomerKey: b.customer.key, SSECustomerKeyMD5: b.customer.md5,
	}
	if o.IfAbsent {
		in.IfNoneMatch = aws.String("*")
	}
	out, err := b.client.PutObject(ctx, in)
	if err != nil {
		return "", b.explain(err, putting(o))
	}
	if aws.ToString(out.ETag) == "" {
		return "", foreign("it has no ETag")
	}
	return store.Version(*out.ETag), nil
}

// putting returns the purpose of a put with these options.
func putting(o store.PutOptions) purpose {
	if o.IfAbsent {
		return toCreate
	}
	return toWrite
}

// maxPut is S3's limit for one PutObject. Longer values need PutParts.
const maxPut = 5 << 30
