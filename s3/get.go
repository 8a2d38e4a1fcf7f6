package s3

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// get sends one GetObject, for any range.
func (b *bucket) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	resp, err := b.direct.get(ctx, key, o)
	switch {
	case err != nil:
		return store.Value{}, b.explain(err, toRead)
	case resp == nil:
		return b.getBySDK(ctx, key, o, buf)
	}
	defer func() { _ = resp.Body.Close() }()
	h, err := headOf(resp)
	if err != nil {
		return store.Value{}, err
	}
	v, err := h.receive(resp.Body, o, buf)
	return v, provider.About(err, resp.Header)
}

// maxExcess is the maximum length of a value that is read whole if the server ignores the range. 64
// MiB is more than a typical shard.
const maxExcess = 64 << 20

func (b *bucket) getBySDK(ctx context.Context, key string, o store.GetOptions, buf []byte) (_ store.Value, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // do not wait for the unread rest of the body
	in := b.input(key, o)
	var opts []func(*awss3.Options)
	if b.checked(o) {
		in.ChecksumMode = types.ChecksumModeEnabled
		opts = append(opts, func(o *awss3.Options) { o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenSupported })
	}
	out, err := b.client.GetObject(ctx, in, opts...)
	if err != nil {
		return store.Value{}, b.explain(err, toRead)
	}
	if out.Body == nil {
		return store.Value{}, foreign("it has no body")
	}
	defer func() {
		if err != nil {
			cancel()
		}
		_ = out.Body.Close()
	}()
	resp := response(out) //nolint:bodyclose // out.Body, which is closed above
	h := head{
		status: resp.StatusCode, marked: provider.Marked(resp), etag: aws.ToString(out.ETag), length: out.ContentLength,
		contentRange: aws.ToString(out.ContentRange),
	}
	v, err := h.receive(out.Body, o, buf)
	return v, provider.About(err, resp.Header)
}

// input returns the input of a GetObject without checksums.
func (b *bucket) input(key string, o store.GetOptions) *awss3.GetObjectInput {
	return &awss3.GetObjectInput{
		Bucket: b.name, Key: aws.String(b.full(key)), Range: header(o.Range),
		IfMatch: pin(o.IfVersion), IfNoneMatch: pin(o.IfNotVersion), RequestPayer: b.payer, ExpectedBucketOwner: b.owner,
		SSECustomerAlgorithm: b.customer.algorithm, SSECustomerKey: b.customer.key, SSECustomerKeyMD5: b.customer.md5,
	}
}

// checked reports whether the SDK must verify the value's checksum.
func (b *bucket) checked(o store.GetOptions) bool { return b.validate && o.Range.IsWhole() }

// header returns the Range header, or nil for the whole value.
func header(r store.Range) *string {
	if h := provider.RangeHeader(r); h != "" {
		return &h
	}
	return nil
}

// response returns the raw HTTP response.
func response(out *awss3.GetObjectOutput) *http.Response {
	if r, ok := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response); ok && r.Response != nil {
		return r.Response
	}
	return &http.Response{}
}

// head holds the fields of a response's header that describe its body.
type head struct {
	status             int
	marked             bool // see provider.Marked
	etag, contentRange string
	length             *int64 // nil if absent
}

func headOf(resp *http.Response) (head, error) {
	h := head{
		status: resp.StatusCode, marked: provider.Marked(resp), etag: strings.TrimSpace(resp.Header.Get("ETag")),
		contentRange: strings.TrimSpace(resp.Header.Get("Content-Range")),
	}
	if v := strings.TrimSpace(resp.Header.Get("Content-Length")); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return h, foreign(fmt.Sprintf("its length is %q", v))
		}
		h.length = &n
	}
	return h, nil
}

// receive appends the value to buf.
func (h head) receive(body io.Reader, o store.GetOptions, buf []byte) (store.Value, error) {
	version := store.Version(h.etag)
	if version == "" {
		return store.Value{}, foreign("it has no ETag")
	}
	if err := provider.CheckVersion(version, o); err != nil {
		return store.Value{}, err
	}
	a, err := announced(o.Range, h.status, h.length, h.contentRange)
	if err != nil {
		return store.Value{}, err
	}
	if a.N < 0 && !h.marked {
		return store.Value{}, foreign("it marks neither the length nor the end of the value")
	}
	return a.Receive(body, version, o, buf)
}

// announced returns the numbers of bytes of the body to skip and to read, according to the header.
// N is -1 for a whole value of unknown length.
func announced(r store.Range, status int, length *int64, contentRange string) (provider.Announced, error) {
	if length != nil && *length < 0 {
		return provider.Announced{}, foreign(fmt.Sprintf("its length is %d", *length))
	}
	switch {
	case status == http.StatusOK && r.IsWhole():
		if length == nil {
			return provider.Announced{N: -1, Size: -1}, nil
		}
		return provider.Announced{N: *length, Body: *length, Size: *length}, nil
	case status == http.StatusOK:
		// The server ignored the range. Unless the whole value is too long, extract the range from
		// it.
		if length == nil || *length > maxExcess {
			return provider.Announced{}, fault.Newf(fault.Unavailable, "the server ignores byte ranges and sends a whole value that is too long")
		}
		off, n, err := r.Resolve(*length)
		return provider.Announced{Skip: off, N: n, Body: *length, Size: *length}, err
	case status == http.StatusPartialContent && !r.IsWhole():
		if contentRange == emptyRange && (length == nil || *length == 0) {
			_, _, err := r.Resolve(0)
			return provider.Announced{}, err
		}
		return provider.Partial(r, length, contentRange, foreign)
	}
	return provider.Announced{}, foreign(fmt.Sprintf("it has status %d for the range %v", status, r))
}

// emptyRange is MinIO's Content-Range for a suffix of an empty value. S3 responds with status 416
// instead.
const emptyRange = "bytes 0--1/0"
