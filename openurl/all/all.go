package all

import (
	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Options holds options that all providers share, and options of each provider. The zero value
// selects the defaults of each provider. Package s3 documents the shared fields.
type Options struct {
	MaxInFlight           int                 // requests in flight per store; 0 is the provider's default
	RequestRate, ByteRate float64             // bounds per second; 0 is unbounded
	Hedge                 bool                // repeat slow reads
	Limits                *concurrency.Limits // nil is concurrency.Default()
	Retry                 []retry.Option

	// Options of single providers, which override the fields above.
	S3    []s3.Option
	GCS   []gcs.Option
	Azure []azure.Option
	HTTP  []http.Option
}

// Mux returns a Mux for all schemes with the defaults of each provider.
func Mux() openurl.Mux { return With(Options{}) }

// With returns a Mux for all schemes with options o. Each call returns a new Mux, with separate
// stores in memory.
func With(o Options) openurl.Mux {
	m := openurl.Builtin()
	m["s3"] = openurl.With(s3.Open, join(common[s3.Option]{
		s3.MaxInFlight, s3.RequestRate, s3.ByteRate, s3.Hedge, s3.Limits, s3.Retry}, o, o.S3)...)
	m["gs"] = openurl.With(gcs.Open, join(common[gcs.Option]{
		gcs.MaxInFlight, gcs.RequestRate, gcs.ByteRate, gcs.Hedge, gcs.Limits, gcs.Retry}, o, o.GCS)...)
	m["azblob"] = openurl.With(azure.Open, join(common[azure.Option]{
		azure.MaxInFlight, azure.RequestRate, azure.ByteRate, azure.Hedge, azure.Limits, azure.Retry}, o, o.Azure)...)
	web := openurl.With(http.Open, join(common[http.Option]{
		http.MaxInFlight, http.RequestRate, http.ByteRate, http.Hedge, http.Limits, http.Retry}, o, o.HTTP)...)
	m["http"], m["https"] = web, web
	return m
}

// common holds a provider's functions that create the shared options.
type common[O any] struct {
	maxInFlight           func(int) O
	requestRate, byteRate func(float64) O
	hedge                 func() O
	limits                func(*concurrency.Limits) O
	retry                 func(...retry.Option) O
}

// join returns the options of one provider: the shared options, then its own.
func join[O any](as common[O], o Options, own []O) []O {
	opts := []O{as.maxInFlight(o.MaxInFlight), as.requestRate(o.RequestRate), as.byteRate(o.ByteRate), as.limits(o.Limits), as.retry(o.Retry...)}
	if o.Hedge {
		opts = append(opts, as.hedge())
	}
	return append(opts, own...)
}
