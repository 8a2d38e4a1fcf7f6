package faultproxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"
)

// TB is the part of *testing.T and *testing.B that [Start] needs.
type TB interface {
	Helper()
	Fatal(args ...any)
	Error(args ...any)
	Cleanup(func())
}

// Start starts a proxy on a free port of 127.0.0.1. The proxy is closed at the end of the test.
func Start(t TB, target *url.URL, cfg Config) *Proxy {
	t.Helper()
	p, err := New(target, cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.start(t)
	return p
}

// StartLocal is like Start for [Local].
func StartLocal(t TB, h http.Handler, name func(*http.Request) string, cfg Config) *Proxy {
	t.Helper()
	p, err := Local(h, name, cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.start(t)
	return p
}

func (p *Proxy) start(t TB) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.listen(ln); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- p.serve(ln) }()
	t.Cleanup(func() {
		if err := errors.Join(p.Close(), <-done); err != nil {
			t.Error(err)
		}
	})
}

// Serve accepts connections on ln until [Proxy.Close], and then returns nil. It may be called once.
func (p *Proxy) Serve(ln net.Listener) error {
	if err := p.listen(ln); err != nil {
		return errors.Join(err, ln.Close())
	}
	return p.serve(ln)
}

func (p *Proxy) listen(ln net.Listener) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.listener != nil {
		return errors.New("faultproxy: Serve was called after Serve or Close")
	}
	p.addr = ln.Addr().String()
	p.listener = &http.Server{
		Handler:           p,
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // closed connections are intended
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			p.count.connection()
			return ctx
		},
	}
	return nil
}

func (p *Proxy) serve(ln net.Listener) error {
	if err := p.listener.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// URL returns the URL of the proxy, such as "http://127.0.0.1:40123", or "" before Serve.
func (p *Proxy) URL() string {
	if a := p.Addr(); a != "" {
		return "http://" + a
	}
	return ""
}

// Addr returns the host and port of the proxy, or "" before Serve.
func (p *Proxy) Addr() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.addr
}

// grace is the maximum time that Close waits for requests in flight. Tests end after their
// requests, so only requests that a client has abandoned are in flight then.
const grace = 2 * time.Second

// Close stops the proxy: hanging and waiting requests immediately, others after at most two
// seconds. When it returns, no handler runs and all connections are closed. A second Close returns
// nil.
func (p *Proxy) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	server := p.listener
	p.mu.Unlock()

	close(p.stop)
	done := make(chan struct{})
	go func() { p.handlers.Wait(); close(done) }()
	slow := time.AfterFunc(grace, p.cancel)
	defer slow.Stop()
	var err error
	if server != nil {
		err = shut(server, done)
	}
	<-done
	p.cancel()
	p.idle()
	return err
}

// shut closes the listener of the server immediately. It closes connections when their requests are
// done, or after grace.
func shut(server *http.Server, done <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	// Shutdown waits five seconds for connections on which no request was sent. A tenth of a second
	// is enough.
	go func() {
		select {
		case <-done:
			time.AfterFunc(100*time.Millisecond, cancel)
		case <-ctx.Done():
		}
	}()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}
