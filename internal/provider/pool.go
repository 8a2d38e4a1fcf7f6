package provider

import (
	"context"
	"net"
	"net/http"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
)

// Transport returns the transport for requests to a bucket, and a function that releases it. All
// stores of the process on the bucket share one transport, just as they share the request slots. A
// second store therefore finds open connections, and the number of connections does not exceed the
// number of slots. The shared transport is the t of the first store. A store uses its own t if it
// has a fixed number of requests or its own root certificates, or if bucket is "".
//
// When the last store has called release, all connections are closed, even those in use. The next
// store gets a copy of the transport without connections.
func (s *Stack) Transport(bucket string, t *http.Transport) (_ *http.Transport, release func() error) {
	limits := s.limits()
	shared := limits.Requests
	if bucket == "" || s.InFlight > 0 || t.TLSClientConfig != nil && t.TLSClientConfig.RootCAs != nil {
		shared = nil
	}
	p := concurrency.Share(shared, bucket+s.rates(limits.Processes()), func() *pool { return newPool(t) })
	return p.use(1), sync.OnceValue(func() error { p.use(-1); return nil })
}

// pool records all connections of a transport, so that it can close them. net/http closes only idle
// connections.
type pool struct {
	mu        sync.Mutex
	transport *http.Transport
	users     int
	open      map[*conn]struct{}
}

func newPool(t *http.Transport) *pool {
	p := &pool{transport: t, open: map[*conn]struct{}{}}
	dial := t.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := &conn{nc, p}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.users == 0 {
			_ = nc.Close()
			return nil, net.ErrClosed
		}
		p.open[c] = struct{}{}
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

type conn struct {
	net.Conn
	p *pool
}

// Write fails if the pool is unused. When use closes a connection, net/http retries the read on
// another connection, which use is about to close. The error prevents that retry.
func (c *conn) Write(b []byte) (int, error) {
	c.p.mu.Lock()
	unused := c.p.users == 0
	c.p.mu.Unlock()
	if unused {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(b)
}

func (c *conn) Close() error {
	c.p.mu.Lock()
	delete(c.p.open, c)
	c.p.mu.Unlock()
	return c.Conn.Close()
}
