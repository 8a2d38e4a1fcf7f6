package provider

import (
	"context"
	"net"
	"net/http"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
)

// Transport returns the transport for the requests to a bucket, and the function that gives its
// connections back. All stores of the process on the bucket have one transport, as they have the same
// request slots: so the second store finds connections, and there are never more than slots. t is
// used if it is the first. A store has t to itself if it fixes its requests, or trusts certificates
// of its own, or its bucket has no name.
//
// The connections are closed when the last store gives them back, those in use too.
func (s *Stack) Transport(bucket string, t *http.Transport) (_ *http.Transport, release func() error) {
	limits := s.limits()
	shared := limits.Requests
	if bucket == "" || s.InFlight > 0 || t.TLSClientConfig != nil && t.TLSClientConfig.RootCAs != nil {
		shared = nil
	}
	p := concurrency.Share(shared, bucket+s.rates(limits.Processes()), func() *pool { return newPool(t) })
	p.use(1)
	return p.transport, sync.OnceValue(func() error { p.use(-1); return nil })
}

// pool knows its connections, so that they can be closed: net/http closes idle ones only.
type pool struct {
	transport *http.Transport

	mu    sync.Mutex
	users int
	open  map[*conn]struct{}
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

// use adds a user, or takes one away. The last one closes all connections.
func (p *pool) use(n int) {
	p.mu.Lock()
	var open map[*conn]struct{}
	if p.users += n; p.users == 0 {
		open, p.open = p.open, map[*conn]struct{}{}
	}
	p.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close()
	}
}

type conn struct {
	net.Conn
	p *pool
}

// Write sends nothing when the pool has no user: net/http would else repeat a read, whose connection
// was closed under it, on one that is to be closed next.
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
