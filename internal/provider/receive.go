package provider

import (
	"errors"
	"io"
	"net/http"

	"github.com/zargo-io/zargo/internal/provider/exact"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Announced contains the lengths declared in a response. The requested bytes are the N bytes of the
// body after the first Skip bytes. Body is the length of the body, and Size is the length of the
// value. For a whole value of unknown length, N is -1, and the response must be [Marked].
type Announced struct{ Skip, N, Body, Size int64 }

// Marked reports whether a truncated body can be distinguished from a complete one: the response
// has a length, or it uses chunked transfer coding or HTTP/2, which both mark the end of a body.
// Otherwise the end of the connection is the end of the body (RFC 9112 section 6.3), and a broken
// connection would make a part of a value look complete.
func Marked(resp *http.Response) bool {
	return resp.ContentLength >= 0 || resp.ProtoMajor >= 2 || len(resp.TransferEncoding) > 0
}

// maxUnannounced is the maximum size of a value of unknown length if the request does not set Max.
// It is more than the usual size of a shard.
const maxUnannounced = 64 << 20

// checkMax returns a *store.TooLong if the response has more than o.Max bytes. It is called before
// the body is read.
func (a Announced) checkMax(version store.Version, o store.GetOptions) error {
	if o.Max > 0 && a.N > o.Max {
		return &store.TooLong{Announced: a.N, Max: o.Max, Version: version}
	}
	return nil
}

// Receive reads the requested bytes from body and appends them to buf. It returns a
// *store.TruncatedError of kind fault.Unavailable for a body that ends early.
func (a Announced) Receive(body io.Reader, version store.Version, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := a.checkMax(version, o); err != nil {
		return store.Value{}, err
	}
	if a.N < 0 {
		return unannounced(body, version, o.Max, buf)
	}
	if _, err := io.CopyN(io.Discard, body, a.Skip); err != nil {
		return store.Value{}, fault.Newf(fault.Unavailable, "truncated response: %w", Cause(err))
	}
	v := store.Value{Size: a.Size, Version: version}
	_, _, within := o.Range.IsWithin()
	var err error
	v.Bytes, err = exact.Read(buf, body, a.N, o.Max > 0 || within)
	if err == nil && a.Skip+a.N == a.Body {
		err = exact.End(body) // an SDK compares its checksum at the end
	}
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, fault.Limit) || errors.Is(err, fault.Unavailable):
		return store.Value{}, err
	case int64(len(v.Bytes)-len(buf)) == a.N:
		return store.Value{}, fault.Newf(fault.Unavailable, "the received value is damaged: %w", Cause(err))
	}
	return store.Value{}, fault.Newf(fault.Unavailable, "%w", &store.TruncatedError{Value: v, Want: a.N, Err: Cause(err)})
}

// unannounced reads a body of unknown length up to most bytes, or maxUnannounced if most is 0. It
// returns fault.Limit if the body is longer.
func unannounced(body io.Reader, version store.Version, most int64, buf []byte) (store.Value, error) {
	if most <= 0 {
		most = maxUnannounced
	}
	held := len(buf)
	for {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		got := int64(len(buf) - held)
		switch {
		case got > most:
			return store.Value{}, fault.Newf(fault.Limit, "the response has more than %d bytes and no declared length", most)
		case errors.Is(err, io.EOF):
			return store.Value{Bytes: buf, Size: got, Version: version}, nil
		case err != nil:
			return store.Value{}, fault.Newf(fault.Unavailable, "truncated response: %w", Cause(err))
		}
	}
}
