package telemetry_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/telemetry"
	storehttp "github.com/zargo-io/zargo/zarr/store/http"
)

// A service of a dataset in a bucket, whose metrics count the requests to the bucket.
func ExampleMetrics_Trace_serve() {
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	}))
	defer bucket.Close()
	st, err := storehttp.Open(context.Background(), bucket.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = st.Close() }()

	registry := prometheus.NewRegistry()
	metrics, err := telemetry.NewMetrics(registry)
	if err != nil {
		log.Fatal(err)
	}
	s, err := serve.New(serve.Options{Trace: metrics.Trace()}, serve.Dataset{ID: "demo", Store: st})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/datasets/", s)
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	web := httptest.NewServer(mux)
	defer web.Close()

	get := func(path string) string {
		resp, err := http.Get(web.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			log.Fatal(err)
		}
		return string(b)
	}
	fmt.Println(get("/datasets/demo/zarr/zarr.json"))
	for line := range strings.Lines(get("/metrics")) {
		if strings.HasPrefix(line, "zarr_attempts_total") {
			fmt.Print(line)
		}
	}
	// Output:
	// {}
	// zarr_attempts_total{op="get",status="200"} 1
}
