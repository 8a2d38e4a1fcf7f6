package provider

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// turn waits until the request of ctx needs a new connection, and counts the connection. It returns
// errServed if the request gets another connection first.
//
// net/http makes a connection for each request that finds no idle one, and lets the request wait
// for both, the new connection and one that becomes idle. A new connection that takes long is
// therefore often in excess. turn waits while there is a connection for each request. The host is
// nil for requests without a watch, which do not wait.
func (p *pool) turn(ctx context.Context) (*host, error) {
	w, _ := ctx.Value(watchKey{}).(*watch)
	if w == nil || w.host == nil {
		return nil, nil
	}
	h, timer := w.host, time.NewTimer(hung)
	defer timer.Stop()
	for waits := true; ; {
		p.mu.Lock()
		if h.conns < h.requests || !waits {
			h.conns++
			p.mu.Unlock()
			return h, nil
		}
		if h.fewer == nil {
			h.fewer = make(chan struct{})
		}
		fewer := h.fewer
		p.mu.Unlock()
		served := w.wait()
		if served == nil {
			return nil, errServed
		}
		select {
		case <-served:
			return nil, errServed
		case <-fewer:
		case <-timer.C:
			waits = false
		}
	}
}

// host counts the requests and the connections of a pool to one host. The pool's mutex protects it.
type host struct {
	name     [2]string     // scheme and host
	requests int           // from their start to the end of their responses
	conns    int           // including those that are being made
	fewer    chan struct{} // closed when conns falls; nil if no request waits
}

// enter returns the host of r, and counts r as one of its requests.
func (p *pool) enter(r *http.Request) *host {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := [2]string{r.URL.Scheme, r.URL.Host}
	h := p.hosts[name]
	if h == nil {
		h = &host{name: name}
		p.hosts[name] = h
	}
	h.requests++
	return h
}

// leave ends a request to h.
func (p *pool) leave(h *host) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.requests--
	p.forget(h)
}

// forget removes a host without requests and connections. A server can redirect requests to any
// number of hosts. The caller holds mu.
func (p *pool) forget(h *host) {
	if h.requests == 0 && h.conns == 0 && p.hosts[h.name] == h {
		delete(p.hosts, h.name)
	}
}

// hung is the time after which a request does not wait for another connection than its own. TCP
// repeats a lost SYN after this time.
const hung = time.Second

// errServed is the error of a connection that no request waits for. net/http drops it.
var errServed = errors.New("the request has another connection")

// drop ends a connection to h, which may be nil. The caller holds mu.
func (p *pool) drop(h *host) {
	if h == nil {
		return
	}
	h.conns--
	p.forget(h)
	if h.fewer != nil {
		close(h.fewer)
		h.fewer = nil
	}
}
