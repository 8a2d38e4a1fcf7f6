package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/zargo-io/zargo/internal/provider"
	"github.com/zargo-io/zargo/internal/provider/exact"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := s.get(ctx, key, o, buf)
	if err == nil {
		return v, nil
	}
	if end := ctx.Err(); end != nil {
		err = end
	}
	if o.IfVersion != "" && errors.Is(err, fault.NotFound) {
		err = fault.Newf(fault.Conflict, "the pinned version %s no longer exists", o.IfVersion)
	}
	return store.Value{}, s.fail("get", key, err)
}

// maxSkip is the maximum number of bytes that are discarded before a range if the server ignores
// ranges.
const maxSkip = 32 << 20

func (s *Store) get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Value{}, err
	}
	if err := o.Range.Check(); err != nil {
		return store.Value{}, err
	}
	v, err := s.try(ctx, key, o, o.Range, buf)
	var e *StatusError
	beyond := errors.As(err, &e) && e.Status == http.StatusRequestedRangeNotSatisfiable
	if errors.Is(err, errEncodedRange) || beyond { // the encoding may be shorter than the value
		return s.try(ctx, key, o, store.Range{}, buf)
	}
	return v, err
}

// try sends one request for a range of the value. The range is o.Range, or the whole value of which
// o.Range is cut.
func (s *Store) try(ctx context.Context, key string, o store.GetOptions, sent store.Range, buf []byte) (store.Value, error) {
	req, err := s.request(ctx, key, o, sent)
	if err != nil {
		return store.Value{}, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return store.Value{}, noAnswer(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusForbidden && s.forbidden {
		return store.Value{}, fault.Newf(fault.NotFound, "%v", status(resp, o))
	}
	return receive(resp, key, o, buf)
}

func (s *Store) request(ctx context.Context, key string, o store.GetOptions, sent store.Range) (*http.Request, error) {
	for _, v := range []store.Version{o.IfVersion, o.IfNotVersion} {
		if v != "" && !strings.HasPrefix(string(v), `"`) {
			return nil, fmt.Errorf("version %q is not a strong ETag: %w", v, errors.ErrUnsupported)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url(key), nil)
	if err != nil {
		return nil, provider.Usage("the key is not valid in a URL") // err would reveal the parameters
	}
	maps.Copy(req.Header, s.header)
	req.Header.Set("Accept-Encoding", "identity")
	if h := provider.RangeHeader(sent); h != "" {
		req.Header.Set("Range", h)
	}
	if o.IfVersion != "" {
		req.Header.Set("If-Match", string(o.IfVersion))
	}
	if o.IfNotVersion != "" {
		req.Header.Set("If-None-Match", string(o.IfNotVersion))
	}
	return req, nil
}

// noAnswer returns the error for a request without a response. err is the error of net/http, whose
// URL is removed.
func noAnswer(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, fault.Refused) || errors.Is(err, fault.Unavailable) {
		return err // a redirect that is not followed
	}
	return provider.NoAnswer(err)
}

// answer describes the body of a response as announced by the header of the response.
type answer struct {
	size    int64 // size of the value; -1 if unknown
	skip, n int64 // numbers of bytes to discard and to read; n is -1 if unknown
	gzip    bool  // the body is the value, encoded by gzip
	version store.Version
}

func receive(resp *http.Response, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	a := answer{version: strong(resp.Header.Get("ETag"))}
	if err := a.check(resp, key, o); err != nil {
		return store.Value{}, err
	}
	if o.Max > 0 && a.n > o.Max {
		return store.Value{}, &store.TooLong{Announced: a.n, Max: o.Max, Version: a.version}
	}
	if a.gzip {
		return a.decode(resp.Body, key, o, buf)
	}
	if a.n < 0 {
		return a.readAll(resp.Body, key, o.Max, buf)
	}
	if _, err := io.CopyN(io.Discard, resp.Body, a.skip); err != nil {
		return store.Value{}, fault.Newf(fault.Unavailable, "the body ended early: %w", err)
	}
	_, _, within := o.Range.IsWithin()
	out, err := exact.Read(buf, resp.Body, a.n, o.Max > 0 || within)
	v := store.Value{Bytes: out, Size: a.size, Version: a.version}
	if errors.Is(err, fault.Limit) {
		return store.Value{}, err
	}
	if err != nil {
		return store.Value{}, fault.Newf(fault.Unavailable, "%w", &store.TruncatedError{Value: v, Want: a.n, Err: err})
	}
	if a.skip+a.n == resp.ContentLength { // read to the end, so that the connection can be reused
		_, _ = io.ReadFull(resp.Body, make([]byte, 1))
	}
	return v, nil
}

// check sets the sizes in the answer. It returns an error if the response is not the requested
// value.
func (a *answer) check(resp *http.Response, key string, o store.GetOptions) error {
	switch resp.StatusCode {
	case http.StatusOK, http.StatusPartialContent:
	case http.StatusRequestedRangeNotSatisfiable:
		if o.IfVersion != "" && a.version != "" && a.version != o.IfVersion {
			return fault.Newf(fault.Conflict, "the value has version %s, not %s", a.version, o.IfVersion)
		}
		return status(resp, o)
	default:
		return status(resp, o)
	}
	gzip, err := isGzip(resp)
	if err != nil {
		return err
	}
	if isPage(resp.Header.Get("Content-Type"), key) {
		return pageError{foreign("it is an HTML page with status %d", resp.StatusCode)}
	}
	if o.IfVersion != "" && a.version == "" {
		return fmt.Errorf("the server sends no strong ETag, so a version cannot be pinned: %w", errors.ErrUnsupported)
	}
	if o.IfVersion != "" && a.version != o.IfVersion {
		return fault.Newf(fault.Conflict, "the value has version %s, not %s", a.version, o.IfVersion)
	}
	if o.IfNotVersion != "" && a.version == o.IfNotVersion {
		return fault.Unchanged
	}
	if gzip {
		return a.encoded(resp)
	}
	if resp.StatusCode == http.StatusPartialContent {
		return a.partial(resp, o.Range)
	}
	return a.wholeValue(resp, key, o.Range)
}

// wholeValue sets the sizes for a response with the whole value. The whole value was requested, or
// the server ignores ranges.
func (a *answer) wholeValue(resp *http.Response, key string, r store.Range) (err error) {
	a.size, a.n = resp.ContentLength, resp.ContentLength
	switch {
	case a.size < 0 && !r.IsWhole():
		return foreign("the server ignores ranges and does not send the length")
	case !provider.Marked(resp):
		return foreign("it has neither a length nor a marked end")
	case a.size == 0 && isMetadata(key):
		return foreign("it is an empty metadata document")
	case a.size < 0:
		return nil
	}
	if a.skip, a.n, err = r.Resolve(a.size); err != nil {
		return err
	}
	if a.skip > maxSkip {
		return foreign("the server ignores ranges, and %d bytes before the range are too many to skip", a.skip)
	}
	return nil
}

// partial sets the sizes for a response with a Content-Range (RFC 9110, section 14.4). The
// Content-Range must be the requested range.
func (a *answer) partial(resp *http.Response, r store.Range) error {
	first, last, size, ok := provider.ContentRange(resp.Header.Get("Content-Range"))
	// Servers that are written in Go send the Content-Range "0--1/0" for an empty value.
	if !r.IsWhole() && strings.HasSuffix(resp.Header.Get("Content-Range"), "/0") {
		_, _, err := r.Resolve(0)
		return err
	}
	if !ok || r.IsWhole() {
		return foreign("its Content-Range is %.80q, want %v", resp.Header.Get("Content-Range"), r)
	}
	off, n, err := r.Resolve(size)
	if err != nil {
		return err
	}
	if first != off || last != off+n-1 || resp.ContentLength >= 0 && resp.ContentLength != n {
		return foreign("it has bytes %d to %d of %d in a body of %d, want %v", first, last, size, resp.ContentLength, r)
	}
	a.size, a.n = size, n
	return nil
}
