package main

import (
	"strings"

	"github.com/zargo-io/zargo/azure"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
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
	rates
}

// rates are what flags say of how much a fleet of processes asks of a bucket.
type rates struct {
	fleet           int // processes; less than 2 is one
	requests, bytes float64
}

// rates returns what the flags say; a rate of bytes that cannot be parsed is 0 here, and an error
// of the command.
func (c *cli) rates() rates {
	r := rates{fleet: c.Fleet, requests: c.RequestRate}
	if n, err := parseSize("--byte-rate", c.ByteRate); err == nil {
		r.bytes = float64(n)
	}
	return r
}

// shareWith makes stores that are opened from now on those of one of n processes, unless --fleet
// says how many there are.
func (s *session) shareWith(n int) {
	if s.flags.Fleet == 0 && n > 1 {
		s.how.fleet = n
		s.stores = s.schemes(s.how)
	}
}

// schemes is the table of what this program opens. Stores in memory outlive a run.
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
	m["file"], m["mem"] = openurl.Dir(dir.TrustLocks(o.trustLocks)), p.mem
	return m
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
