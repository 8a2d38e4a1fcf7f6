package s3

import (
	"context"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxUnasked is how many bytes are read that were not asked for, of a value whose server ignores ranges. 64 MiB: more than a shard of ordinary size, and then it is told.
const maxUnasked = 64 << 20

// get is one GetObject, whatever the range.
func (b *bucket) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (_ store.Value, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a body left unread is not waited for
	in := &awss3.GetObjectInput{
		Bucket: b.name, Key: aws.String(b.full(key)), Range: header(o.Range),
		IfMatch: pin(o.IfVersion), IfNoneMatch: pin(o.IfNotVersion), RequestPayer: b.payer, ExpectedBucketOwner: b.owner,
		SSECustomerAlgorithm: b.customer.algorithm, SSECustomerKey: b.customer.key, SSECustomerKeyMD5: b.customer.md5,
	}
	var opts []func(*awss3.Options)
	if b.validate && o.Range.IsWhole() {
		in.ChecksumMode = types.ChecksumModeEnabled
		opts = append(opts, func(o *awss3.Options) { o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenSupported })
	}
	out, err := b.client.GetObject(ctx, in, opts...)
	if err != nil {
		return store.Value{}, b.explain(err, toRead)
	}
	defer func() {
		if err != nil {
			cancel()
		}
		_ = out.Body.Close()
	}()
	version := store.Version(aws.ToString(out.ETag))
	switch {
	case version == "":
		return store.Value{}, foreign("it has no ETag")
	// A server that ignores conditions must not get away with it.
	case o.IfVersion != "" && version != o.IfVersion:
		return store.Value{}, fault.Newf(fault.Conflict, "version %s was asked for, %s is there", o.IfVersion, version)
	case o.IfNotVersion != "" && version == o.IfNotVersion:
		return store.Value{}, fault.Newf(fault.Unchanged, "it still is version %s", version)
	}
	resp := response(out) //nolint:bodyclose // it is out.Body, which is closed above
	a, err := announced(o.Range, resp.StatusCode, out.ContentLength, aws.ToString(out.ContentRange))
	if err != nil {
		return store.Value{}, err
	}
	if a.N < 0 && !provider.Marked(resp) {
		return store.Value{}, foreign("neither length nor end of the value is marked")
	}
	return a.Receive(out.Body, version, o, buf)
}

// header is the Range header; the zero range has none.
func header(r store.Range) *string {
	if h := provider.RangeHeader(r); h != "" {
		return &h
	}
	return nil
}

// response is the answer as it came.
func response(out *awss3.GetObjectOutput) *http.Response {
	if r, ok := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response); ok && r.Response != nil {
		return r.Response
	}
	return &http.Response{}
}

// announced is what an answer says about itself. Its N is -1 for a whole value whose length is not said.
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
		// The server ignored the range. What was asked for is in there, if reading that much is bearable.
		if length == nil || *length > maxUnasked {
			return provider.Announced{}, fault.Newf(fault.Unavailable, "the server ignores byte ranges and sends the whole value")
		}
		off, n, err := r.Resolve(*length)
		return provider.Announced{Skip: off, N: n, Body: *length, Size: *length}, err
	case status == http.StatusPartialContent && !r.IsWhole():
		if contentRange == emptyRange && (length == nil || *length == 0) {
			_, _, err := r.Resolve(0)
			return provider.Announced{}, err
		}
		first, last, size, ok := provider.ContentRange(contentRange)
		if !ok {
			return provider.Announced{}, foreign(fmt.Sprintf("its Content-Range is %q", contentRange))
		}
		off, n, err := r.Resolve(size)
		if err != nil {
			return provider.Announced{}, err
		}
		if first != off || last-first+1 != n || (length != nil && *length != n) {
			return provider.Announced{}, foreign(fmt.Sprintf("bytes %v were asked for, it holds %q", r, contentRange))
		}
		return provider.Announced{N: n, Body: n, Size: size}, nil
	}
	return provider.Announced{}, foreign(fmt.Sprintf("its status is %d for the range %v", status, r))
}

// emptyRange is what MinIO says of the last bytes of an empty value, where S3 answers 416.
const emptyRange = "bytes 0--1/0"
