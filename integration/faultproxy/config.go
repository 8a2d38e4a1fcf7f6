package faultproxy

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Config configures a [Proxy]. The zero Config forwards every request immediately.
type Config struct {
	// LatencyMS is the delay in milliseconds before the proxy forwards or responds to a request.
	LatencyMS float64 `json:"latency_ms"`
	// JitterMS is the maximum in milliseconds of an additional, uniformly distributed delay.
	JitterMS float64 `json:"jitter_ms"`
	// TailShare is the fraction of requests whose delay is multiplied by TailFactor.
	TailShare  float64 `json:"tail_share"`
	TailFactor float64 `json:"tail_factor"`
	RPS        float64 `json:"rps"`       // further requests per second get SlowDown; 0 means unlimited
	ReadBPS    int64   `json:"read_bps"`  // bytes per second of each response's body; 0 means unlimited
	WriteBPS   int64   `json:"write_bps"` // bytes per second of each request's body; 0 means unlimited

	// FailFirst is the number of first occurrences of each request that get SlowDown.
	FailFirst uint64 `json:"fail_first"`

	Seed  uint64 `json:"seed"`
	Rates Rates  `json:"rates"`

	// Overrides are tried in order before Rates. The first match determines the fault.
	Overrides []Override `json:"overrides"`

	// Script is called first, in the goroutine of the request. It must not read the body. It may
	// block, and the request then remains in flight. If Script returns the zero Fault, Overrides
	// and Rates are used.
	Script func(*http.Request) Fault `json:"-"`

	// RewriteHost replaces the Host header of the client by the name of the target. It must be
	// false for servers whose signatures cover Host. It must be true for servers that respond only
	// to their own name, such as fake-gcs-server.
	RewriteHost bool `json:"rewrite_host"`

	Log int `json:"log"` // maximum number of requests in the log; later requests are only counted
}

// Rates are fractions of all requests, each from 0 to 1, with a sum of at most 1.
type Rates struct {
	SlowDown float64 `json:"slow_down"`
	Reset    float64 `json:"reset"`
	Truncate float64 `json:"truncate"`
	Hang     float64 `json:"hang"`
	Lost     float64 `json:"lost"`
	Corrupt  float64 `json:"corrupt"`

	InternalError float64 `json:"internal_error"`
}

type rate struct {
	kind  Kind
	share float64
}

func (r Rates) list() [7]rate {
	return [7]rate{
		{SlowDown, r.SlowDown}, {Reset, r.Reset}, {Truncate, r.Truncate}, {Hang, r.Hang}, {Lost, r.Lost}, {Corrupt, r.Corrupt},
		{InternalError, r.InternalError},
	}
}

// Override sets the fault of all requests with a method and a path. If the Fault is zero, these
// requests are forwarded without a fault.
type Override struct {
	Method string `json:"method,omitempty"` // empty means any
	Path   string `json:"path"`             // decoded, such as "/bucket/key"; a star at either end matches anything
	Fault  Fault  `json:"fault"`
}

func (o Override) matches(r *http.Request) bool {
	if o.Method != "" && o.Method != r.Method {
		return false
	}
	if prefix, ok := strings.CutSuffix(o.Path, "*"); ok {
		return strings.HasPrefix(r.URL.Path, prefix)
	}
	if suffix, ok := strings.CutPrefix(o.Path, "*"); ok {
		return strings.HasSuffix(r.URL.Path, suffix)
	}
	return r.URL.Path == o.Path
}

func (c Config) check() error {
	for _, v := range []struct {
		name  string
		value float64
	}{
		{"latency_ms", c.LatencyMS}, {"jitter_ms", c.JitterMS}, {"read_bps", float64(c.ReadBPS)},
		{"write_bps", float64(c.WriteBPS)}, {"log", float64(c.Log)}, {"rps", c.RPS}, {"tail_share", c.TailShare}, {"tail_factor", c.TailFactor},
	} {
		if !(v.value >= 0) {
			return fmt.Errorf("faultproxy: %s must be at least 0, is %v", v.name, v.value)
		}
	}
	sum := 0.0
	for _, r := range c.Rates.list() {
		if !(r.share >= 0 && r.share <= 1) {
			return fmt.Errorf("faultproxy: the rate of %s must be from 0 to 1, is %v", r.kind, r.share)
		}
		sum += r.share
	}
	if sum > 1 {
		return fmt.Errorf("faultproxy: the sum of the rates must be at most 1, is %v", sum)
	}
	for _, o := range c.Overrides {
		if err := o.Fault.check(); err != nil {
			return fmt.Errorf("%w (override of %s %s)", err, o.Method, o.Path)
		}
	}
	return nil
}

// own returns a copy of c that shares no memory with c.
func (c Config) own() Config {
	c.Overrides = slices.Clone(c.Overrides)
	return c
}

func milliseconds(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
