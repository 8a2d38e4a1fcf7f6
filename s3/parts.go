package s3

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/provider/sentparts"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// parts is a multipart upload. Its token is S3's upload ID.
type parts struct {
	b   *bucket
	key *string
	id  *string
}

// S3's limits for a multipart upload. R2 also requires parts of equal length.
const (
	minPart  = 5 << 20
	maxPart  = 5 << 30
	maxParts = 10_000
)

// newParts returns a store.Parts for an upload. S3 stores the parts of an upload together.
func newParts(p *parts, resumed bool) store.Parts {
	return sentparts.Parts(p, sentparts.New[types.CompletedPart](resumed, nil), true)
}

func (b *bucket) putParts(ctx context.Context, key string, o store.PartsOptions) (store.Parts, error) {
	name := aws.String(b.full(key))
	if o.Resume != "" {
		return newParts(&parts{b, name, aws.String(o.Resume)}, true), nil
	}
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
	return newParts(&parts{b, name, out.UploadId}, false), nil
}

func (p *parts) Limits() store.PartLimits {
	return store.PartLimits{Min: minPart, Max: maxPart, Parts: maxParts, Equal: p.b.equalParts}
}

func (p *parts) Token() string { return *p.id }

// explain is like bucket.explain, but returns fault.Conflict for an upload that was committed or
// aborted.
func (p *parts) explain(err error, to purpose) error {
	switch codeOf(err) {
	case "InvalidPart", "InvalidPartOrder":
		return fault.Newf(fault.Conflict, "a part differs from the one sent: another process sent it again: %w", err)
	case "NoSuchUpload":
		// S3 also drops an upload whose completion required a version of the value, if the value
		// was deleted in the meantime.
		return fault.Newf(fault.Conflict, "the upload no longer exists: it was committed or aborted, or its condition failed: %w", err)
	}
	return p.b.explain(err, to)
}

func (p *parts) Send(ctx context.Context, n int, data []byte) (at types.CompletedPart, err error) {
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
		if cut(err) {
			if gone := p.gone(ctx); gone != nil {
				return at, gone
			}
		}
		return at, p.explain(err, toWrite)
	}
	if aws.ToString(out.ETag) == "" {
		return at, foreign("it has no ETag")
	}
	return types.CompletedPart{ETag: out.ETag, PartNumber: in.PartNumber, ChecksumCRC32: sumOf(out)}, nil
}

// cut reports whether the connection was closed by the server.
func cut(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed)
}

// gone returns an error if the upload no longer exists, and nil if that is unknown. If the upload
// no longer exists, a server may respond to a part and close the connection before it has read the
// part. The client then sees a connection reset and no response.
func (p *parts) gone(ctx context.Context) error {
	_, err := p.b.client.ListParts(ctx, &awss3.ListPartsInput{
		Bucket: p.b.name, Key: p.key, UploadId: p.id, MaxParts: aws.Int32(1), RequestPayer: p.b.payer, ExpectedBucketOwner: p.b.owner,
		SSECustomerAlgorithm: p.b.customer.algorithm, SSECustomerKey: p.b.customer.key, SSECustomerKeyMD5: p.b.customer.md5,
	})
	if codeOf(err) != "NoSuchUpload" {
		return nil
	}
	return p.explain(err, toRead)
}

func (p *parts) Join(ctx context.Context, all []sentparts.Part[types.CompletedPart], o store.PutOptions) (store.Version, error) {
	if len(all) == 0 {
		// S3 rejects an upload without parts. An empty part creates an empty value.
		at, err := p.Send(ctx, 0, nil)
		if err != nil {
			return "", err
		}
		all = []sentparts.Part[types.CompletedPart]{{At: at}}
	}
	done := make([]types.CompletedPart, len(all))
	for i, part := range all {
		done[i] = part.At
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
		return "", p.explain(err, putting(o))
	}
	if aws.ToString(out.ETag) == "" {
		return "", foreign("it has no ETag")
	}
	return store.Version(*out.ETag), nil
}

// List sends one ListParts per 1000 parts.
func (p *parts) List(ctx context.Context) (l sentparts.List[types.CompletedPart], err error) {
	in := &awss3.ListPartsInput{
		Bucket: p.b.name, Key: p.key, UploadId: p.id, RequestPayer: p.b.payer, ExpectedBucketOwner: p.b.owner,
		SSECustomerAlgorithm: p.b.customer.algorithm, SSECustomerKey: p.b.customer.key, SSECustomerKeyMD5: p.b.customer.md5,
	}
	l.Parts, l.Sums = map[int]sentparts.Part[types.CompletedPart]{}, map[int]string{}
	for last := int32(0); ; {
		out, err := p.b.client.ListParts(ctx, in)
		if err != nil {
			return l, p.explain(err, toRead)
		}
		if out.IsTruncated == nil {
			return l, foreign("it does not state whether the list of parts is complete")
		}
		for _, part := range out.Parts {
			n := aws.ToInt32(part.PartNumber)
			if n <= last || n > maxParts || aws.ToString(part.ETag) == "" || part.Size == nil || *part.Size < 0 {
				return l, foreign("its parts are not in order, or lack an ETag or a size")
			}
			last = n
			l.Parts[int(n)-1] = sentparts.Part[types.CompletedPart]{Size: *part.Size, Sent: *part.Size,
				At: types.CompletedPart{ETag: part.ETag, PartNumber: part.PartNumber, ChecksumCRC32: part.ChecksumCRC32}}
			l.Sums[int(n)-1] = sumOfPart(part)
		}
		if !*out.IsTruncated {
			return l, nil
		}
		if len(out.Parts) == 0 {
			return l, foreign("its list of parts is truncated and empty")
		}
		in.PartNumberMarker = aws.String(strconv.Itoa(int(last)))
	}
}

// sumOfPart returns the part's CRC-32 if the server lists it. Otherwise it returns the ETag if the
// ETag looks like an MD5, because the ETag of an unencrypted part is the MD5 of the part.
func sumOfPart(part types.Part) string {
	if sum := crc32Of(part.ChecksumCRC32); sum != "" {
		return sum
	}
	etag := strings.ToLower(strings.Trim(aws.ToString(part.ETag), `"`))
	if _, err := hex.DecodeString(etag); err != nil || len(etag) != 32 {
		return ""
	}
	return "md5:" + etag
}

// crc32Of converts S3's base64 CRC-32 of a part to the form of PartInfo.
func crc32Of(sum *string) string {
	b, err := base64.StdEncoding.DecodeString(aws.ToString(sum))
	if err != nil || len(b) != 4 {
		return ""
	}
	return "crc32:" + hex.EncodeToString(b)
}

func (p *parts) Drop(ctx context.Context) error {
	_, err := p.b.client.AbortMultipartUpload(ctx, &awss3.AbortMultipartUploadInput{
		Bucket: p.b.name, Key: p.key, UploadId: p.id, RequestPayer: p.b.payer, ExpectedBucketOwner: p.b.owner,
	})
	if err != nil && codeOf(err) != "NoSuchUpload" {
		return p.b.explain(err, toWrite)
	}
	return nil
}

func codeOf(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	return ""
}
