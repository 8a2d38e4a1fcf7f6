package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/zargo-io/zargo/zarr/store"
)

// Traced returns a Doer that calls do and reports requests to the store.Trace in the context of the
// request. It reports the header of each response, and each attempt when the attempt ends. If the
// context has no trace, Traced passes the request to do unchanged.
func Traced(do Doer) Doer {
	return func(r *http.Request) (*http.Response, error) {
		t := store.TraceOf(r.Context())
		if t == nil || t.Attempt == nil && t.FirstByte == nil {
			return do(r)
		}
		c := callOf(r.Context())
		a := &attempt{t: t, Context: r.Context(), start: time.Now(), is: store.Attempt{Op: c.Op, Key: c.Key, Method: r.Method, Host: r.URL.Host}}
		resp, err := do(a.request(r))
		if err != nil {
			a.over(err)
			return resp, err
		}
		a.head(resp)
		if resp.Body == nil || resp.Body == http.NoBody {
			a.over(nil)
			return resp, nil
		}
		resp.Body = &tracedBody{resp.Body, a}
		return resp, nil
	}
}

// TracedTransport is like [Traced], but for a RoundTripper.
func TracedTransport(rt http.RoundTripper) http.RoundTripper {
	return roundTripper(Traced(rt.RoundTrip))
}

// attempt is a request in flight. It reports its events to a trace.
type attempt struct {
	context.Context // of the request

	t     *store.Trace
	start time.Time

	mu   sync.Mutex
	is   store.Attempt
	done bool
}

type attemptKey struct{}

// Value implements [context.Context]. [Watch] uses it to find the attempt of a request.
func (a *attempt) Value(key any) any {
	if key == (attemptKey{}) {
		return a
	}
	return a.Context.Value(key)
}

// attemptOf returns the attempt of a request with the context ctx, or nil.
func attemptOf(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// connected records the connection of the attempt.
func (a *attempt) connected(remote string, reused bool, tls time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.is.Remote, a.is.Reused, a.is.TLS = remote, reused, tls
}

// again reports the end of an attempt whose request is sent again, and starts the next one.
func (a *attempt) again(err error) {
	now := time.Now()
	a.mu.Lock()
	is := a.is
	is.Err, is.Took = err, now.Sub(a.start)
	a.is = store.Attempt{Op: is.Op, Key: is.Key, Method: is.Method, Host: is.Host}
	a.start = now
	a.mu.Unlock()
	if a.t.Attempt != nil {
		a.t.Attempt(a.Context, is)
	}
}

// request returns r with the context of a, and with a body that counts the sent bytes.
func (a *attempt) request(r *http.Request) *http.Request {
	counted := r.WithContext(a)
	if r.Body == nil || r.Body == http.NoBody {
		return counted
	}
	counted.Body = &countedBody{r.Body, a}
	if again := r.GetBody; again != nil { // net/http calls it if a pooled connection was closed
		counted.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return &countedBody{body, a}, nil
		}
	}
	return counted
}

func (a *attempt) head(resp *http.Response) {
	after := time.Since(a.start)
	a.mu.Lock()
	a.is.Status, a.is.FirstByte, a.is.Request = resp.StatusCode, after, RequestID(resp.Header)
	a.mu.Unlock()
	if a.t.FirstByte != nil {
		a.t.FirstByte(a.Context, store.FirstByte{Op: a.is.Op, Key: a.is.Key, Status: resp.StatusCode, Announced: resp.ContentLength, After: after})
	}
}

// over reports the end of the attempt. Only the first call has an effect.
func (a *attempt) over(err error) {
	a.mu.Lock()
	done := a.done
	a.done = true
	a.is.Err, a.is.Took = err, time.Since(a.start)
	is := a.is
	a.mu.Unlock()
	if !done && a.t.Attempt != nil {
		a.t.Attempt(a.Context, is)
	}
}

// countedBody is the body of a request.
type countedBody struct {
	io.ReadCloser
	a *attempt
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.a.mu.Lock()
	b.a.is.Sent += int64(n)
	b.a.mu.Unlock()
	return n, err
}

// tracedBody is the body of a response.
type tracedBody struct {
	body io.ReadCloser
	a    *attempt
}

func (b *tracedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.a.mu.Lock()
	b.a.is.Received += int64(n)
	b.a.mu.Unlock()
	switch {
	case errors.Is(err, io.EOF):
		b.a.over(nil)
	case err != nil:
		b.a.over(err)
	}
	return n, err
}

func (b *tracedBody) Close() error {
	err := b.body.Close()
	b.a.over(err)
	return err
}

type callKey struct{}

// withCall returns a copy of ctx that contains c, a call of a store method. Each [store.Attempt] of
// a request with this context then contains the operation and the key of the call.
func withCall(ctx context.Context, c store.Call) context.Context {
	return context.WithValue(ctx, callKey{}, &c)
}

// callOf returns the call in a context that withCall returned, or the zero Call for other contexts.
func callOf(ctx context.Context) store.Call {
	if c, _ := ctx.Value(callKey{}).(*store.Call); c != nil {
		return *c
	}
	return store.Call{}
}
