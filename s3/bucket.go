package s3

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/store"
)

// bucket holds the parameters that all requests share. Its methods are blob.Hooks.
type bucket struct {
	client *awss3.Client
	direct *direct // nil if the SDK sends all reads
	name   *string
	prefix string // "" or with a trailing slash
	page   int32  // entries per listing request

	payer       types.RequestPayer
	sse         types.ServerSideEncryption
	kmsKey      *string
	customer    customer
	owner       *string
	class       types.StorageClass
	contentType *string
	validate    bool // compare checksums of whole values
	sums        bool // uploads carry checksums, multipart uploads too
	md5         bool // batch deletes carry Content-MD5
	anonymous   bool // requests are not signed
	aws         bool // the server is AWS
	equalParts  bool // all parts of a multipart upload but the last must have the same length
}

func newBucket(client *awss3.Client, c *config) *bucket {
	o := client.Options()
	b := &bucket{
		client:      client,
		name:        aws.String(c.bucket),
		page:        listPage,
		sse:         types.ServerSideEncryption(c.sse),
		customer:    newCustomer(c.customerKey),
		class:       types.StorageClass(c.storageClass),
		contentType: aws.String(blob.ContentType),
		anonymous:   o.Credentials == nil,
		validate:    c.responseChecksum == "when_supported",
		sums:        o.RequestChecksumCalculation == aws.RequestChecksumCalculationWhenSupported,
	}
	b.aws = isAWS(o)
	b.md5 = !b.sums && !b.aws
	b.equalParts = strings.HasSuffix(hostOf(aws.ToString(o.BaseEndpoint)), ".r2.cloudflarestorage.com")
	if c.prefix != "" {
		b.prefix = c.prefix + "/"
	}
	if c.requesterPays {
		b.payer = types.RequestPayerRequester
	}
	if c.owner != "" {
		b.owner = aws.String(c.owner)
	}
	if c.kmsKey != "" {
		b.kmsKey = aws.String(c.kmsKey)
	}
	if c.contentType != "" {
		b.contentType = aws.String(c.contentType)
	}
	b.direct = newDirect(b, c)
	return b
}

func (b *bucket) hooks() blob.Hooks {
	return blob.Hooks{
		Get:       b.get,
		Put:       b.put,
		Delete:    b.delete,
		ListPage:  b.listPage,
		DeleteAll: b.deleteAll,
		PutParts:  b.putParts,
		Copy:      b.copy,
		Provide:   b.provide,
	}
}

// full returns the full name of a key in the bucket, with the prefix.
func (b *bucket) full(key string) string { return b.prefix + key }

// checkKey checks the combined length of prefix and key against S3's limit.
func (b *bucket) checkKey(key string) error { return provider.CheckLength(b.prefix, key) }

// pin returns v for a header with a condition, or nil if v is empty.
func pin(v store.Version) *string {
	if v == "" {
		return nil
	}
	return aws.String(string(v))
}
