package main

import (
	"context"
	"maps"
	"strings"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// schemes returns the openers of all URL schemes. Stores in memory persist after a run.
func (p *program) schemes(o opening) openurl.Mux {
	of := all.Options{
		MaxInFlight: o.inFlight,
		RequestRate: o.requests,
		ByteRate:    o.bytes,
		Hedge:       o.hedge,
		Limits:      concurrency.Default().Share(o.fleet),
		Retry:       []retry.Option{retry.Notify(o.notify)},
		GCS:         []gcs.Option{gcs.TrustHost(o.trust...)},
		Azure:       []azure.Option{azure.TrustHost(o.trust...)},
	}
	if o.allowHTTP {
		of.S3 = append(of.S3, s3.AllowHTTP())
	}
	if o.readOnly {
		of.GCS, of.Azure = append(of.GCS, gcs.ReadOnly()), append(of.Azure, azure.ReadOnly())
	}
	m := all.With(of)
	m["file"] = openurl.Dir(dir.TrustLocks(o.trustLocks))
	maps.Copy(m, p.own)
	return m
}

// opening holds the flags that determine how stores are opened.
type opening struct {
	inFlight   int
	trust      []string // hosts of URLs that may receive credentials
	allowHTTP  bool
	readOnly   bool // request read-only credentials from providers that have them
	trustLocks bool // rely on locks in directories
	hedge      bool // send a second request for slow reads
	notify     func(store.Retry)
	rates
}

// writes reports whether a command with these flags changes a store, or rehearses a change. Stores
// of read-only credentials refuse all writes.
func (c *cli) writes(command string) bool {
	switch name, _, _ := strings.Cut(command, " "); name {
	case "create", "put", "append", "blank", "resize", "copy", "pyramid", "rm", "migrate":
		return true
	case "validate":
		return c.Validate.Repair && !c.Validate.DryRun
	case "attrs":
		return len(c.Attrs.Set)+len(c.Attrs.Unset) > 0
	case "consolidate":
		return !c.Consolidate.Check
	case "transfer":
		return !strings.HasPrefix(command, "transfer verify")
	case "bucket":
		return !c.Bucket.Check.ReadOnly
	}
	return false
}

// rates holds the flags that limit how fast a fleet of processes sends requests to a bucket.
type rates struct {
	fleet           int // number of processes; less than 2 means one
	requests, bytes float64
}

// rates returns the rates that the flags set. For an invalid --byte-rate it returns 0; the command
// reports the error.
func (c *cli) rates() rates {
	r := rates{fleet: c.Fleet, requests: c.RequestRate}
	if n, err := parseSize("--byte-rate", c.ByteRate); err == nil {
		r.bytes = float64(n)
	}
	return r
}

// shareWith makes n processes share the rates of stores that are opened afterwards, unless --fleet
// is set.
func (s *session) shareWith(n int) {
	if s.flags.Fleet == 0 && n > 1 {
		s.how.fleet = n
		s.stores = s.counted(s.schemes(s.how))
	}
}

// counted returns the openers of m, whose stores count every request in the run's report. The store
// of an archive's file is one of them.
func (s *session) counted(m openurl.Mux) openurl.Mux {
	count := zarr.WithReport(&s.report)
	for scheme, open := range m {
		m[scheme] = func(ctx context.Context, l openurl.Location) (store.Store, error) {
			st, err := open(ctx, l)
			if err == nil {
				st, _ = count.Count(st)
			}
			return st, err
		}
	}
	return m
}
