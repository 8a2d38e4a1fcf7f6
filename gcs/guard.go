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

// maxDocument is the maximum size of a response that is read into memory. A listing of 1000 keys of
// 1024 bytes, escaped sixfold, is 6 MB.
const maxDocument = 16 << 20

// exchange is one request of a verb and what came of it: the SDK drops the body of a 404, and with
// it whether the object or the bucket is missing, and the header of a delete.
type exchange struct {
	value bool // the answer holds a value, which is not bounded here
	limit int  // requests that are let through
	put   bool // the request holds a value, and no answer counts before all of it was sent

	writes    bool // what is asked for changes the bucket
	anonymous bool // the request carries no credentials
	bare      bool // the client's transport is not guarded: what came of it is known from the SDK alone

	mu       sync.Mutex
	sent     int
	status   int // 0 without an answer
	header   http.Header
	measured bool   // the length of the value is known
	body     []byte // of an answer that is an error
	err      error  // why there was no answer, or not all of it
}

type exchangeKey struct{}

// under gives the context that the SDK is to be called with.
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
		return errors.New("the SDK wants to repeat the request")
	}
	x.sent++
	return nil
}

func (x *exchange) failed(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.err = err
}

// guard notes what becomes of a verb's request, and keeps it to one: the SDK's reader otherwise
// asks for the rest of a value whose transfer broke, past the retry layer and its limits.
type guard struct{ base http.RoundTripper }

func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok { // of somebody who took the SDK's client with store.As
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

// send is a request and, of a put, the wait for its end. A server may answer before it has read the
// value; when that answer looks like success, the SDK's writer would wait for ever for somebody to
// read the rest.
func (g guard) send(x *exchange, r *http.Request) (*http.Response, error) {
	if !x.put || r.Body == nil {
		return provider.Send(r, g.base.RoundTrip)
	}
	body := &sent{ReadCloser: r.Body, closed: make(chan struct{})}
	r = r.WithContext(r.Context()) // a RoundTripper leaves its request as it is
	r.Body = body
	resp, err := provider.Send(r, g.base.RoundTrip)
	if err != nil || resp.StatusCode < 200 || resp.StatusCode > 299 {
		return resp, err
	}
	// The transport gives up on the rest of a request only when the answer was read.
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
		return nil, errors.New("the server answered before the value was sent")
	}
	return resp, nil
}

// sent is a request's body that tells whether all of it was read. Transports close it when they are
// done with it.
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

// watched notes why a transfer broke.
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
