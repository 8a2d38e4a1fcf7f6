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

// get is one Get Blob, and one Get Blob Properties before it for a tail of unknown place.
func (b *bucket) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if n, ok := o.Range.IsSuffix(); ok {
		return b.getLast(ctx, key, n, o, buf)
	}
	return b.getFrom(ctx, key, o, buf)
}

func (b *bucket) getFrom(ctx context.Context, key string, o store.GetOptions, buf []byte) (_ store.Value, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a body left unread is not waited for
	var resp *http.Response
	asked := b.askSum(o.Range)
	if asked != nil {
		ctx = policy.WithHTTPHeader(ctx, asked)
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
		_ = out.Body.Close()
	}()
	if resp == nil {
		return store.Value{}, foreign("it was not passed on by the transport")
	}
	// The client counts 304 among its successes.
	if resp.StatusCode == http.StatusNotModified {
		if o.IfNotVersion == "" {
			return store.Value{}, foreign("it is a 304 that was not asked for")
		}
		return store.Value{}, fault.Newf(fault.Unchanged, "it still is version %s", o.IfNotVersion)
	}
	v := version(out.ETag)
	if err := accept(resp.Header, v, o); err != nil {
		return store.Value{}, err
	}
	if out.ContentLength == nil && o.Range.IsWhole() && resp.StatusCode == http.StatusOK && provider.Marked(resp) {
		return provider.Announced{N: -1, Size: -1}.Receive(out.Body, v, o, buf) // a proxy that took the length away
	}
	a, err := announced(o.Range, resp.StatusCode, out.ContentLength, resp.Header.Get("Content-Range"))
	if err != nil {
		return store.Value{}, err
	}
	got, err := a.Receive(out.Body, v, o, buf)
	if err == nil && b.verify && (asked != nil || resp.StatusCode == http.StatusOK) {
		err = b.compare(resp.Header, got.Bytes[len(buf):])
	}
	if err != nil {
		return store.Value{}, err
	}
	return got, nil
}

// accept refuses answers with a value that are not the one asked for: not Azure's, of another
// version although a condition was sent, or a folder of a hierarchical namespace, which answers
// like an empty blob.
func accept(h http.Header, got store.Version, o store.GetOptions) error {
	if got == "" {
		return foreign("it has no ETag")
	}
	err := provider.CheckVersion(got, o)
	if err == nil && isFolder(h) {
		err = fault.Newf(fault.NotFound, "it is a folder, and holds no value")
	}
	return err
}

func isFolder(h http.Header) bool {
	return strings.EqualFold(h.Get("X-Ms-Meta-Hdi_isfolder"), "true") || strings.EqualFold(h.Get("X-Ms-Resource-Type"), "directory")
}

// httpRange is the range as the client takes it; the zero one has no header. From(0) is the zero
// one as well: a whole value, which has the same bytes and is not refused when it is empty.
func httpRange(r store.Range) azblob.HTTPRange {
	if off, ok := r.IsFrom(); ok {
		return azblob.HTTPRange{Offset: off}
	}
	if off, n, ok := r.IsWithin(); ok {
		return azblob.HTTPRange{Offset: off, Count: n}
	}
	return azblob.HTTPRange{}
}

// announced is what an answer says about itself.
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
	return provider.Announced{}, foreign(fmt.Sprintf("its status is %d for the range %v", status, r))
}

// emptyRange reads the size in "bytes 1000-999/1000" and "bytes 0--1/0": Azurite's way to say that
// the value ends where the range begins, for which Azure has 416.
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
