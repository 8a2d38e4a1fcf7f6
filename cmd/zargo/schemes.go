package main

import (
	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// schemes is the table of what this program opens, with what the flags say. Stores in memory outlive a run.
func (p *program) schemes(inflight int, notify func(retry.Attempt)) openurl.Mux {
	again := retry.Notify(notify)
	web := openurl.With(http.Open, http.MaxInFlight(inflight), http.Retry(again))
	return openurl.Mux{
		"file":   openurl.Dir(),
		"mem":    p.mem,
		"s3":     openurl.With(s3.Open, s3.MaxInFlight(inflight), s3.Retry(again)),
		"gs":     openurl.With(gcs.Open, gcs.MaxInFlight(inflight), gcs.Retry(again)),
		"azblob": openurl.With(azure.Open, azure.MaxInFlight(inflight), azure.Retry(again)),
		"http":   web,
		"https":  web,
	}
}
