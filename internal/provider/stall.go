package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultStall is the default stall limit: the time without progress after which a request is
// cancelled and retried. The read timeouts of the AWS SDK for Java, Google's client for Java and
// boto3 are 30, 20 and 60 s. TCP retransmits a lost segment after 0.2, 0.6, 1.4, 3, 6.2, 12.6 and
// 25.4 s, so a request continues after an interruption of half a minute.
const DefaultStall = 30 * time.Second

// Maximum time between the end of a request and the header of the response, as a number of stall
// limits. A write takes longer than a read: the last bytes of the request may still be in a buffer
// of the kernel or a proxy, and the server stores the value before it responds.
const (
	patienceRead  = 1
	patienceWrite = 2
	patienceSlow  = 10
)

// ticks is the number of checks of a request within a stall limit. With 10 checks, a stall is
// detected after 1 to 1.1 times the limit.
const ticks = 10

// Doer sends a request, as the methods of [http.RoundTripper] and of clients do.
type Doer = func(*http.Request) (*http.Response, error)

type slowKey struct{}

// SlowAnswer marks requests whose responses may take minutes, such as the completion of an upload
// in many parts and the delete of a thousand keys. These responses may take ten stall limits.
func SlowAnswer(ctx context.Context) context.Context { return context.WithValue(ctx, slowKey{}, true) }

// Watch returns a Doer that calls do, and cancels a request if it makes no progress for the time
// limit. A request makes no progress if no byte of its body can be sent, if the header of the
// response does not arrive, or if no byte of the response body arrives. Each byte restarts the
// limit, so the total time is not limited. Two periods do not count: the wait for a connection,
// which the dialer limits, and the time when the caller does not read the body. A limit of 0 means
// DefaultStall.
//
// The error of a stalled request, or of the read of its response body, is a *StallError. The
// context of the request that do receives is cancelled, but the caller receives no error of package
// context. After a stall, the idle connections of the same pool are closed.
//
// A GET or HEAD that gets a connection which was idle for a while is sent again, on a new
// connection, if its response has not arrived soon; see [Stack.Transport].
func Watch(limit time.Duration, do Doer) Doer {
	if limit <= 0 {
		limit = DefaultStall
	}
	return func(r *http.Request) (*http.Response, error) {
		w := begin(r, limit)
		resp, err := w.send(r, do)
		if p := w.unanswered(); p != nil {
			if err == nil {
				_ = resp.Body.Close()
			}
			p.closeIdle()
			if a := attemptOf(r.Context()); a != nil {
				a.again(&StallError{After: w.trial, Doing: "no answer came over an idle connection"})
			}
			start := time.Now()
			w = begin(r, limit)
			w.patient = true
			resp, err = w.send(r, do)
			p.learn(time.Since(start))
		}
		return resp, err
	}
}

// Watched is like [Watch], but for a RoundTripper.
func Watched(limit time.Duration, rt http.RoundTripper) http.RoundTripper {
	return roundTripper(Watch(limit, rt.RoundTrip))
}

type roundTripper Doer

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// StallError is the error of a request that was cancelled because it made no progress.
type StallError struct {
	After time.Duration // time without progress
	Doing string        // the step without progress
}

func (e *StallError) Error() string { return "stalled: " + e.Doing + " for " + e.After.String() }

// Timeout returns true, as for other timeouts of package net.
func (e *StallError) Timeout() bool { return true }

// Stalled returns true. Package limit calls it.
func (e *StallError) Stalled() bool { return true }

// errStalled is the cause of the cancelled context of a stalled request.
var errStalled = errors.New("stalled")

// watch is the state of a request in flight.
type watch struct {
	context.Context // of the request

	limit    time.Duration
	patience int
	slow     bool
	patient  bool // set if the request may not be sent again
	reads    bool // set for a GET or HEAD without a body
	cancel   context.CancelCauseFunc
	hooks    httptrace.ClientTrace
	req      *http.Request // the request that do receives
	body     watchedBody

	up         atomic.Uint64 // changes when bytes of the body are sent or a connection is made
	down       atomic.Uint64 // changes at the start and end of a read of the response; odd during a read
	connecting atomic.Bool
	sent       atomic.Bool
	answered   atomic.Bool
	conn       atomic.Pointer[conn] // nil if no connection of a pool is in use
	made       atomic.Pointer[conn] // latest connection that was made for the request
	pool       *pool                // nil for another transport
	host       *host                // of the pool

	mu       sync.Mutex
	timer    *time.Timer
	over     bool
	ended    bool
	stall    *StallError
	lastUp   uint64
	lastDown uint64
	still    int           // ticks without a change
	trial    time.Duration // if not 0, the next tick is the end of a trial of this time; see try
	silent   *pool         // pool of the connection whose trial failed, or nil
	served   chan struct{} // closed when connecting becomes false; nil if no request waits
}

type watchKey struct{}

// Value implements [context.Context]. The dialer of a pool uses it to find the watch of the request
// that it connects for.
func (w *watch) Value(key any) any {
	if key == (watchKey{}) {
		return w
	}
	return w.Context.Value(key)
}

