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

	mu    sync.Mutex
	etags map[int]*string
	over  bool // committed or aborted
}

func (b *bucket) putParts(ctx context.Context, key string) (store.Parts, error) {
	name := aws.String(b.full(key))
	out, err := b.client.CreateMultipartUpload(ctx, &awss3.CreateMultipartUploadInput{
		Bucket: b.name, Key: name, ContentType: b.contentType, StorageClass: b.class,
		ServerSideEncryption: b.sse, SSEKMSKeyId: b.kmsKey, RequestPayer: b.payer,
	})
	if err != nil {
		return nil, explain(err, false)
	}
	if aws.ToString(out.UploadId) == "" {
		return nil, foreign("it has no upload id")
	}
	return &parts{b: b, key: name, id: out.UploadId, etags: map[int]*string{}}, nil
}

func (p *parts) MinPart() int { return minPart }

func (p *parts) Part(ctx context.Context, n int, data []byte) error {
	if n < 0 || n >= maxParts {
		return fault.Newf(fault.Limit, "part %d is not among the %d that S3 takes", n, maxParts)
	}
	out, err := p.b.client.UploadPart(ctx, &awss3.UploadPartInput{
		Bucket: p.b.name, Key: p.key, UploadId: p.id, PartNumber: aws.Int32(int32(n + 1)),
		Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))), RequestPayer: p.b.payer,
	})
	if err != nil {
		return explain(err, false)
	}
	if aws.ToString(out.ETag) == "" {
		return foreign("it has no ETag")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.etags[n] = out.ETag
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
		IfMatch: pin(o.IfVersion), RequestPayer: p.b.payer,
	}
	if o.IfAbsent {
		in.IfNoneMatch = aws.String("*")
	}
	out, err := p.b.client.CompleteMultipartUpload(provider.SlowAnswer(ctx), in)
	if err != nil {
		if codeOf(err) == "NoSuchUpload" && o != (store.PutOptions{}) {
			// S3 drops the upload when the value it was conditioned on is deleted meanwhile.
			return "", fault.Newf(fault.Conflict, "the upload is gone: committed, aborted, or its condition failed: %w", err)
		}
		return "", explain(err, o.IfAbsent)
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
	done := make([]types.CompletedPart, 0, len(p.etags))
	for n := range len(p.etags) {
		etag, ok := p.etags[n]
		if !ok {
			return nil, fault.Newf(fault.Selection, "%d parts were sent, but not part %d", len(p.etags), n)
		}
		done = append(done, types.CompletedPart{ETag: etag, PartNumber: aws.Int32(int32(n + 1))})
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
		Bucket: p.b.name, Key: p.key, UploadId: p.id, RequestPayer: p.b.payer,
	})
	if err != nil && codeOf(err) != "NoSuchUpload" {
		return explain(err, false)
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
