package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
)

// Limits returns a collector of the request limits of the buckets of stores. The keys of stores are
// the values of the label bucket. A store without a limit has no metrics. A collection sends no
// request.
func Limits(stores map[string]store.Store) prometheus.Collector { return limits(stores) }

type limits map[string]store.Store

// Describe describes no metric, so that stores may have different metrics.
func (limits) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (l limits) Collect(to chan<- prometheus.Metric) {
	for name, st := range l {
		var s limit.State
		if !store.As(st, &s) {
			continue
		}
		for side, s := range map[string]limit.Side{"read": s.Reads, "write": s.Writes} {
			for _, m := range limitMetrics {
				to <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(s), name, side)
			}
		}
	}
}

// limitMetric is a metric of one side of a bucket.
type limitMetric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(limit.Side) float64
}

var limitMetrics = []limitMetric{
	gauge("zarr_limit_size", "Maximum number of requests in flight.", func(s limit.Side) float64 { return float64(s.Size) }),
	gauge("zarr_limit_in_flight", "Requests in flight.", func(s limit.Side) float64 { return float64(s.InFlight) }),
	gauge("zarr_limit_waiting", "Requests that wait for a slot.", func(s limit.Side) float64 { return float64(s.Waiting) }),
	gauge("zarr_limit_pace", "Requests per second if requests are spaced, or 0.", func(s limit.Side) float64 { return s.Pace }),
	gauge("zarr_limit_pause_seconds", "Rest of the pause that the service requested.", func(s limit.Side) float64 {
		if s.PausedUntil.IsZero() {
			return 0
		}
		return max(time.Until(s.PausedUntil), 0).Seconds()
	}),
	counter("zarr_limit_refused_total", "Requests that the service refused because of its load.", func(s limit.Side) float64 { return float64(s.Refused) }),
	counter("zarr_limit_cuts_total", "Reductions of the size because of refusals.", func(s limit.Side) float64 { return float64(s.Cuts) }),
	counter("zarr_limit_stalls_total", "Requests that ended because they made no progress.", func(s limit.Side) float64 { return float64(s.Stalls) }),
}

func gauge(name, help string, value func(limit.Side) float64) limitMetric {
	return limitMetric{describe(name, help), prometheus.GaugeValue, value}
}

func counter(name, help string, value func(limit.Side) float64) limitMetric {
	return limitMetric{describe(name, help), prometheus.CounterValue, value}
}

func describe(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, []string{"bucket", "side"}, nil)
}