func begin(r *http.Request, limit time.Duration) *watch {
	w := &watch{limit: limit, patience: patienceWrite}
	if isRead(r) {
		w.patience = patienceRead
	}
	if w.slow, _ = r.Context().Value(slowKey{}).(bool); w.slow {
		w.patience = patienceSlow
	}
	w.sent.Store(r.Body == nil || r.Body == http.NoBody)
	w.reads = isRead(r) && w.sent.Load()
	w.Context, w.cancel = context.WithCancelCause(r.Context())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit/ticks, w.tick)
	return w
}

func isRead(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == ""
}

// send sends r with do and watches it until the end of the response.
func (w *watch) send(r *http.Request, do Doer) (*http.Response, error) {
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
	w.body = watchedBody{resp.Body, w}
	resp.Body = &w.body
	return resp, nil
}

// request returns r with hooks that record its progress.
func (w *watch) request(r *http.Request) *http.Request {
	body := r.Body
	w.hooks = httptrace.ClientTrace{
		GetConn: func(string) { w.connecting.Store(true) },
		GotConn: w.got,
		Got1xxResponse: func(int, textproto.MIMEHeader) error { // the server is still processing the request
			w.up.Add(1)
			return nil
		},
		TLSHandshakeDone: func(tls.ConnectionState, error) {
			if c := w.made.Load(); c != nil {
				c.secured()
			}
		},
	}
	r = r.WithContext(httptrace.WithClientTrace(w, &w.hooks))
	w.req = r
	if !w.sent.Load() {
		r.Header = maps.Clone(r.Header) // for last
		r.Body = &sending{body, w}
		if again := r.GetBody; again != nil { // net/http calls it if a pooled connection was closed
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

// got records that the request has got a connection.
func (w *watch) got(i httptrace.GotConnInfo) {
	w.up.Add(1)
	w.connected()
	c, a := connOf(i.Conn), attemptOf(w)
	w.conn.Store(c)
	if c == nil {
		if a != nil {
			a.connected(i.Conn.RemoteAddr().String(), i.Reused, 0)
		}
		return
	}
	first, idle, old := c.take()
	if a != nil {
		a.connected(c.remote, !first, c.tls(first))
	}
	if old {
		w.last()
	}
	if patience := c.p.patience(); i.Reused && idle > forgetful && w.reads && !w.patient && patience < w.limit {
		w.try(patience)
	}
}

// last makes the request the last one of its connection. net/http sends the fields of w.req after
// the hook got, unless it has copied the request because of its body. The map of the header is then
// still the same, and the server closes the connection.
func (w *watch) last() {
	if w.req.Body == nil || w.req.Body == http.NoBody {
		w.req.Close = true
	} else {
		w.req.Header.Set("Connection", "close")
	}
}

// try starts a trial of a connection: a request without a response after d is cancelled.
func (w *watch) try(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.trial, w.lastUp = d, w.up.Load()
		w.timer.Reset(d)
	}
}

// unanswered returns the pool of the connection if its trial failed, and nil otherwise.
func (w *watch) unanswered() *pool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.silent
}

// connected ends the wait for a connection.
func (w *watch) connected() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.connecting.Store(false)
	if w.served != nil {
		close(w.served)
		w.served = nil
	}
}

// wait returns a channel that is closed when the request no longer waits for a connection. It
// returns nil if the request does not wait.
func (w *watch) wait() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.connecting.Load() {
		return nil
	}
	if w.served == nil {
		w.served = make(chan struct{})
	}
	return w.served
}

// tick checks for progress since the last tick, and cancels the request at the limit.
func (w *watch) tick() {
	if c := w.conn.Load(); w.stalls() && c != nil {
		c.p.closeIdle()
	}
}

// stalls does the work of tick and reports whether the request has stalled.
func (w *watch) stalls() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return false
	}
	if w.trial > 0 && w.silent == nil {
		if c := w.conn.Load(); c != nil && !w.answered.Load() && w.up.Load() == w.lastUp {
			w.silent, w.over = c.p, true
			w.cancel(errStalled)
			return false
		}
		w.trial = 0
	}
	limit, doing := ticks, ""
	up, down := w.up.Load(), w.down.Load()
	moved := up != w.lastUp || down != w.lastDown
	w.lastUp, w.lastDown = up, down
	switch {
	case w.answered.Load():
		moved = moved || down%2 == 0 // the caller is not reading
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
		return true
	}
	w.timer.Reset(w.limit / ticks)
	return false
}

// finish ends the watch when the request has ended. Only the first call has an effect.
func (w *watch) finish() {
	w.mu.Lock()
	ended := w.ended
	w.ended = true
	if !w.over {
		w.over = true
		w.timer.Stop()
		w.cancel(nil)
	}
	w.mu.Unlock()
	if ended {
		return
	}
	w.connected()
	if c := w.conn.Swap(nil); c != nil {
		c.rest()
	}
	if w.host != nil {
		w.pool.leave(w.host)
	}
}

// explain returns the StallError if the request has stalled, and err otherwise.
func (w *watch) explain(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stall != nil {
		return w.stall
	}
	return err
}

// sending is the body of a request.
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

// watchedBody is the body of a response.
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
