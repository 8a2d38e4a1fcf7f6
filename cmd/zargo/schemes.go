package main

import (
	"strings"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// opening is what flags and the command say of how stores are opened.
type opening struct {
	inFlight   int
	trust      []string // hosts that a URL may name and that get credentials
	allowHTTP  bool
	readOnly   bool // credentials are asked for reading only, where a provider has such
	trustLocks bool // in directories
	hedge      bool // slow reads are made twice
	notify     func(store.Retry)
}

// schemes is the table of what this program opens. Stores in memory outlive a run.
func (p *program) schemes(o opening) openurl.Mux {
	again := retry.Notify(o.notify)
	web := openurl.With(http.Open, http.MaxInFlight(o.inFlight), http.Retry(again))
	inS3 := []s3.Option{s3.MaxInFlight(o.inFlight), s3.Retry(again)}
	inGCS := []gcs.Option{gcs.MaxInFlight(o.inFlight), gcs.Retry(again), gcs.TrustHost(o.trust...)}
	inAzure := []azure.Option{azure.MaxInFlight(o.inFlight), azure.Retry(again), azure.TrustHost(o.trust...)}
	if o.hedge {
		web = openurl.With(http.Open, http.MaxInFlight(o.inFlight), http.Retry(again), http.Hedge())
		inS3, inGCS, inAzure = append(inS3, s3.Hedge()), append(inGCS, gcs.Hedge()), append(inAzure, azure.Hedge())
	}
	if o.allowHTTP {
		inS3 = append(inS3, s3.AllowHTTP())
	}
	if o.readOnly {
		inGCS, inAzure = append(inGCS, gcs.ReadOnly()), append(inAzure, azure.ReadOnly())
	}
	return openurl.Mux{
		"file":   openurl.Dir(dir.TrustLocks(o.trustLocks)),
		"mem":    p.mem,
		"s3":     openurl.With(s3.Open, inS3...),
		"gs":     openurl.With(gcs.Open, inGCS...),
		"azblob": openurl.With(azure.Open, inAzure...),
		"http":   web,
		"https":  web,
	}
}

// writes reports whether a command, by its name and flags, changes anything in a store.
func (c *cli) writes(command string) bool {
	switch name, _, _ := strings.Cut(command, " "); name {
	case "create", "put", "append":
		return true
	case "validate":
		return c.Validate.Repair && !c.Validate.DryRun
	case "attrs":
		return len(c.Attrs.Set)+len(c.Attrs.Unset) > 0
	case "consolidate":
		return !c.Consolidate.Check
	case "rm":
		return !c.Rm.DryRun
	case "migrate":
		return !c.Migrate.DryRun
	case "copy":
		return !c.Copy.DryRun
	case "transfer":
		return !strings.HasPrefix(command, "transfer verify")
	case "bucket":
		return !c.Bucket.Check.ReadOnly
	}
	return false
}
