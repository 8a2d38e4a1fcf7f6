package zarr

import (
	"github.com/zargo-io/zargo/internal/account"
	"github.com/zargo-io/zargo/internal/engine"
)

// engine is what the options say of calls that read and write.
func (c *config) engine() engine.Options {
	return engine.Options{
		Limits: c.limits, InFlight: c.inFlight, ChunkLimit: c.maxChunk, SingleWriter: c.singleWriter,
		Account: account.Options{Report: c.report, MaxRequests: c.maxRequests, MaxBytes: c.maxBytes}, Guard: c.guard,
	}
}
