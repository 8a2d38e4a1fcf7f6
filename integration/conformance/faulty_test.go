package conformance

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
)

// spared are requests whose lost answer cannot be told from success (see package retry): increments, where two writers send
// the same bytes, and deletes of one version.
func spared() []faultproxy.Override {
	return []faultproxy.Override{{Method: "PUT", Path: "*/count"}, {Method: "DELETE", Path: "*"}}
}

// nth gives every n-th request that is not spared a fault, each kind in turn.
func nth(n int64) func(*http.Request) faultproxy.Fault {
	kinds := []faultproxy.Kind{faultproxy.SlowDown, faultproxy.Reset, faultproxy.Truncate, faultproxy.Lost}
	var count atomic.Int64
	return func(r *http.Request) faultproxy.Fault {
		if r.Method == "DELETE" || r.Method == "PUT" && strings.HasSuffix(r.URL.Path, "/count") {
			return faultproxy.Fault{}
		}
		i := count.Add(1)
		if i%n != 0 {
			return faultproxy.Fault{}
		}
		return faultproxy.Fault{Kind: kinds[i/n%int64(len(kinds))]}
	}
}

// The contract holds whatever happens on the way. Places have names by chance, so every run meets other faults.
func TestOnAFaultyWay(t *testing.T) {
	tests := []struct {
		name   string
		config faultproxy.Config
		kinds  []faultproxy.Kind // that must have happened
	}{
		{"throttled, reset, truncated", faultproxy.Config{Rates: faultproxy.Rates{SlowDown: 0.05, Reset: 0.05, Truncate: 0.05}},
			[]faultproxy.Kind{faultproxy.SlowDown, faultproxy.Reset, faultproxy.Truncate}},
		{"answers lost", faultproxy.Config{Rates: faultproxy.Rates{Lost: 0.05}}, []faultproxy.Kind{faultproxy.Lost}},
		{"30 ms away, two faults in a hundred", faultproxy.Config{LatencyMS: 30}, []faultproxy.Kind{faultproxy.Reset}},
	}
	each(t, func(t *testing.T, p place) {
		if p.net == nil {
			return
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				c := tt.config
				c.RewriteHost, c.Overrides = p.net.ownHost, spared()
				if c.LatencyMS > 0 {
					c.Script = nth(50)
				}
				proxy := faultproxy.Start(t, bucket.Endpoint(t, p.net.url(t)), c)
				check(t, p, slices.Concat(p.known, p.net.known), func() pair {
					return p.net.open(t, p.net.url(t), proxy.Addr())
				}, few()...)
				s := proxy.Stats()
				t.Logf("%d requests, faults %v, %d in flight at most", s.Requests, s.Faults, s.PeakInFlight)
				for _, k := range tt.kinds {
					if s.Faults[k] == 0 {
						t.Errorf("no request met the fault %s", k)
					}
				}
			})
		}
	})
}
