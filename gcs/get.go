package gcs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	gcsapi "cloud.google.com/go/storage"

	"github.com/zargo-io/zargo/blob"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// maxUnasked is how many bytes are read through of a value whose server ignores ranges. 64 MiB: more than a shard of
// ordinary size, and then it is told.
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
	x := &exchange{value: true}
	off, n := span(o.Range)
	r, err := h.ReadCompressed(true).NewRangeReader(x.under(ctx), off, n)
	if err != nil {
		return store.Value{}, b.absent(whole, key, x.explain(err, false))
	}
	defer func() {
		if err != nil {
			cancel()
		}
		_ = r.Close()
	}()
	version := store.Version(x.header.Get("X-Goog-Generation"))
	if _, ok := generation(version); !ok {
		return store.Value{}, foreign(fmt.Sprintf("its generation is %q", version))
	}
	switch {
	// A server that ignores conditions must not get away with it.
	case o.IfVersion != "" && version != o.IfVersion:
		return store.Value{}, fault.Newf(fault.Conflict, "version %s was asked for, %s is there", o.IfVersion, version)
	case o.IfNotVersion != "" && version == o.IfNotVersion:
		return store.Value{}, fault.Newf(fault.Unchanged, "it still is version %s", version)
	}
	a, err := x.announced(o.Range, r)
	if err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && a.n > o.Max {
		return store.Value{}, fault.Newf(fault.Limit, "%d bytes were announced, at most %d are wanted", a.n, o.Max)
	}
	if _, err := io.CopyN(io.Discard, r, a.skip); err != nil {
		return store.Value{}, fault.Newf(fault.Unavailable, "transfer cut: %w", err)
	}
	v := store.Value{Size: a.size, Version: version}
	_, _, within := o.Range.IsWithin()
	v.Bytes, err = blob.ReadN(buf, r, a.n, o.Max > 0 || within)
	if err == nil && a.skip+a.n == a.body {
		err = blob.AtEnd(r) // here the SDK compares the CRC32C of a whole value
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

// pinned is the handle with a read's condition, which is on the generation and never asks for an old one.
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

// span is the range in the SDK's numbers: a negative offset counts from the end, a negative length is open.
func span(r store.Range) (off, n int64) {
	if n, ok := r.IsLast(); ok {
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

// announcement is what an answer says about itself: skip bytes of its body, take n, and the value has size bytes.
type announcement struct{ skip, n, body, size int64 }

func (x *exchange) announced(r store.Range, got *gcsapi.Reader) (announcement, error) {
	size, body := got.Attrs.Size, got.Remain()
	stored, err := strconv.ParseInt(x.header.Get("X-Goog-Stored-Content-Length"), 10, 64)
	switch {
	case err != nil: // a server that does not say
	case size < 0 && body < 0 && x.status == http.StatusOK:
		size, body = stored, stored // a proxy that took the length away
	case size != stored:
		return announcement{}, foreign(fmt.Sprintf("%d bytes of a value that is stored as %d, unpacked perhaps", size, stored))
	}
	if size < 0 || body < 0 {
		return announcement{}, foreign("it does not say its length")
	}
	off, n, err := r.Resolve(size)
	switch {
	case err != nil:
		return announcement{}, err
	case x.status == http.StatusOK:
		// A From(0), or a server that ignores ranges. What was asked for is in there, if reading that much is bearable.
		if off+n < size && size > maxUnasked || off > maxUnasked {
			return announcement{}, fault.Newf(fault.Unavailable, "the server ignores byte ranges and sends the whole value")
		}
		return announcement{skip: off, n: n, body: size, size: size}, nil
	case x.status == http.StatusPartialContent && !r.IsWhole() && got.Attrs.StartOffset == off && body == n:
		return announcement{n: n, body: n, size: size}, nil
	}
	return announcement{}, foreign(fmt.Sprintf("status %d and %q for the range %v", x.status, x.header.Get("Content-Range"), r))
}

// absent decides about a 404 that names neither object nor bucket, as emulators answer: a listing that works and does not
// hold the key proves that it is absent.
func (b *bucket) absent(ctx context.Context, key string, err error) error {
	var f *failure
	if !errors.As(err, &f) || f.kind != error(unclear) {
		return err
	}
	full := b.prefix + key
	// Keys that begin with full sort after it, so that the first entry decides.
	names, _, e := b.list(ctx, &gcsapi.Query{Prefix: full}, 1, "")
	switch {
	case e != nil:
		return e
	case len(names) > 0 && names[0].Name == full:
		f.kind = fault.Unavailable
		f.text += ", but the key is listed"
	default:
		f.kind = fault.NotFound
		f.text += ", and the key is not listed"
	}
	return f
}
