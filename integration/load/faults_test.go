package load

import (
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// TestFaultyWay checks reads and writes if 5 % of the requests get a 503, 5 % a reset, 5 % a
// truncated body and 5 % a response that is lost after the server has executed the request, each
// kind alone and all together.
func TestFaultyWay(t *testing.T) { each(t, faultyWay) }

func faultyWay(t *testing.T, b bucket.Provider) {
	t.Parallel() // most of the time is spent waiting
	const share = 0.05
	tests := []struct {
		name  string
		rates faultproxy.Rates
		kinds []faultproxy.Kind // kinds of faults that must have occurred
	}{
		{"503", faultproxy.Rates{SlowDown: share}, []faultproxy.Kind{faultproxy.SlowDown}},
		{"reset", faultproxy.Rates{Reset: share}, []faultproxy.Kind{faultproxy.Reset}},
		{"truncated", faultproxy.Rates{Truncate: share}, []faultproxy.Kind{faultproxy.Truncate}},
		{"lost", faultproxy.Rates{Lost: share}, []faultproxy.Kind{faultproxy.Lost}},
		{
			"all", faultproxy.Rates{SlowDown: share, Reset: share, Truncate: share, Lost: share},
			[]faultproxy.Kind{faultproxy.SlowDown, faultproxy.Reset, faultproxy.Truncate, faultproxy.Lost},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, u := through(t, b, faultproxy.Config{Seed: 1, Rates: tt.rates})
			st := open(t, b, u, inFlight, retry.Tries(30)) // if a fifth of the requests fail, ten failures in a row occur once in 10^7 requests
			create(t, st, "x", spec(16))
			r, err := work(t.Context(), st, "x", 16, 3)
			if err != nil {
				t.Error(err)
			}
			n, err := count(t, st, st, 10, 3)
			if err != nil {
				t.Error(err)
			}
			stats := p.Stats()
			for _, k := range tt.kinds {
				if stats.Faults[k] == 0 {
					t.Errorf("no request met %q: the test shows nothing", k)
				}
			}
			t.Logf("%v; counters: %v; %d requests, %v", r, n, stats.Requests, stats.Faults)
		})
	}
}
