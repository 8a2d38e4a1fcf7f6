package conformance

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
)

// spared reports whether the outcome of a request is unknown after its response was lost (see
// package retry). This is the case for increments if two writers send the same bytes, for deletes
// of one version, and for the completion of a value whose parts another process sent if the
// provider lists no checksums. GCS has an upload's key in the body, so all its conditional uploads
// are spared.
func spared(r *http.Request) bool {
	query := r.URL.Query()
	condition := query.Get("ifGenerationMatch")
	commit := r.Method == "POST" && query.Has("uploadId") || r.Method == "PUT" && query.Get("comp") == "blocklist"
	return commit && strings.HasSuffix(r.URL.Path, "/resumed") || r.Method == "DELETE" || r.Method == "PUT" && strings.HasSuffix(r.URL.Path, "/count") ||
		r.Method == "POST" && condition != "" && condition != "0"
}

// fate chooses the fault of a request that is not spared.
type fate func() faultproxy.Kind

// chance returns a fate that applies one of the kinds to a fraction of the requests.
func chance(share float64, kinds ...faultproxy.Kind) fate {
	return func() faultproxy.Kind {
		if rand.Float64() >= share {
			return faultproxy.None
		}
		return kinds[rand.IntN(len(kinds))]
	}
}

// nth returns a fate that applies the kinds in rotation to every n-th request, so that none is
// omitted if there are few faults.
func nth(n int64, kinds ...faultproxy.Kind) fate {
	var count atomic.Int64
	return func() faultproxy.Kind {
		i := count.Add(1)
		if i%n != 0 {
			return faultproxy.None
		}
		return kinds[i/n%int64(len(kinds))]
	}
}

// TestOnAFaultyWay checks that stores meet the contract despite faults on the network.
func TestOnAFaultyWay(t *testing.T) {
	t.Parallel()
	const slow, reset, cut, lost = faultproxy.SlowDown, faultproxy.Reset, faultproxy.Truncate, faultproxy.Lost
	tests := []struct {
		name    string
		latency float64 // in milliseconds
		fate    func() fate
		kinds   []faultproxy.Kind // kinds of faults that must have occurred
	}{
		{"throttled, reset, truncated", 0, func() fate { return chance(0.15, slow, reset, cut) }, []faultproxy.Kind{slow, reset, cut}},
		{"answers lost", 0, func() fate { return chance(0.05, lost) }, []faultproxy.Kind{lost}},
		{"30 ms away, two faults in a hundred", 30, func() fate { return nth(50, slow, reset, cut, lost) }, []faultproxy.Kind{reset, cut}},
	}
	each(t, func(t *testing.T, p place) {
		if p.net == nil {
			return
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				fate := tt.fate()
				proxy := faultproxy.Start(t, bucket.Endpoint(t, p.net.url(t)), faultproxy.Config{
					LatencyMS: tt.latency, RewriteHost: p.net.ownHost, Script: func(r *http.Request) faultproxy.Fault {
						if spared(r) {
							return faultproxy.Fault{}
						}
						return faultproxy.Fault{Kind: fate()}
					}})
				check(t, p, p.known, func() pair {
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
