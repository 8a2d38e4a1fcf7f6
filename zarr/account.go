package zarr

import (
	"context"
	"sync/atomic"

	"github.com/zargo-io/zargo/internal/engine"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// call counts what one call asks of a store, and bounds it by MaxRequests.
type call struct {
	store.Store
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
		l := &call{Store: s, report: report, most: most}
		return ctx, l, l
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

func (l *call) Get(ctx context.Context, key string, o store.GetOptions, dst []byte) (store.Value, error) {
	l.report.get()
	v, err := l.Store.Get(ctx, key, o, dst)
	if err == nil {
		l.report.bytes(len(v.Bytes))
	}
	return v, err
}

func (l *call) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	v, err := l.Store.Put(ctx, key, b, o)
	l.report.put(len(b), err)
	return v, err
}

func (l *call) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	l.report.del()
	return l.Store.Delete(ctx, key, o)
}
