package faultproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// exchange is one request and its response.
type exchange struct {
	p      *Proxy
	cfg    *Config
	w      http.ResponseWriter
	r      *http.Request
	ticket ticket
	status int  // sent status, or 0
	left   bool // no longer in flight
	held   int  // number of bytes held back in last, 0 or 1
	last   [1]byte
}

// run responds to the request. The returned error determines how the connection is closed.
func (x *exchange) run() error {
	rng, nth := x.p.choose.chance(x.cfg.Seed, x.r)
	delay := milliseconds(x.cfg.LatencyMS + x.cfg.JitterMS*rng.Float64())
	f := x.cfg.fate(x.r, nth, rng)
	if rng.Float64() < x.cfg.TailShare {
		delay = time.Duration(float64(delay) * x.cfg.TailFactor)
	}
	if !x.p.limit.allows(x.cfg.RPS) {
		f = Fault{Kind: SlowDown}
	}
	if err := x.p.wait(x.r.Context(), delay, false); err != nil {
		return err
	}
	switch f.Kind {
	case SlowDown:
		x.p.count.fault(x.ticket, f.Kind)
		return x.answer(S3Error(http.StatusServiceUnavailable, "SlowDown"))
	case InternalError:
		x.p.count.fault(x.ticket, f.Kind)
		return x.answer(S3Error(http.StatusInternalServerError, "InternalError"))
	case Answer:
		x.p.count.fault(x.ticket, f.Kind)
		return x.answer(f)
	case Reset:
		x.p.count.fault(x.ticket, f.Kind)
		return errReset
	case Hang:
		x.p.count.fault(x.ticket, f.Kind)
		x.drain() // net/http detects that the client has disconnected only after the body is read
		if err := x.p.wait(x.r.Context(), milliseconds(f.HangMS), f.HangMS == 0); err != nil {
			return err
		}
		return errReset
	case None, Truncate, Lost, Corrupt:
		return x.forward(f)
	}
	return f.check() // only a Script can return an unknown kind
}

// answer sends the response that a Fault specifies.
func (x *exchange) answer(f Fault) error {
	x.drain() // a client that is still sending would see a reset instead of the response
	h := x.w.Header()
	h["Content-Type"] = nil // prevents net/http from guessing a content type
	if f.ContentType != "" {
		h.Set("Content-Type", f.ContentType)
	}
	if f.Status == 0 {
		f.Status = http.StatusOK
	}
	x.start(f.Status)
	if x.r.Method != http.MethodHead {
		if _, err := io.WriteString(writer{x}, f.Body); err != nil {
			return err
		}
	}
	return x.finish()
}

// drain reads the rest of the request, at most 64 MiB.
func (x *exchange) drain() {
	// Errors are ignored: if the client has disconnected, the write of the response fails.
	_, _ = io.Copy(io.Discard, io.LimitReader(x.body(), 64<<20))
}

func (x *exchange) start(status int) {
	x.status = status
	x.w.WriteHeader(status)
}

// finish sends the byte that [writer] held back. When the client receives this byte, the request is
// complete.
func (x *exchange) finish() error {
	x.p.count.bytes(x.ticket, 0, x.held)
	x.leave()
	_, err := x.w.Write(x.last[:x.held])
	return err
}

// leave records that the request is no longer in flight.
func (x *exchange) leave() {
	if !x.left {
		x.left = true
		x.p.count.leave(x.ticket, x.status)
	}
}

// cut closes the connection. For errCut, which ends a body in the middle, the bytes sent so far
// still arrive. For other errors, the connection is reset.
func (x *exchange) cut(err error) {
	if errors.Is(err, errCut) {
		_ = http.NewResponseController(x.w).Flush() // the client may have disconnected
	}
	x.leave()
	if x.status == 0 {
		if conn, _, err := http.NewResponseController(x.w).Hijack(); err == nil {
			reset(conn)
			return
		}
	}
	panic(http.ErrAbortHandler)
}

func reset(conn net.Conn) {
	inner := conn
	if t, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		inner = t.NetConn()
	}
	if tcp, ok := inner.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset at Close; if this fails, an ordinary close
	}
	_ = inner.Close()
}

// context returns a context that ends with the request or with the proxy.
func (x *exchange) context() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(x.r.Context())
	stop := context.AfterFunc(x.p.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
