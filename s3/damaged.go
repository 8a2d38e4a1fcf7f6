package s3

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/zargo-io/zargo/internal/provider/damaged"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// provide sets target if it is a *store.Listings or a *damaged.Put.
func (b *bucket) provide(target any) bool {
	switch t := target.(type) {
	case *damaged.Put:
		*t = b.putDamaged
		return true
	case *store.Listings:
		// AWS documents "List results are always returned in UTF-8 binary order" (except for
		// directory buckets), and "Amazon S3 provides strong read-after-write consistency for […]
		// LIST". Other servers do not promise this. Servers that keep objects as files list one
		// directory after another, and may return "a/b" before "a-b".
		t.Complete = b.aws
		t.Ordered = b.aws && !strings.HasSuffix(*b.name, "--x-s3")
		return true
	}
	return false
}

// putDamaged sends one PutObject with a CRC32 that does not match the value. The SDK sends it
// unchanged.
func (b *bucket) putDamaged(ctx context.Context, key string, value []byte) error {
	sum := binary.BigEndian.AppendUint32(nil, ^crc32.ChecksumIEEE(value))
	_, err := b.client.PutObject(ctx, &awss3.PutObjectInput{
		Bucket: b.name, Key: aws.String(b.full(key)), Body: bytes.NewReader(value), ContentLength: aws.Int64(int64(len(value))),
		ChecksumCRC32: aws.String(base64.StdEncoding.EncodeToString(sum)),
		StorageClass:  b.class, ServerSideEncryption: b.sse, SSEKMSKeyId: b.kmsKey, RequestPayer: b.payer, ExpectedBucketOwner: b.owner,
		SSECustomerAlgorithm: b.customer.algorithm, SSECustomerKey: b.customer.key, SSECustomerKeyMD5: b.customer.md5,
	})
	switch codeOf(err) {
	case "":
	case "BadDigest", "XAmzContentChecksumMismatch":
		return fault.Newf(fault.Corrupt, "%w", err)
	}
	if err != nil {
		return b.explain(err, toWrite)
	}
	return nil
}
