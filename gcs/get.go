package gcs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	gcsapi "cloud.google.com/go/storage"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxUnasked is how many bytes are read through of a value whose server ignores ranges. 64 MiB:
// more than a shard of ordinary size, and then it is told.
const maxUnasked = 64 << 20

// get is one read, whatever the range.
func (b *bucket) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (_ store.Value, err error) {
	h, err := b.pinned(key, o)
	if err != nil {
		return store.Value{}, err
	}
	whole := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a body left unread is not waited for
	x := b.exchange()
	x.value = true
	off, n := span(o.Range)
	r, err := h.ReadCompressed(true).NewRangeReader(x.under(ctx), off, n)
	if err != nil {
		return store.Value{}, b.absent(whole, key, x.explain(err, false))
	}
	defer func() {
		if err != nil {
			cancel()
			err = provider.About(err, x.header)
		}
		_ = r.Close()
	}()
	if x.bare {
		x.read(r)
	}
	version := store.Version(x.header.Get("X-Goog-Generation"))
	if _, ok := generation(version); !ok {
		return store.Value{}, foreign(fmt.Sprintf("its generation is %q", version))
	}
	if err := provider.CheckVersion(version, o); err != nil {
		return store.Value{}, err
	}
	a, err := x.announced(o.Range, r)
	if err != nil {
		return store.Value{}, err
	}
	return a.Receive(r, version, o, buf)
}

// pinned is the handle with a read's condition, which is on the generation and never asks for an
// old one.
func (b *bucket) pinned(key string, o store.GetOptions) (*gcsapi.ObjectHandle, error) {
	h := b.object(key)
	if o.IfVersion != "" {
		g, ok := generation(o.IfVersion)
		if !ok {
			return nil, neverWas(o.IfVersion)
		}
		return h.If(gcsapi.Conditions{GenerationMatch: g}), nil
	}
	if g, ok := generation(o.IfNotVersion); ok {
		return h.If(gcsapi.Conditions{GenerationNotMatch: g}), nil
	}
	return h, nil
}

// span is the range in the SDK's numbers: a negative offset counts from the end, a negative length
// is open.
func span(r store.Range) (off, n int64) {
	if n, ok := r.IsSuffix(); ok {
		return -n, -1
	}
	if off, ok := r.IsFrom(); ok {
		return off, -1
	}
	if off, n, ok := r.IsWithin(); ok {
		return off, n
	}
	return 0, -1
}

// length is how many bytes the body of an answer with a value has where a proxy took Content-Length
// away: GCS says it a second time. -1 is for an answer whose end nothing proves.
func length(resp *http.Response) int64 {
	if resp.ContentLength >= 0 {
		return resp.ContentLength
	}
	if resp.StatusCode == http.StatusPartialContent {
		if first, last, _, ok := provider.ContentRange(resp.Header.Get("Content-Range")); ok {
			return last - first + 1
		}
		return -1
	}
	n, err := strconv.ParseInt(resp.Header.Get("X-Goog-Stored-Content-Length"), 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// announced is what an answer says about itself.
func (x *exchange) announced(r store.Range, got *gcsapi.Reader) (provider.Announced, error) {
	size, body := got.Attrs.Size, got.Remain()
	stored, err := strconv.ParseInt(x.header.Get("X-Goog-Stored-Content-Length"), 10, 64)
	switch {
	case err != nil: // a server that does not say
	case size != stored:
		return provider.Announced{}, foreign(fmt.Sprintf("%d bytes of a value that is stored as %d, unpacked perhaps", size, stored))
	}
	if size < 0 || !x.measured {
		return provider.Announced{}, foreign("it does not say its length")
	}
	off, n, err := r.Resolve(size)
	switch {
	case err != nil:
		return provider.Announced{}, err
	case x.status == http.StatusOK:
		// A From(0), or a server that ignores ranges. What was asked for is in there, if reading
		// that much is bearable.
		if off+n < size && size > maxUnasked || off > maxUnasked {
			return provider.Announced{}, fault.Newf(fault.Unavailable, "the server ignores byte ranges and sends the whole value")
		}
		return provider.Announced{Skip: off, N: n, Body: size, Size: size}, nil
	case x.status == http.StatusPartialContent && !r.IsWhole() && got.Attrs.StartOffset == off && body == n:
		return provider.Announced{N: n, Body: n, Size: size}, nil
	}
	return provider.Announced{}, foreign(fmt.Sprintf("status %d and %q for the range %v", x.status, x.header.Get("Content-Range"), r))
}

// absent decides about a 404 that names neither object nor bucket, as emulators answer: a listing
// that works and does not hold the key proves that it is absent.
func (b *bucket) absent(ctx context.Context, key string, err error) error {
	var f *provider.Failure
	if !errors.As(err, &f) || f.Kind != error(unclear) {
		return err
	}
	full := b.prefix + key
	// Keys that begin with full sort after it, so that the first entry decides.
	names, _, e := b.list(ctx, &gcsapi.Query{Prefix: full}, 1, "")
	switch {
	case e != nil:
		return e
	case len(names) > 0 && names[0].Name == full:
		f.Kind = fault.Unavailable
		f.Text += ", but the key is listed"
	default:
		f.Kind = fault.NotFound
		f.Text += ", and the key is not listed"
	}
	return f
}
