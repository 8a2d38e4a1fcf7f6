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

// get sends one read, for any range.
func (b *bucket) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (_ store.Value, err error) {
	h, err := b.pinned(key, o)
	if err != nil {
		return store.Value{}, err
	}
	whole := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // do not wait for the unread rest of the body
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
		return store.Value{}, foreign(fmt.Sprintf("its generation %q is not a positive number", version))
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

// maxExcess is the maximum number of unrequested bytes that are read if a server ignores the range.
// 64 MiB is more than a typical shard. If there are more unrequested bytes, the read fails.
const maxExcess = 64 << 20

// pinned returns the object's handle with the condition of a read. The condition applies to the
// current generation; a read never requests an old generation.
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

// span converts a range to the SDK's offset and length. A negative offset counts from the end, and
// a negative length means up to the end.
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

// length returns the length of a value's body, or -1 if a truncated body could not be detected. If
// a proxy has removed Content-Length, length uses Content-Range or GCS's header with the stored
// length.
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

// announced returns the numbers of bytes of the body to skip and to read, according to the header.
func (x *exchange) announced(r store.Range, got *gcsapi.Reader) (provider.Announced, error) {
	size, body := got.Attrs.Size, got.Remain()
	stored, err := strconv.ParseInt(x.header.Get("X-Goog-Stored-Content-Length"), 10, 64)
	switch {
	case err != nil: // the server does not send the header
	case size != stored:
		return provider.Announced{}, foreign(fmt.Sprintf("it has %d bytes of a value with %d stored bytes, and may be decompressed", size, stored))
	}
	if size < 0 || !x.measured {
		return provider.Announced{}, foreign("it does not state its length")
	}
	off, n, err := r.Resolve(size)
	switch {
	case err != nil:
		return provider.Announced{}, err
	case x.status == http.StatusOK:
		// The request was From(0), or the server ignored the range. Unless the value is too long,
		// extract the range from the whole value.
		if off+n < size && size > maxExcess || off > maxExcess {
			return provider.Announced{}, fault.Newf(fault.Unavailable, "the server ignores byte ranges and sends a whole value that is too long")
		}
		return provider.Announced{Skip: off, N: n, Body: size, Size: size}, nil
	case x.status == http.StatusPartialContent && !r.IsWhole() && got.Attrs.StartOffset == off && body == n:
		return provider.Announced{N: n, Body: n, Size: size}, nil
	}
	return provider.Announced{}, foreign(fmt.Sprintf("it has status %d and Content-Range %q for the range %v", x.status, x.header.Get("Content-Range"), r))
}

// absent resolves a 404 that names neither the object nor the bucket, which emulators send. A
// successful listing without the key proves that it is absent.
func (b *bucket) absent(ctx context.Context, key string, err error) error {
	var f *provider.Failure
	if !errors.As(err, &f) || f.Kind != error(unclear) {
		return err
	}
	full := b.prefix + key
	// Longer keys that start with full sort after full, so the first entry decides.
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
