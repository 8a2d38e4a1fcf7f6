package s3

import (
	"context"
	"errors"
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

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxUnasked is how many bytes are read that were not asked for: of a value whose server ignores ranges, or of one
// that does not announce its length. 64 MiB: more than a shard of ordinary size, and then it is told.
const maxUnasked = 64 << 20

// get is one GetObject, whatever the range.
func (b *bucket) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (_ store.Value, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a body left unread is not waited for
	in := &awss3.GetObjectInput{
		Bucket: b.name, Key: aws.String(b.full(key)), Range: header(o.Range),
		IfMatch: pin(o.IfVersion), IfNoneMatch: pin(o.IfNotVersion), RequestPayer: b.payer,
	}
	var opts []func(*awss3.Options)
	if b.validate && o.Range.IsWhole() {
		in.ChecksumMode = types.ChecksumModeEnabled
		opts = append(opts, func(o *awss3.Options) { o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenSupported })
	}
	out, err := b.client.GetObject(ctx, in, opts...)
	if err != nil {
		return store.Value{}, explain(err, false)
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
	a, err := announced(o.Range, status(out), out.ContentLength, aws.ToString(out.ContentRange))
	if err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && a.n > o.Max {
		return store.Value{}, fault.Newf(fault.Limit, "%d bytes were announced, at most %d are wanted", a.n, o.Max)
	}
	v := store.Value{Size: a.size, Version: version}
	if a.n < 0 {
		return readUnannounced(out.Body, v, o.Max, buf)
	}
	if _, err := io.CopyN(io.Discard, out.Body, a.skip); err != nil {
		return store.Value{}, fault.Newf(fault.Unavailable, "transfer cut: %w", err)
	}
	_, _, within := o.Range.IsWithin()
	v.Bytes, err = blob.ReadN(buf, out.Body, a.n, o.Max > 0 || within)
	if err == nil && a.skip+a.n == a.body {
		err = blob.AtEnd(out.Body)
	}
	if err != nil {
		if errors.Is(err, fault.Limit) || errors.Is(err, fault.Unavailable) {
			return store.Value{}, err
		}
		if len(v.Bytes)-len(buf) == int(a.n) {
			return store.Value{}, fault.Newf(fault.Unavailable, "the value arrived damaged: %w", err)
		}
		return store.Value{}, fault.Newf(fault.Unavailable, "%w", &store.CutError{Value: v, Want: a.n, Err: err})
	}
	return v, nil
}

// header is the Range header; the zero range has none.
func header(r store.Range) *string {
	if n, ok := r.IsLast(); ok {
		return aws.String(fmt.Sprintf("bytes=-%d", n))
	}
	if off, ok := r.IsFrom(); ok {
		return aws.String(fmt.Sprintf("bytes=%d-", off))
	}
	if off, n, ok := r.IsWithin(); ok {
		return aws.String(fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	}
	return nil
}

func status(out *awss3.GetObjectOutput) int {
	if r, ok := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response); ok {
		return r.StatusCode
	}
	return 0
}

// announcement is what an answer says about itself: skip bytes of its body, take n, and the value has size bytes. n is
// -1 for a whole value whose length is not said.
type announcement struct{ skip, n, body, size int64 }

func announced(r store.Range, status int, length *int64, contentRange string) (announcement, error) {
	if length != nil && *length < 0 {
		return announcement{}, foreign(fmt.Sprintf("its length is %d", *length))
	}
	switch {
	case status == http.StatusOK && r.IsWhole():
		if length == nil {
			return announcement{n: -1, size: -1}, nil
		}
		return announcement{n: *length, body: *length, size: *length}, nil
	case status == http.StatusOK:
		// The server ignored the range. What was asked for is in there, if reading that much is bearable.
		if length == nil || *length > maxUnasked {
			return announcement{}, fault.Newf(fault.Unavailable, "the server ignores byte ranges and sends the whole value")
		}
		off, n, err := r.Resolve(*length)
		return announcement{skip: off, n: n, body: *length, size: *length}, err
	case status == http.StatusPartialContent && !r.IsWhole():
		if contentRange == emptyRange && (length == nil || *length == 0) {
			_, _, err := r.Resolve(0)
			return announcement{}, err
		}
		first, last, size, ok := parseContentRange(contentRange)
		if !ok {
			return announcement{}, foreign(fmt.Sprintf("its Content-Range is %q", contentRange))
		}
		off, n, err := r.Resolve(size)
		if err != nil {
			return announcement{}, err
		}
		if first != off || last-first+1 != n || (length != nil && *length != n) {
			return announcement{}, foreign(fmt.Sprintf("bytes %v were asked for, it holds %q", r, contentRange))
		}
		return announcement{n: n, body: n, size: size}, nil
	}
	return announcement{}, foreign(fmt.Sprintf("its status is %d for the range %v", status, r))
}

// emptyRange is what MinIO says of the last bytes of an empty value, where S3 answers 416.
const emptyRange = "bytes 0--1/0"

// parseContentRange reads "bytes first-last/size", RFC 9110 section 14.4. A size of "*" is not enough for a Value.
func parseContentRange(s string) (first, last, size int64, ok bool) {
	span, found := strings.CutPrefix(s, "bytes ")
	if !found {
		return 0, 0, 0, false
	}
	span, total, found := strings.Cut(span, "/")
	if !found {
		return 0, 0, 0, false
	}
	a, b, found := strings.Cut(span, "-")
	if !found {
		return 0, 0, 0, false
	}
	var n [3]int64
	for i, digits := range []string{a, b, total} {
		u, err := strconv.ParseUint(digits, 10, 63)
		if err != nil {
			return 0, 0, 0, false
		}
		n[i] = int64(u)
	}
	return n[0], n[1], n[2], n[0] <= n[1] && n[1] < n[2]
}

// readUnannounced reads a chunked answer, up to what the caller allows.
func readUnannounced(body io.Reader, v store.Value, most int64, buf []byte) (store.Value, error) {
	if most <= 0 {
		most = maxUnasked
	}
	held := len(buf)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if got := int64(len(buf) - held); got > most {
			return store.Value{}, fault.Newf(fault.Limit, "the answer has no length and more than %d bytes", most)
		}
		switch {
		case errors.Is(err, io.EOF):
			v.Bytes, v.Size = buf, int64(len(buf)-held)
			return v, nil
		case err != nil:
			return store.Value{}, fault.Newf(fault.Unavailable, "transfer cut: %w", err)
		}
	}
}
