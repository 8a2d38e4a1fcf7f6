package azure

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// get sends one Get Blob. For a suffix of a value of unknown size, it first sends a Get Blob
// Properties.
func (b *bucket) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if n, ok := o.Range.IsSuffix(); ok {
		return b.getLast(ctx, key, n, o, buf)
	}
	return b.getFrom(ctx, key, o, buf)
}

func (b *bucket) getFrom(ctx context.Context, key string, o store.GetOptions, buf []byte) (_ store.Value, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // do not wait for the unread rest of the body
	var resp *http.Response
	sum := b.sumHeader(o.Range)
	if sum != nil {
		ctx = policy.WithHTTPHeader(ctx, sum)
	}
	out, err := b.blob(key).DownloadStream(policy.WithCaptureResponse(ctx, &resp), &azblob.DownloadStreamOptions{
		Range: httpRange(o.Range), AccessConditions: when(o.IfVersion, o.IfNotVersion),
	})
	if err != nil {
		return store.Value{}, explain(err, false)
	}
	defer func() {
		if err != nil {
			cancel()
			if resp != nil {
				err = provider.About(err, resp.Header)
			}
		}
		if out.Body != nil { // nil with a 304, from azblob 1.8.1
			_ = out.Body.Close()
		}
	}()
	if resp == nil {
		return store.Value{}, foreign("the transport did not provide it")
	}
	// The client treats 304 as a success.
	if resp.StatusCode == http.StatusNotModified {
		if o.IfNotVersion == "" {
			return store.Value{}, foreign("it is a 304 for a request without a condition")
		}
		return store.Value{}, fault.Newf(fault.Unchanged, "the current version is still %s", o.IfNotVersion)
	}
	if out.Body == nil {
		return store.Value{}, foreign("it has no body")
	}
	v := version(out.ETag)
	if err := accept(resp.Header, v, o); err != nil {
		return store.Value{}, err
	}
	if out.ContentLength == nil && o.Range.IsWhole() && resp.StatusCode == http.StatusOK && provider.Marked(resp) {
		// A proxy has removed the header with the length.
		return provider.Announced{N: -1, Size: -1}.Receive(out.Body, v, o, buf)
	}
	a, err := announced(o.Range, resp.StatusCode, out.ContentLength, resp.Header.Get("Content-Range"))
	if err != nil {
		return store.Value{}, err
	}
	got, err := a.Receive(out.Body, v, o, buf)
	if err == nil && b.verify && (sum != nil || resp.StatusCode == http.StatusOK) {
		err = b.compare(resp.Header, got.Bytes[len(buf):])
	}
	if err != nil {
		return store.Value{}, err
	}
	return got, nil
}

// accept returns an error for a response that is not from Azure, or whose version violates the
// condition. It also rejects a directory of a hierarchical namespace, which would read as an empty
// blob.
func accept(h http.Header, got store.Version, o store.GetOptions) error {
	if got == "" {
		return foreign("it has no ETag")
	}
	err := provider.CheckVersion(got, o)
	if err == nil && isFolder(h) {
		err = fault.Newf(fault.NotFound, "the key is a directory and has no value")
	}
	return err
}

func isFolder(h http.Header) bool {
	return strings.EqualFold(h.Get("X-Ms-Meta-Hdi_isfolder"), "true") || strings.EqualFold(h.Get("X-Ms-Resource-Type"), "directory")
}

// httpRange converts r to a range of the SDK. It returns the zero value if r selects the whole
// value. The SDK then sends no Range header. It also returns the zero value for From(0), because
// Azure would reject that range for an empty value.
func httpRange(r store.Range) azblob.HTTPRange {
	if off, ok := r.IsFrom(); ok {
		return azblob.HTTPRange{Offset: off}
	}
	if off, n, ok := r.IsWithin(); ok {
		return azblob.HTTPRange{Offset: off, Count: n}
	}
	return azblob.HTTPRange{}
}

// announced returns the numbers of bytes of the body to skip and to read, according to the header.
func announced(r store.Range, status int, length *int64, contentRange string) (provider.Announced, error) {
	if length == nil || *length < 0 {
		return provider.Announced{}, foreign("it has no length")
	}
	ranged := httpRange(r) != azblob.HTTPRange{}
	switch {
	case status == http.StatusOK && !ranged:
		_, n, err := r.Resolve(*length)
		return provider.Announced{N: n, Body: n, Size: *length}, err
	case status == http.StatusPartialContent && ranged:
		if total, empty := emptyRange(contentRange); empty && *length == 0 {
			if _, _, err := r.Resolve(total); err != nil {
				return provider.Announced{}, err
			}
		}
		return provider.Partial(r, length, contentRange, foreign)
	}
	return provider.Announced{}, foreign(fmt.Sprintf("it has status %d for the range %v", status, r))
}

// emptyRange parses the size in "bytes 1000-999/1000" or "bytes 0--1/0". Azurite sends such a range
// if the requested range starts at the end of the value; Azure responds with 416.
func emptyRange(s string) (size int64, ok bool) {
	s, isBytes := strings.CutPrefix(s, "bytes ")
	span, total, hasTotal := strings.Cut(s, "/")
	u, err := strconv.ParseUint(total, 10, 63)
	if !isBytes || !hasTotal || err != nil {
		return 0, false
	}
	size = int64(u)
	return size, span == fmt.Sprintf("%d-%d", size, size-1)
}
