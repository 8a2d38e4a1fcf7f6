package observability_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/zargo-io/zargo/examples/observability"
	"github.com/zargo-io/zargo/zarr/store"
	storehttp "github.com/zargo-io/zargo/zarr/store/http"
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
	st := observability.Spans(open(t), tracer)
	ctx = store.WithTrace(ctx, observability.Events())
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
	metrics, err := observability.NewMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	ctx := store.WithTrace(t.Context(), metrics.Trace())
	if _, err := open(t).Get(ctx, "value", store.GetOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	store.TraceOf(ctx).Wait(context.Background(), store.Wait{For: store.WaitSlot, Took: 2e9})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			n := m.GetCounter().GetValue()
			if h := m.GetHistogram(); h != nil {
				n = float64(h.GetSampleCount())
			}
			got = append(got, fmt.Sprintf("%s(%s)=%v", f.GetName(), strings.Join(labels, ","), n))
		}
	}
	want := []string{
		"zarr_attempts_total(get,200)=1", "zarr_attempts_total(get,503)=1", "zarr_first_byte_seconds(get)=2", "zarr_retries_total(get)=1",
		"zarr_wait_seconds_total(slot)=2", "zarr_wire_bytes_total(received)=5", "zarr_wire_bytes_total(sent)=0",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
