package faultproxy

import (
	"context"
	"io"
	"time"
)

// body returns the body of the request, limited to the configured rate and counted.
func (x *exchange) body() io.ReadCloser {
	return &requestBody{paced{r: x.r.Body, p: x.p, ctx: x.r.Context(), bps: x.cfg.WriteBPS}, x}
}

// paced is a reader that delivers at most bps bytes per second.
type paced struct {
	r     io.Reader
	p     *Proxy
	ctx   context.Context
	bps   int64 // 0 means unlimited
	since time.Time
	n     int64
}

func (b *paced) Read(buf []byte) (int, error) {
	if b.bps > 0 {
		if b.since.IsZero() {
			b.since = time.Now()
		}
		// Each read takes a twentieth of a second, so that clients that measure the rate find it
		// steady.
		buf = buf[:min(len(buf), int(max(1, min(b.bps/20, 64<<10))))]
	}
	n, err := b.r.Read(buf)
	b.n += int64(n)
	if b.bps > 0 {
		due := b.since.Add(time.Duration(float64(b.n) / float64(b.bps) * float64(time.Second)))
		if werr := b.p.wait(b.ctx, time.Until(due), false); werr != nil {
			return n, werr
		}
	}
	return n, err
}

type requestBody struct {
	paced
	x *exchange
}

func (b *requestBody) Read(buf []byte) (int, error) {
	n, err := b.paced.Read(buf)
	if n > 0 {
		b.x.p.count.bytes(b.x.ticket, n, 0)
	}
	return n, err
}

func (b *requestBody) Close() error { return b.x.r.Body.Close() }

// counted writes to the client and counts the bytes.
type counted struct{ x *exchange }

func (w counted) Write(b []byte) (int, error) {
	n, err := w.x.w.Write(b)
	w.x.p.count.bytes(w.x.ticket, 0, n)
	return n, err
}

// writer writes all but the last byte to the client. [exchange.finish] sends the last byte, after
// the request has left the statistics of requests in flight.
type writer struct{ x *exchange }

func (w writer) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if w.x.held == 1 {
		if _, err := counted(w).Write(w.x.last[:]); err != nil {
			return 0, err
		}
	}
	w.x.held, w.x.last[0] = 1, b[len(b)-1]
	if n, err := counted(w).Write(b[:len(b)-1]); err != nil {
		return n, err
	}
	return len(b), nil
}
