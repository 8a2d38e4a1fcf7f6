package http

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// encoded checks the header of a response whose body is encoded by gzip. The size of the value is
// not known.
func (a *answer) encoded(resp *http.Response) error {
	switch {
	case resp.StatusCode == http.StatusPartialContent:
		return errEncodedRange
	case !provider.Marked(resp):
		return foreign("it has neither a length nor a marked end")
	}
	a.gzip, a.size, a.n = true, -1, -1
	return nil
}

// errEncodedRange reports a response with a range of an encoded value. The value must be requested
// whole, because a range of the encoded bytes is not the encoding of a range.
var errEncodedRange = errors.New("the response is a range of an encoded value")

// decode appends the range of the value whose encoding is the body. It decodes the whole body, so
// the checksums of gzip are checked. Options limit the decoded bytes: a whole value has at most
// o.Max, and a value of which a range is read at most maxUntold. At most the range and, for a range
// at the end, maxSkip bytes are held.
func (a answer) decode(body io.Reader, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	in := bufio.NewReader(body)
	if _, err := in.Peek(1); errors.Is(err, io.EOF) { // servers send an empty body for an empty value
		return a.part(strings.NewReader(""), key, o, buf)
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return store.Value{}, undecodable(err)
	}
	return a.part(z, key, o, buf)
}

func (a answer) part(r io.Reader, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if o.Range.IsWhole() {
		return a.readAll(r, key, o.Max, buf)
	}
	if _, ok := o.Range.IsSuffix(); ok {
		return a.suffix(r, o, buf)
	}
	off, n, within := o.Range.IsWithin()
	if !within {
		off, _ = o.Range.IsFrom()
	} else if o.Max > 0 && n > o.Max {
		return store.Value{}, &store.TooLong{Announced: n, Max: o.Max, Version: a.version}
	}
	if off > maxSkip {
		return store.Value{}, foreign("the server encodes the value, and %d bytes before the range are too many to skip", off)
	}
	skipped, err := io.CopyN(io.Discard, r, off)
	if err != nil && !errors.Is(err, io.EOF) {
		return store.Value{}, undecodable(err)
	}
	var v store.Value
	if within {
		v, err = a.readAll(io.LimitReader(r, n), "", n, buf)
	} else {
		v, err = a.readAll(r, "", o.Max, buf)
	}
	if err == nil { // the value may end in or before the range
		_, _, err = o.Range.Resolve(skipped + v.Size)
	}
	if err != nil {
		return store.Value{}, err
	}
	return a.toEnd(r, v, off+v.Size)
}

// toEnd decodes the rest of the body, which checks it and counts the bytes of the value.
func (a answer) toEnd(r io.Reader, v store.Value, read int64) (store.Value, error) {
	rest, err := io.CopyN(io.Discard, r, maxUntold-min(read, maxUntold)+1)
	if err == nil {
		return store.Value{}, fault.Newf(fault.Limit, "the encoded value has more than %d bytes", maxUntold)
	}
	if !errors.Is(err, io.EOF) {
		return store.Value{}, undecodable(err)
	}
	v.Size = read + rest
	return v, nil
}

// suffix appends a range whose place depends on the size of the value.
func (a answer) suffix(r io.Reader, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := a.readAll(r, "", maxSkip, nil)
	if err != nil {
		return store.Value{}, err
	}
	off, n, err := o.Range.Resolve(v.Size)
	if err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && n > o.Max {
		return store.Value{}, &store.TooLong{Announced: n, Max: o.Max, Version: a.version}
	}
	v.Bytes = append(buf, v.Bytes[off:off+n]...)
	return v, nil
}

// undecodable returns the error for a body that is not a complete gzip stream. A body that was cut
// is one of these, so the request is repeated.
func undecodable(err error) error {
	return fault.Newf(fault.Unavailable, "the body cannot be decoded by gzip: %w", err)
}

// isGzip returns true if the body is encoded by gzip. It returns an error for other encodings.
func isGzip(resp *http.Response) (bool, error) {
	e := strings.ToLower(strings.TrimSpace(strings.Join(resp.Header.Values("Content-Encoding"), ",")))
	switch e {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip": // RFC 9110, section 8.4.1.3
		return true, nil
	}
	return false, fmt.Errorf("the server encodes the value as %q, which the request does not accept: %w", e, errors.ErrUnsupported)
}
