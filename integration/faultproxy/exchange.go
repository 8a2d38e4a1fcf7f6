package faultproxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
)

// exchange is one request and its answer.
type exchange struct {
	p      *Proxy
	cfg    *Config
	w      http.ResponseWriter
	r      *http.Request
	ticket ticket
	status int  // that was sent, or 0
	left   bool // not in flight any more
	held   int  // 0 or 1 bytes held back in last
	last   [1]byte
}

// run answers the request, or says by its error how the connection ends.
func (x *exchange) run() error {
	rng := x.p.choose.chance(x.cfg.Seed, x.r)
	delay := milliseconds(x.cfg.LatencyMS + x.cfg.JitterMS*rng.Float64())
	f := x.cfg.fate(x.r, rng)
	if err := x.p.wait(x.r.Context(), delay, false); err != nil {
		return err
	}
	switch f.Kind {
	case SlowDown:
		x.p.count.fault(x.ticket, f.Kind)
		return x.answer(S3Error(http.StatusServiceUnavailable, "SlowDown"))
	case Answer:
		x.p.count.fault(x.ticket, f.Kind)
		return x.answer(f)
	case Reset:
		x.p.count.fault(x.ticket, f.Kind)
		return errReset
	case Hang:
		x.p.count.fault(x.ticket, f.Kind)
		x.drain() // while there is a body to read, net/http does not notice that the client is gone
		if err := x.p.wait(x.r.Context(), milliseconds(f.HangMS), f.HangMS == 0); err != nil {
			return err
		}
		return errReset
	case None, Truncate, Lost:
		return x.forward(f)
	}
	return f.check() // only a Script can give an unknown kind
}

// answer sends a Fault's own answer.
func (x *exchange) answer(f Fault) error {
	x.drain() // a client that is still sending would see a reset and not the answer
	h := x.w.Header()
	h["Content-Type"] = nil // which keeps net/http from guessing one
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

// drain reads what is left of the request, as far as 64 MiB.
func (x *exchange) drain() {
	_, _ = io.Copy(io.Discard, io.LimitReader(x.body(), 64<<20)) // a client that has gone shows when it is answered
}

func (x *exchange) start(status int) {
	x.status = status
	x.w.WriteHeader(status)
}

// finish sends the byte that was held back, at whose arrival the client is done with this request.
func (x *exchange) finish() error {
	x.p.count.bytes(x.ticket, 0, x.held)
	x.leave()
	_, err := x.w.Write(x.last[:x.held])
	return err
}

// leave ends the time in flight.
func (x *exchange) leave() {
	if !x.left {
		x.left = true
		x.p.count.leave(x.ticket, x.status)
	}
}

// cut ends the connection: in mid-body so that what was sent still arrives, else by a reset.
func (x *exchange) cut(err error) {
	if errors.Is(err, errCut) {
		_ = http.NewResponseController(x.w).Flush() // the client may have gone
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
		_ = tcp.SetLinger(0) // Close then sends a reset; on failure it ends the connection all the same
	}
	_ = inner.Close()
}

// context ends with the request or with the proxy.
func (x *exchange) context() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(x.r.Context())
	stop := context.AfterFunc(x.p.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}
