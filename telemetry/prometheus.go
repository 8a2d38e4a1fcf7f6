package telemetry

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/zargo-io/zargo/zarr/store"
)

// Metrics holds the counters and histograms. Create it with [NewMetrics].
type Metrics struct {
	attempts  *prometheus.CounterVec
	wire      *prometheus.CounterVec
	retries   *prometheus.CounterVec
	hedges    *prometheus.CounterVec
	firstByte *prometheus.HistogramVec
	waits     *prometheus.CounterVec
}

// NewMetrics creates the metrics and registers them.
func NewMetrics(r prometheus.Registerer) (*Metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		attempts: counter("zarr_attempts_total", "HTTP exchanges.", "op", "status"),
		wire:     counter("zarr_wire_bytes_total", "Bytes of bodies, by direction.", "direction"),
		retries:  counter("zarr_retries_total", "Requests that failed and were sent again.", "op"),
		hedges:   counter("zarr_hedges_total", "Second requests for slow reads.", "won"),
		waits:    counter("zarr_wait_seconds_total", "Time of waits for limited resources.", "for"),
		firstByte: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "zarr_first_byte_seconds", Help: "Time to the header of a response.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 14), // 1 ms to 8 s
		}, []string{"op"}),
	}
	for _, c := range []prometheus.Collector{m.attempts, m.wire, m.retries, m.hedges, m.waits, m.firstByte} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Trace returns a trace that updates the metrics. Keys are not used as labels, because there are
// too many keys.
func (m *Metrics) Trace() *store.Trace {
	return &store.Trace{
		Attempt: func(_ context.Context, a store.Attempt) {
			m.attempts.WithLabelValues(string(a.Op), strconv.Itoa(a.Status)).Inc()
			m.wire.WithLabelValues("sent").Add(float64(a.Sent))
			m.wire.WithLabelValues("received").Add(float64(a.Received))
		},
		FirstByte: func(_ context.Context, f store.FirstByte) {
			m.firstByte.WithLabelValues(string(f.Op)).Observe(f.After.Seconds())
		},
		Retry: func(_ context.Context, r store.Retry) { m.retries.WithLabelValues(string(r.Op)).Inc() },
		Hedge: func(_ context.Context, h store.Hedge) { m.hedges.WithLabelValues(strconv.FormatBool(h.Won)).Inc() },
		Wait:  func(_ context.Context, w store.Wait) { m.waits.WithLabelValues(string(w.For)).Add(w.Took.Seconds()) },
	}
}
