package main

import (
	"cmp"
	"context"
	"maps"

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

// schemes returns the openers of all URL schemes.
func (o opening) schemes() openurl.Mux {
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
	maps.Copy(m, o.own)
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
	own        openurl.Mux // openers that replace others

	// How fast a fleet of processes sends requests to a bucket.
	fleet           int // number of processes; less than 2 means one
	requests, bytes float64
}

// shareWith makes n processes share the rates of stores that are opened afterwards, unless --fleet
// is set.
func (s *session) shareWith(n int) {
	if s.Fleet == 0 && n > 1 {
		s.how.fleet = n
		s.stores = s.counted(s.how.schemes())
	}
}

// openPlain opens a store with at most inFlight concurrent requests, unless --inflight is set, and
// without repeated reads. The report does not count its requests.
func (s *session) openPlain(ctx context.Context, l openurl.Location, inFlight int) (store.Store, error) {
	how := s.how
	how.inFlight, how.hedge = cmp.Or(s.Inflight, inFlight), false
	return how.schemes().OpenLocation(ctx, l)
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
