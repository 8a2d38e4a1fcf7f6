package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultStall is how long a request may stand still before it is given up and tried again. 30 s:
// the read timeout of the AWS SDK for Java is 30 s, that of Google's client for Java 20 s, that of
// boto3 60 s. TCP sends a lost segment again after 0.2, 0.6, 1.4, 3, 6.2, 12.6 and 25.4 s, so a
// path that is back within half a minute goes on by itself.
const DefaultStall = 30 * time.Second

// How many stall limits the header of an answer may take, counted from the end of the request. A
// read's comes at once. A write's does not: its last bytes may still be in the kernel's or a
// proxy's buffer, and the server stores them first.
const (
	patienceRead  = 1
	patienceWrite = 2
	patienceSlow  = 10
)

// ticks is how often within the limit a request is looked at: a stall is noticed after 1 to 1.1
// limits.
const ticks = 10

// Doer makes a request: an [http.RoundTripper] or a client.
type Doer = func(*http.Request) (*http.Response, error)

type slowKey struct{}

// SlowAnswer marks requests whose answer may take the server minutes: the end of an upload in many
// parts, the deletion of a thousand keys. They may stand still for ten stall limits.
func SlowAnswer(ctx context.Context) context.Context { return context.WithValue(ctx, slowKey{}, true) }

// Watch makes requests by do and gives up those that stand still for the limit: none of the
// request's body could be sent, no header of an answer comes, none of its body arrives. Every byte
// starts the limit anew, so there is no limit on the whole. Not counted are the time that a request
// waits for its connection, which the dialer bounds, and the time in which the caller does not read
// the answer. limit 0 is DefaultStall.
//
// The error is a *StallError, of the request or of a read of the answer's body. It is none of
// package context's, even though do sees its context cancelled.
func Watch(limit time.Duration, do Doer) Doer {
	if limit <= 0 {
		limit = DefaultStall
	}
	return func(r *http.Request) (*http.Response, error) {
		w := begin(r, limit)
		resp, err := do(w.request(r))
		if err != nil {
			w.finish()
			return resp, w.explain(err)
		}
		w.answered.Store(true)
		if resp.Body == nil || resp.Body == http.NoBody {
			w.finish()
			return resp, nil
		}
		resp.Body = &watchedBody{resp.Body, w}
		return resp, nil
	}
}

// Watched is a RoundTripper with a stall limit, see Watch.
func Watched(limit time.Duration, rt http.RoundTripper) http.RoundTripper {
	return roundTripper(Watch(limit, rt.RoundTrip))
}

type roundTripper Doer

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// StallError is the failure of a request that stood still. It is no end of the caller's context.
type StallError struct {
	After time.Duration // how long nothing moved
	Doing string        // what did not move
}

func (e *StallError) Error() string { return "stalled: " + e.Doing + " for " + e.After.String() }

// Timeout is true, as for other timeouts of package net.
func (e *StallError) Timeout() bool { return true }

// errStalled is what the transport sees as the cause of its cancelled context.
var errStalled = errors.New("stalled")

// watch is a request under way.
type watch struct {
	limit    time.Duration
	patience int
	slow     bool
	ctx      context.Context // of the request
	cancel   context.CancelCauseFunc

	up         atomic.Uint64 // changes when some of the request's body is sent or a connection is had
	down       atomic.Uint64 // changes when a read of the answer begins and ends: odd while it waits
	connecting atomic.Bool
	sent       atomic.Bool
	answered   atomic.Bool

	mu       sync.Mutex
	timer    *time.Timer
	over     bool
	stall    *StallError
	lastUp   uint64
	lastDown uint64
	still    int // ticks without a change
}

func begin(r *http.Request, limit time.Duration) *watch {
	w := &watch{limit: limit, patience: patienceWrite}
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == "" {
		w.patience = patienceRead
	}
	if w.slow, _ = r.Context().Value(slowKey{}).(bool); w.slow {
		w.patience = patienceSlow
	}
	w.sent.Store(r.Body == nil || r.Body == http.NoBody)
	w.ctx, w.cancel = context.WithCancelCause(r.Context())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit/ticks, w.tick)
	return w
}

// request is r as the transport gets it.
func (w *watch) request(r *http.Request) *http.Request {
	body := r.Body
	r = r.WithContext(httptrace.WithClientTrace(w.ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.connecting.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { w.up.Add(1); w.connecting.Store(false) },
		Got1xxResponse: func(int, textproto.MIMEHeader) error { // a server that is still at it
			w.up.Add(1)
			return nil
		},
	}))
	if !w.sent.Load() {
		r.Body = &sending{body, w}
		if again := r.GetBody; again != nil { // for a pooled connection that turns out to be closed
			r.GetBody = func() (io.ReadCloser, error) {
				body, err := again()
				if err != nil {
					return nil, err
				}
				w.sent.Store(false)
				return &sending{body, w}, nil
			}
		}
	}
	return r
}

// tick looks whether anything moved since the last tick.
func (w *watch) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	limit, doing := ticks, ""
	up, down := w.up.Load(), w.down.Load()
	moved := up != w.lastUp || down != w.lastDown
	w.lastUp, w.lastDown = up, down
	switch {
	case w.answered.Load():
		moved = moved || down%2 == 0 // nobody reads
		doing = "no byte of the answer's body came"
		if w.slow {
			limit = ticks * patienceSlow
		}
	case w.connecting.Load():
		moved = true
	case w.sent.Load():
		doing = "no answer came"
		limit = ticks * w.patience
	default:
		doing = "no byte of the value could be sent"
	}
	if moved {
		w.still = 0
	} else {
		w.still++
	}
	if w.still >= limit {
		w.stall = &StallError{After: w.limit * time.Duration(limit/ticks), Doing: doing}
		w.over = true
		w.cancel(errStalled)
		return
	}
	w.timer.Reset(w.limit / ticks)
}

// finish ends the watch: the request is over.
func (w *watch) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.over = true
		w.timer.Stop()
		w.cancel(nil)
	}
}

// explain replaces the error of a request that was given up.
func (w *watch) explain(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stall != nil {
		return w.stall
	}
	return err
}

// sending is the request's body.
type sending struct {
	io.ReadCloser
	w *watch
}

func (s *sending) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.w.up.Add(1)
	if err != nil {
		s.w.sent.Store(true)
	}
	return n, err
}

func (s *sending) Close() error {
	s.w.sent.Store(true)
	return s.ReadCloser.Close()
}

// watchedBody is the answer's body.
type watchedBody struct {
	body io.ReadCloser
	w    *watch
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.w.down.Add(1)
	n, err := b.body.Read(p)
	b.w.down.Add(1)
	if err != nil {
		b.w.finish()
		if !errors.Is(err, io.EOF) {
			err = b.w.explain(err)
		}
	}
	return n, err
}

func (b *watchedBody) Close() error {
	err := b.body.Close()
	b.w.finish()
	return err
}
