package zarr

import (
	"context"
	"sync/atomic"

	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// call counts what one call of the engine does, and bounds it by MaxRequests.
type call struct {
	report *Report // nil: nobody asked
	most   int     // requests; 0 is no bound
	used   atomic.Int64
}

// begin is how the engine begins a call; nil where calls are neither counted nor bounded.
func (c *config) begin() engine.Begin {
	if c.report == nil && c.maxRequests == 0 {
		return nil
	}
	report, most := c.report, c.maxRequests
	return func(ctx context.Context, s store.Store) (context.Context, store.Store, engine.Account) {
		if report != nil {
			s = store.Around(s, store.Hooks{After: report.request})
		}
		return ctx, s, &call{report: report, most: most}
	}
}

// engine is what the options say of calls that read and write.
func (c *config) engine() engine.Options {
	return engine.Options{Limits: c.limits, InFlight: c.inFlight, ChunkLimit: c.maxChunk, SingleWriter: c.singleWriter, StoreFill: c.storeFill, Begin: c.begin()}
}

// request counts a request that is over.
func (r *Report) request(_ context.Context, c store.Call, done store.Result) {
	switch c.Op {
	case store.OpGet:
		r.get()
		r.bytes(int(done.Bytes))
	case store.OpPut:
		r.Puts.Add(1)
		r.BytesWritten.Add(done.Bytes)
	case store.OpDelete:
		r.del()
	}
}

func (l *call) Bounded() bool { return l.most > 0 }

func (l *call) Fits(least int) error {
	if l.most > 0 && least > l.most {
		return fault.Newf(fault.Limit, "the selection takes %d requests or more, more than MaxRequests(%d)", least, l.most)
	}
	return nil
}

func (l *call) Admit(requests int, _ int64) error {
	if l.most > 0 && l.used.Add(int64(requests)) > int64(l.most) {
		return fault.Newf(fault.Limit, "the call needs more requests than MaxRequests(%d)", l.most)
	}
	return nil
}

func (l *call) Chunks(n, missing int) { l.report.chunks(n, missing) }

func (l *call) Conflict() { l.report.conflict() }
