package telemetry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/zargo-io/zargo/telemetry"
	"github.com/zargo-io/zargo/zarr/store"
	storehttp "github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// server is a web server with one value. It fails the first request.
type server struct{ requests atomic.Int64 }

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := func(status int, body string) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)), Request: r,
			Header: http.Header{"Etag": {`"1"`}, "Content-Type": {"application/octet-stream"}}, ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
	switch {
	case s.requests.Add(1) == 1:
		return answer(503, "")
	case strings.HasSuffix(r.URL.Path, "/value"):
		return answer(200, "hello")
	}
	return answer(404, "")
}

func open(t *testing.T) store.Store {
	t.Helper()
	st, err := storehttp.Open(t.Context(), "http://values.example/", storehttp.Transport(new(server)), storehttp.Retry(retry.Backoff(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestSpans(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	ctx, parent := tracer.Start(t.Context(), "program")
	st := telemetry.Spans(open(t), tracer)
	ctx = store.WithTrace(ctx, telemetry.Events())
	if _, err := st.Get(ctx, "value", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	_, _ = st.Get(ctx, "absent", store.GetOptions{}, nil)
	_, _ = st.Put(ctx, "value", nil, store.PutOptions{})
	var got []string
	for _, s := range recorder.Ended() {
		if s.Parent().SpanID() != parent.SpanContext().SpanID() {
			t.Errorf("%s has another parent", s.Name())
		}
		line := s.Name()
		for _, e := range s.Events() {
			line += " " + e.Name
		}
		if s.Status().Code == codes.Error {
			line += " failed"
		}
		got = append(got, line)
	}
	want := "[zarr get attempt retry attempt zarr get attempt zarr put exception failed]"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	metrics, err := telemetry.NewMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	ctx := store.WithTrace(t.Context(), metrics.Trace())
	if _, err := open(t).Get(ctx, "value", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	store.TraceOf(ctx).Wait(context.Background(), store.Wait{For: store.WaitSlot, Took: 2e9})
	var got []string
	for name, n := range gathered(t, registry) {
		got = append(got, fmt.Sprintf("%s=%v", name, n))
	}
	slices.Sort(got)
	want := []string{
		"zarr_attempts_total(get,200)=1", "zarr_attempts_total(get,503)=1", "zarr_first_byte_seconds(get)=2", "zarr_retries_total(get)=1",
		"zarr_wait_seconds_total(slot)=2", "zarr_wire_bytes_total(received)=5", "zarr_wire_bytes_total(sent)=0",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestLimits checks the metrics of the limits of a bucket.
func TestLimits(t *testing.T) {
	st := open(t)
	if _, err := st.Get(t.Context(), "value", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	if err := registry.Register(telemetry.Limits(map[string]store.Store{"values": st, "unlimited": mem.New()})); err != nil {
		t.Fatal(err)
	}
	got := gathered(t, registry)
	for name, min := range map[string]float64{"zarr_limit_size(values,read)": 1, "zarr_limit_refused_total(values,read)": 1, "zarr_limit_in_flight(values,read)": 0} {
		if n, ok := got[name]; !ok || n < min {
			t.Errorf("%s is %v, %v", name, n, ok)
		}
	}
	if len(got) != 16 {
		t.Errorf("%d metrics: %v", len(got), got)
	}
}

// TestDashboard checks that every metric of the dashboard exists, and that the dashboard has every
// metric.
func TestDashboard(t *testing.T) {
	st, registry := open(t), prometheus.NewRegistry()
	metrics, err := telemetry.NewMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Register(telemetry.Limits(map[string]store.Store{"values": st})); err != nil {
		t.Fatal(err)
	}
	ctx := store.WithTrace(t.Context(), metrics.Trace())
	if _, err := st.Get(ctx, "value", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	store.TraceOf(ctx).Wait(ctx, store.Wait{For: store.WaitSlot, Took: 1})
	store.TraceOf(ctx).Hedge(ctx, store.Hedge{})
	var is []string
	for name := range gathered(t, registry) {
		name, _, _ = strings.Cut(name, "(")
		is = append(is, name)
	}
	text, err := os.ReadFile("grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Error("grafana.json is not valid")
	}
	var shown []string
	for _, name := range regexp.MustCompile(`zarr_[a-z_]+`).FindAllString(string(text), -1) {
		shown = append(shown, strings.TrimSuffix(name, "_bucket"))
	}
	slices.Sort(is)
	slices.Sort(shown)
	if is, shown = slices.Compact(is), slices.Compact(shown); !slices.Equal(is, shown) {
		t.Errorf("metrics   %v\ndashboard %v", is, shown)
	}
}

// gathered returns the metrics of a registry by their names and the values of their labels.
func gathered(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			n := m.GetCounter().GetValue() + m.GetGauge().GetValue()
			if h := m.GetHistogram(); h != nil {
				n = float64(h.GetSampleCount())
			}
			got[fmt.Sprintf("%s(%s)", f.GetName(), strings.Join(labels, ","))] = n
		}
	}
	return got
}
