package provider

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/zargo-io/zargo/concurrency"
)

// Transport returns the transport for requests to a bucket, and a function that releases it. All
// stores of the process on the bucket share one transport, just as they share the request slots. A
// second store therefore finds open connections, and the number of connections does not exceed the
// number of slots. The shared transport is the t of the first store. A store uses its own t if it
// has a fixed number of requests or its own root certificates, or if bucket is "".
//
// The transport manages its connections with the help of [Watch]:
//
//   - The number of connections does not exceed the number of requests in flight. A request may get
//     an idle connection while its own is still being made. The next request then waits for that
//     connection. Without this rule, slow TLS handshakes lead to more connections than requests.
//   - A connection is used for at most five minutes, so that the process follows changes in the
//     DNS. The last request contains the header "Connection: close".
//   - After a stall, all idle connections are closed, because they may lead to the same server or
//     through the same broken network.
//   - A gateway or a load balancer may have forgotten a connection that was idle for 15 s, and drop
//     its packets. A GET or HEAD on such a connection that gets no response within a second is
//     cancelled and sent again on a new connection, once. This time is longer if the server is
//     slow. Any other request might take effect twice. The transport closes such connections before
//     it.
//
// When the last store has called release, all connections are closed, even those in use. The next
// store gets a copy of the transport without connections.
func (s *Stack) Transport(bucket string, t *http.Transport) (_ http.RoundTripper, release func() error) {
	limits := s.limits()
	shared := limits.Requests
	if bucket == "" || s.InFlight > 0 || t.TLSClientConfig != nil && t.TLSClientConfig.RootCAs != nil {
		shared = nil
	}
	p := concurrency.Share(shared, bucket+s.rates(limits.Processes()), func() *pool { return newPool(t) })
	return pooled{p.use(1), p}, sync.OnceValue(func() error { p.use(-1); return nil })
}

// pooled is the transport of a pool.
type pooled struct {
	*http.Transport
	p *pool
}

// RoundTrip implements [http.RoundTripper].
func (t pooled) RoundTrip(r *http.Request) (*http.Response, error) {
	if !isRead(r) {
		t.p.closeForgotten()
	}
	if w, _ := r.Context().Value(watchKey{}).(*watch); w != nil && w.host == nil {
		w.host, w.pool = t.p.enter(r), t.p
	}
	return t.Transport.RoundTrip(r)
}

// pool records all connections of a transport, so that it can close them. net/http closes only idle
// connections.
type pool struct {
	mu        sync.Mutex
	transport *http.Transport
	users     int
	open      map[*conn]struct{}
	hosts     map[[2]string]*host // by scheme and host
	slowest   time.Duration       // longest time to a response after a failed trial; see patience
}

func newPool(t *http.Transport) *pool {
	p := &pool{transport: t, open: map[*conn]struct{}{}, hosts: map[[2]string]*host{}}
	connect := t.DialContext
	if connect == nil {
		connect = new(net.Dialer).DialContext
	}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		h, err := p.turn(ctx)
		if err != nil {
			return nil, err
		}
		nc, err := connect(ctx, network, addr)
		if err != nil {
			p.mu.Lock()
			p.drop(h)
			p.mu.Unlock()
			return nil, err
		}
		c := newConn(nc, p, h)
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.users == 0 {
			p.drop(h)
			_ = nc.Close()
			return nil, net.ErrClosed
		}
		p.open[c] = struct{}{}
		if w, _ := ctx.Value(watchKey{}).(*watch); w != nil {
			w.made.Store(c)
		}
		return c, nil
	}
	return p
}

// use adds n to the number of users, and returns the transport. When no users are left, it closes
// all connections, and replaces the transport by a copy. The old one does not notice at once that
// its idle connections are closed, and would use them for requests.
func (p *pool) use(n int) *http.Transport {
	p.mu.Lock()
	t := p.transport
	var open map[*conn]struct{}
	if p.users += n; p.users == 0 {
		open, p.open = p.open, map[*conn]struct{}{}
		p.transport = t.Clone()
	}
	p.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close()
	}
	return t
}
