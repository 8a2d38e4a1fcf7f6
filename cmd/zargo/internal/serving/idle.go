package serving

import (
	"net"
	"sync"
	"time"
)

// idle is a listener that calls end after a time without an open connection.
type idle struct {
	net.Listener
	after time.Duration

	mu    sync.Mutex
	open  int
	timer *time.Timer // calls end
}

func newIdle(l net.Listener, after time.Duration, end func()) *idle {
	return &idle{Listener: l, after: after, timer: time.AfterFunc(after, end)}
}

// Accept implements net.Listener.
func (l *idle) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.add(1)
	return &counted{Conn: c, closed: sync.OnceFunc(func() { l.add(-1) })}, nil
}

// add changes the number of open connections.
func (l *idle) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open += n; l.open == 0 {
		l.timer.Reset(l.after)
	} else {
		l.timer.Stop()
	}
}

// counted is a connection that reports its end once.
type counted struct {
	net.Conn
	closed func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	defer c.closed()
	return c.Conn.Close()
}
