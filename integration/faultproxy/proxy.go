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

// Proxy is the proxy, an [http.Handler]. It is made by [New] or [Start].
type Proxy struct {
	target    *url.URL
	transport *http.Transport
	count     counters
	choose    chooser

	mu       sync.Mutex
	cfg      Config
	closed   bool
	server   *http.Server   // nil before Serve
	addr     string         // empty before Serve
	handlers sync.WaitGroup // requests being handled; added to under mu, while not closed
	stop     chan struct{}  // closed by Close: what waits gives up
	ctx      context.Context
	cancel   context.CancelFunc // ends the requests to the target
}

// New makes a proxy in front of target, of which only scheme and host may be set. It must be
// closed.
func New(target *url.URL, cfg Config) (*Proxy, error) {
	if (target.Scheme != "http" && target.Scheme != "https") || target.Host == "" || strings.Trim(target.Path, "/") != "" {
		return nil, fmt.Errorf("faultproxy: target %q is not http://host:port", target)
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	p := &Proxy{
		target: &url.URL{Scheme: target.Scheme, Host: target.Host},
		transport: &http.Transport{
			MaxIdleConns:        0,
			MaxIdleConnsPerHost: 4096, // more than any client has in flight: no reconnecting on this side
			IdleConnTimeout:     time.Minute,
			DisableCompression:  true, // which leaves Accept-Encoding as it was signed
		},
		cfg:  cfg.own(),
		stop: make(chan struct{}),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.count.clear()
	p.choose.forget()
	return p, nil
}

// Configure replaces the configuration, for requests that arrive from now on.
func (p *Proxy) Configure(cfg Config) error {
	if err := cfg.check(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cfg = cfg.own()
	return nil
}

// Config gives the configuration in force.
func (p *Proxy) Config() Config {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cfg.own()
}

// Stats gives the counts so far.
func (p *Proxy) Stats() Stats { return p.count.stats() }

// Log gives the requests that were kept, as many as Config.Log says.
func (p *Proxy) Log() []Entry { return p.count.entries() }

// Reset forgets statistics, log, and how often each request came. Requests in flight stay in
// flight, but their ends are not counted.
func (p *Proxy) Reset() {
	p.count.clear()
	p.choose.forget()
}

// ServeHTTP forwards or misbehaves.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cfg, ok := p.enter()
	if !ok {
		panic(http.ErrAbortHandler) // net/http's way to cut a connection
	}
	defer p.handlers.Done()
	if strings.HasPrefix(r.URL.Path, control) {
		p.control(w, r)
		return
	}
	x := &exchange{p: p, cfg: &cfg, w: w, r: r, ticket: p.count.enter(r, cfg.Log)}
	defer x.leave()
	if err := x.run(); err != nil {
		x.cut(err)
	}
}

// enter registers a handler and gives it the configuration. After Close there are no more.
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
	errReset   = errors.New("faultproxy: connection reset")
	errCut     = errors.New("faultproxy: body cut")
	errStopped = errors.New("faultproxy: closed")
)

// wait waits for d, or without end when forever is set, until ctx or the proxy ends.
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
