package s3

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// conns knows a store's connections, so that Close can give them back: the SDK's client has no way
// to, and idle ones would stay for 90 s.
type conns struct {
	mu     sync.Mutex
	open   map[*conn]struct{}
	closed bool
}

// track makes a transport's connections known.
func (cs *conns) track(t *http.Transport) {
	dial := t.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		nc, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := &conn{nc, cs}
		cs.mu.Lock()
		defer cs.mu.Unlock()
		if cs.closed {
			_ = nc.Close()
			return nil, net.ErrClosed
		}
		if cs.open == nil {
			cs.open = map[*conn]struct{}{}
		}
		cs.open[c] = struct{}{}
		return c, nil
	}
}

// close closes all connections, also those in use.
func (cs *conns) close() error {
	cs.mu.Lock()
	open := cs.open
	cs.open, cs.closed = nil, true
	cs.mu.Unlock()
	for c := range open {
		_ = c.Conn.Close()
	}
	return nil
}

type conn struct {
	net.Conn
	cs *conns
}

// Write sends nothing after close: net/http would else repeat a read, whose connection was closed
// under it, on one that is to be closed next.
func (c *conn) Write(b []byte) (int, error) {
	c.cs.mu.Lock()
	closed := c.cs.closed
	c.cs.mu.Unlock()
	if closed {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(b)
}

func (c *conn) Close() error {
	c.cs.mu.Lock()
	delete(c.cs.open, c)
	c.cs.mu.Unlock()
	return c.Conn.Close()
}
