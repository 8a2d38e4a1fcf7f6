package s3

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// S3's limits for a multipart upload.
const (
	minPart  = 5 << 20
	maxParts = 10_000
)

// parts is a multipart upload.
type parts struct {
	b   *bucket
	key *string
	id  *string

	mu   sync.Mutex
	sent map[int]types.CompletedPart
	over bool // committed or aborted
}

func (b *bucket) putParts(ctx context.Context, key string) (store.Parts, error) {
	name := aws.String(b.full(key))
	in := &awss3.CreateMultipartUploadInput{
		Bucket: b.name, Key: name, ContentType: b.contentType, StorageClass: b.class,
		ServerSideEncryption: b.sse, SSEKMSKeyId: b.kmsKey, RequestPayer: b.payer, ExpectedBucketOwner: b.owner,
		SSECustomerAlgorithm: b.customer.algorithm, SSECustomerKey: b.customer.key, SSECustomerKeyMD5: b.customer.md5,
	}
	if b.sums {
		in.ChecksumAlgorithm, in.ChecksumType = partSums, sumsType
	}
	out, err := b.client.CreateMultipartUpload(ctx, in)
	if err != nil {
		return nil, b.explain(err, toWrite)
	}
	if aws.ToString(out.UploadId) == "" {
		return nil, foreign("it has no upload id")
	}
	return &parts{b: b, key: name, id: out.UploadId, sent: map[int]types.CompletedPart{}}, nil
}

func (p *parts) MinPart() int { return minPart }

func (p *parts) Part(ctx context.Context, n int, data []byte) error {
	if n < 0 || n >= maxParts {
		return fault.Newf(fault.Limit, "part %d is not among the %d that S3 takes", n, maxParts)
	}
	in := &awss3.UploadPartInput{
		Bucket: p.b.name, Key: p.key, UploadId: p.id, PartNumber: aws.Int32(int32(n + 1)),
		Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))), RequestPayer: p.b.payer,
		ExpectedBucketOwner: p.b.owner, SSECustomerAlgorithm: p.b.customer.algorithm, SSECustomerKey: p.b.customer.key, SSECustomerKeyMD5: p.b.customer.md5,
	}
	if p.b.sums {
		in.ChecksumAlgorithm = partSums
	}
	out, err := p.b.client.UploadPart(ctx, in)
	if err != nil {
		return p.b.explain(err, toWrite)
	}
	if aws.ToString(out.ETag) == "" {
		return foreign("it has no ETag")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[n] = types.CompletedPart{ETag: out.ETag, PartNumber: in.PartNumber, ChecksumCRC32: sumOf(out)}
	return nil
}

func (p *parts) Commit(ctx context.Context, o store.PutOptions) (store.Version, error) {
	done, err := p.list()
	if err != nil {
		return "", err
	}
	if len(done) == 0 {
		// S3 has no upload of no parts; an empty part makes an empty value.
		if err := p.Part(ctx, 0, nil); err != nil {
			return "", err
		}
		if done, err = p.list(); err != nil {
			return "", err
		}
	}
	in := &awss3.CompleteMultipartUploadInput{
		Bucket: p.b.name, Key: p.key, UploadId: p.id, MultipartUpload: &types.CompletedMultipartUpload{Parts: done},
		IfMatch: pin(o.IfVersion), RequestPayer: p.b.payer, ExpectedBucketOwner: p.b.owner,
		SSECustomerAlgorithm: p.b.customer.algorithm, SSECustomerKey: p.b.customer.key, SSECustomerKeyMD5: p.b.customer.md5,
	}
	if o.IfAbsent {
		in.IfNoneMatch = aws.String("*")
	}
	if p.b.sums {
		in.ChecksumType = sumsType
	}
	out, err := p.b.client.CompleteMultipartUpload(provider.SlowAnswer(ctx), in)
	if err != nil {
		if codeOf(err) == "NoSuchUpload" && o != (store.PutOptions{}) {
			// S3 drops the upload when the value it was conditioned on is deleted meanwhile.
			return "", fault.Newf(fault.Conflict, "the upload is gone: committed, aborted, or its condition failed: %w", err)
		}
		return "", p.b.explain(err, putting(o))
	}
	if aws.ToString(out.ETag) == "" {
		return "", foreign("it has no ETag")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return store.Version(*out.ETag), nil
}

// list gives the parts in order, or refuses a gap.
func (p *parts) list() ([]types.CompletedPart, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil, fault.Newf(fault.Conflict, "the parts were committed or aborted before")
	}
	done := make([]types.CompletedPart, 0, len(p.sent))
	for n := range len(p.sent) {
		part, ok := p.sent[n]
		if !ok {
			return nil, fault.Newf(fault.Selection, "%d parts were sent, but not part %d", len(p.sent), n)
		}
		done = append(done, part)
	}
	return done, nil
}

func (p *parts) Abort(ctx context.Context) error {
	p.mu.Lock()
	over := p.over
	p.mu.Unlock()
	if over {
		return nil
	}
	_, err := p.b.client.AbortMultipartUpload(ctx, &awss3.AbortMultipartUploadInput{
		Bucket: p.b.name, Key: p.key, UploadId: p.id, RequestPayer: p.b.payer, ExpectedBucketOwner: p.b.owner,
	})
	if err != nil && codeOf(err) != "NoSuchUpload" {
		return p.b.explain(err, toWrite)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return nil
}

func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}
