package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Proxy is an [http.Handler]. Create it with [New] or [Start].
type Proxy struct {
	target *url.URL
	server http.RoundTripper // the target
	idle   func()            // closes idle connections to the target
	name   func(*http.Request) string
	count  counters
	limit  limiter
	choose chooser

	mu       sync.Mutex
	cfg      Config
	closed   bool
	listener *http.Server   // nil before Serve
	addr     string         // empty before Serve
	handlers sync.WaitGroup // running handlers; it is increased under mu and only if the proxy is not closed
	stop     chan struct{}  // closed by Close to end all waits
	ctx      context.Context
	cancel   context.CancelFunc // cancels the requests to the target
}

// New returns a proxy of target, which must consist of a scheme and a host. The caller must close
// it.
func New(target *url.URL, cfg Config) (*Proxy, error) {
	if (target.Scheme != "http" && target.Scheme != "https") || target.Host == "" || strings.Trim(target.Path, "/") != "" {
		return nil, fmt.Errorf("faultproxy: the target must have the form http://host:port, is %q", target)
	}
	transport := &http.Transport{
		MaxIdleConns:        0,
		MaxIdleConnsPerHost: 4096, // more than any client has in flight
		IdleConnTimeout:     time.Minute,
		DisableCompression:  true, // does not change the signed Accept-Encoding
	}
	return (&Proxy{target: target, server: transport, idle: transport.CloseIdleConnections}).init(cfg)
}

// Local returns a proxy of a handler in this process. name returns the operation of a request for
// [Stats.Operations], or "" for a request that is neither counted nor delayed. The caller must
// close the proxy.
func Local(h http.Handler, name func(*http.Request) string, cfg Config) (*Proxy, error) {
	return (&Proxy{target: &url.URL{Scheme: "http", Host: "local"}, server: local{h}, idle: func() {}, name: name}).init(cfg)
}

func (p *Proxy) init(cfg Config) (*Proxy, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	p.cfg, p.stop = cfg.own(), make(chan struct{})
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.count.clear()
	p.choose.forget()
	return p, nil
}

// Configure sets the configuration for later requests.
func (p *Proxy) Configure(cfg Config) error {
	if err := cfg.check(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cfg = cfg.own()
	return nil
}

// Config returns the current configuration.
func (p *Proxy) Config() Config {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cfg.own()
}

// Stats returns the current counts.
func (p *Proxy) Stats() Stats { return p.count.stats() }

// Log returns the logged requests, at most Config.Log.
func (p *Proxy) Log() []Entry { return p.count.entries() }

// Reset clears the statistics, the log and the number of occurrences of each request. Requests in
// flight remain in flight, but their ends are not counted.
func (p *Proxy) Reset() {
	p.count.clear()
	p.choose.forget()
}

// ServeHTTP forwards the request or injects a fault.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cfg, ok := p.enter()
	if !ok {
		panic(http.ErrAbortHandler) // makes net/http close the connection
	}
	defer p.handlers.Done()
	if strings.HasPrefix(r.URL.Path, control) {
		p.control(w, r)
		return
	}
	if h, ok := p.server.(local); ok && p.name(r) == "" {
		h.ServeHTTP(w, r)
		return
	}
	x := &exchange{p: p, cfg: &cfg, w: w, r: r, ticket: p.count.enter(r, p.name, cfg.Log)}
	defer x.leave()
	if err := x.run(); err != nil {
		x.cut(err)
	}
}

// enter registers a handler and returns the configuration. ok is false after Close.
func (p *Proxy) enter() (Config, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return Config{}, false
	}
	p.handlers.Add(1)
	return p.cfg, true
}

var (
	errReset   = errors.New("faultproxy: the connection was reset")
	errCut     = errors.New("faultproxy: the body was truncated")
	errStopped = errors.New("faultproxy: the proxy is closed")
)

// wait waits for the duration d, or without limit if forever is true. It returns early when ctx
// ends or the proxy is closed.
func (p *Proxy) wait(ctx context.Context, d time.Duration, forever bool) error {
	if d <= 0 && !forever {
		return nil
	}
	var over <-chan time.Time
	if !forever {
		t := time.NewTimer(d)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.stop:
		return errStopped
	}
}
