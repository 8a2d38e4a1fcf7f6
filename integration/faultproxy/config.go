package faultproxy

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Config says how a [Proxy] behaves. The zero Config forwards everything at once.
type Config struct {
	LatencyMS float64 `json:"latency_ms"` // milliseconds that every request waits before it is forwarded or answered
	JitterMS  float64 `json:"jitter_ms"`  // up to so many milliseconds more, evenly distributed
	ReadBPS   int64   `json:"read_bps"`   // bytes per second of each answer's body; 0 is unlimited
	WriteBPS  int64   `json:"write_bps"`  // bytes per second of each request's body; 0 is unlimited

	Seed  uint64 `json:"seed"`
	Rates Rates  `json:"rates"`

	// Overrides are tried in order before Rates; the first that matches decides.
	Overrides []Override `json:"overrides"`

	// Script is asked first, for each request, from the request's own goroutine. It may block, and
	// then the request is in flight; it must not read the body. When it gives the zero Fault,
	// Overrides and Rates decide.
	Script func(*http.Request) Fault `json:"-"`

	// RewriteHost sends the target's name as Host instead of the client's. Servers that sign
	// requests over the Host want the client's; those that answer only to their own name, as
	// fake-gcs-server does, want theirs.
	RewriteHost bool `json:"rewrite_host"`

	Log int `json:"log"` // how many requests are kept in the log; later ones are only counted
}

// Rates are shares of all requests, each 0 to 1 and together at most 1.
type Rates struct {
	SlowDown float64 `json:"slow_down"`
	Reset    float64 `json:"reset"`
	Truncate float64 `json:"truncate"`
	Hang     float64 `json:"hang"`
	Lost     float64 `json:"lost"`
}

type rate struct {
	kind  Kind
	share float64
}

func (r Rates) list() [5]rate {
	return [5]rate{{SlowDown, r.SlowDown}, {Reset, r.Reset}, {Truncate, r.Truncate}, {Hang, r.Hang}, {Lost, r.Lost}}
}

// Override gives every request of a method to a path the same fault, or with the zero Fault none.
type Override struct {
	Method string `json:"method,omitempty"` // empty is any
	Path   string `json:"path"`             // decoded, "/bucket/key"; a star at its end or start stands for anything
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
		{"write_bps", float64(c.WriteBPS)}, {"log", float64(c.Log)},
	} {
		if !(v.value >= 0) {
			return fmt.Errorf("faultproxy: %s %v is negative", v.name, v.value)
		}
	}
	sum := 0.0
	for _, r := range c.Rates.list() {
		if !(r.share >= 0 && r.share <= 1) {
			return fmt.Errorf("faultproxy: rate %v of %s is not in 0…1", r.share, r.kind)
		}
		sum += r.share
	}
	if sum > 1 {
		return fmt.Errorf("faultproxy: the rates' sum %v is more than 1", sum)
	}
	for _, o := range c.Overrides {
		if err := o.Fault.check(); err != nil {
			return fmt.Errorf("%w (override of %s %s)", err, o.Method, o.Path)
		}
	}
	return nil
}

// own gives a copy that shares no memory with c.
func (c Config) own() Config {
	c.Overrides = slices.Clone(c.Overrides)
	return c
}

func milliseconds(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
