package gcs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/internal/provider"
)

// guard records the outcome of a request in the exchange of its context. It also prevents a second
// request with the same exchange: the SDK's reader would request the rest of a truncated value and
// bypass the limits of the retry layer.
type guard struct{ base http.RoundTripper }

// exchange records the outcome of one request. It keeps two things that the SDK discards: the body
// of a 404, which shows whether the object or the bucket is missing, and the response header of a
// delete.
type exchange struct {
	value bool // the response body is a value, which has no limit here
	limit int  // requests allowed, at least 1
	put   bool // the request body is a value, and must be sent completely before a response counts

	writes    bool // the request changes the bucket
	anonymous bool // the request carries no credentials
	bare      bool // the transport has no guard: the outcome is the SDK's error

	mu       sync.Mutex
	sent     int
	status   int // 0 without a response
	header   http.Header
	measured bool   // the length of the value is known
	body     []byte // of an error response
	err      error  // of a missing or truncated response
}

// maxDocument limits a response that is read into memory. A listing of 1000 keys of 1024 bytes has
// 6 MB if every byte is escaped by six characters.
const maxDocument = 16 << 20

func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok { // a caller obtained the SDK's client by store.As
		return g.base.RoundTrip(r)
	}
	if err := x.begin(); err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	resp, err := g.send(x, r)
	if err != nil {
		x.failed(err)
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.status, x.header = resp.StatusCode, resp.Header
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		x.body, x.err = io.ReadAll(io.LimitReader(resp.Body, provider.MaxError))
		_ = resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(x.body))
	case x.value:
		resp.ContentLength = length(resp)
		x.measured = resp.ContentLength >= 0
		resp.Body = &watched{resp.Body, x}
	default:
		resp.Body = &watched{provider.Bounded(resp.Body, maxDocument), x}
	}
	return resp, nil
}

type exchangeKey struct{}

// under returns the context for a call of the SDK whose request x records.
func (x *exchange) under(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

func (x *exchange) begin() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sent >= max(1, x.limit) {
		if x.err != nil {
			return x.err
		}
		return errors.New("the SDK tried to repeat the request")
	}
	x.sent++
	return nil
}

// more allows one more request, after a response that requires it.
func (x *exchange) more() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.limit = x.sent + 1
}

func (x *exchange) failed(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.err = err
}

// send sends a request. For a put, it waits until the request body has been sent. If a server sent
// a success response before it read the whole value, the SDK's writer would block forever, because
// nothing would read the rest.
func (g guard) send(x *exchange, r *http.Request) (*http.Response, error) {
	if !x.put || r.Body == nil {
		return provider.Send(r, g.base.RoundTrip)
	}
	body := &sent{ReadCloser: r.Body, closed: make(chan struct{})}
	r = r.WithContext(r.Context()) // a RoundTripper must not modify its request
	r.Body = body
	resp, err := provider.Send(r, g.base.RoundTrip)
	if err != nil || resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp, err
	}
	// The transport stops sending the body only after the response has been read.
	doc, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(doc))
	select {
	case <-body.closed:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if !body.ended.Load() {
		return nil, errors.New("the server responded before the value was sent")
	}
	return resp, nil
}

// sent is a request body that records whether it was read to its end. Transports close it when they
// no longer use it.
type sent struct {
	io.ReadCloser
	ended  atomic.Bool
	once   sync.Once
	closed chan struct{}
}

func (s *sent) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		s.ended.Store(true)
	}
	return n, err
}

func (s *sent) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.ReadCloser.Close()
}

// watched records the error that ends a read of the body.
type watched struct {
	io.ReadCloser
	x *exchange
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.x.failed(err)
	}
	return n, err
}
