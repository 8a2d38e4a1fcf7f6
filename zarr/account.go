package zarr

import (
	"github.com/zargo-io/zargo/internal/chunk/account"
	"github.com/zargo-io/zargo/internal/chunk/engine"
)

// engine converts c to the options of package engine, which reads and writes the stored objects.
func (c *config) engine() engine.Options {
	return engine.Options{
		Limits: c.limits, InFlight: c.inFlight, ChunkLimit: c.Chunks.ChunkLimit, SingleWriter: c.SingleWriter,
		Account: account.Options{Report: c.Report, MaxRequests: c.maxRequests, MaxBytes: c.maxBytes}, Guard: c.guard,
	}
}
