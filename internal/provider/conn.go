package provider

import (
	"math/rand/v2"
	"net"
	"time"
)

// conn is a connection of a pool. The pool's mutex protects the fields from free on.
type conn struct {
	net.Conn
	p       *pool
	remote  string
	made    time.Time
	expires time.Time     // without a monotonic reading, as free, because the machine may be suspended
	free    time.Time     // time since which no request uses the connection; zero during a request
	used    bool          // set after the first request has got the connection
	secure  time.Duration // time from made to the end of the TLS handshake
	host    *host         // nil after Close, and for a connection that is not counted
}

const (
	// lifetime is the maximum age of a connection for another request. Providers change the
	// addresses of their names to balance load and to replace servers, and keep serving the old
	// addresses for a while.
	lifetime = 5 * time.Minute
	// forgetful is the time after which a gateway may have forgotten an idle connection. The
	// gateways of clouds forget after 240 s (Azure) or 350 s (AWS), others after 30 s.
	forgetful = 15 * time.Second
	// shortTrial is the minimum time of a trial. It is TCP's initial time for a repetition
	// (RFC 6298).
	shortTrial = time.Second
)

func newConn(c net.Conn, p *pool, h *host) *conn {
	made := time.Now()
	now := made.Round(0)
	// Connections that were made together are replaced one after another.
	life := lifetime - rand.N(lifetime/4)
	return &conn{Conn: c, p: p, remote: c.RemoteAddr().String(), made: made, expires: now.Add(life), free: now, host: h}
}

// connOf returns the connection of a pool below c, which may be a TLS connection. It returns nil
// for other connections.
func connOf(c net.Conn) *conn {
	for {
		switch t := c.(type) {
		case *conn:
			return t
		case interface{ NetConn() net.Conn }:
			c = t.NetConn()
		default:
			return nil
		}
	}
}

// secured records the end of the TLS handshake.
func (c *conn) secured() {
	took := time.Since(c.made)
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.secure = took
}

// tls returns the time of the TLS handshake if the request is the first one, and 0 otherwise.
func (c *conn) tls(first bool) time.Duration {
	if !first {
		return 0
	}
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	return c.secure
}

// take marks c as used by a request. It returns whether this request is the first one, the time
// during which c was idle, and whether this request must be the last one.
func (c *conn) take() (first bool, idle time.Duration, old bool) {
	now := time.Now().Round(0)
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if !c.free.IsZero() {
		idle = now.Sub(c.free)
	}
	first, c.used, c.free = !c.used, true, time.Time{}
	return first, idle, now.After(c.expires)
}

// rest marks c as idle at the end of a request.
func (c *conn) rest() {
	now := time.Now().Round(0)
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	c.free = now
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
	c.p.drop(c.host)
	c.host = nil
	c.p.mu.Unlock()
	return c.Conn.Close()
}

// closeIdle closes the idle connections of p.
func (p *pool) closeIdle() {
	p.mu.Lock()
	t := p.transport
	p.mu.Unlock()
	t.CloseIdleConnections()
}

// closeForgotten closes the idle connections of p if one of them was idle for so long that a
// gateway may have forgotten it.
func (p *pool) closeForgotten() {
	now := time.Now().Round(0)
	forgotten := false
	p.mu.Lock()
	for c := range p.open {
		forgotten = forgotten || !c.free.IsZero() && now.Sub(c.free) > forgetful
	}
	p.mu.Unlock()
	if forgotten {
		p.closeIdle()
	}
}

// patience returns the time of a trial: how long a request waits for its response on a connection
// that may be forgotten.
func (p *pool) patience() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(shortTrial, 2*p.slowest)
}

// learn records the time until the response on the connection after a failed trial. If it is long,
// the server is slow, and the next trials take longer.
func (p *pool) learn(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slowest = max(p.slowest, took)
}
