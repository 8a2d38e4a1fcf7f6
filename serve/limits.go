package serve

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Limits bound the requests of clients. A field of 0 means the default.
type Limits struct {
	// Bytes is the maximum number of bytes that a request may read from the source. The default
	// is 256 MiB.
	Bytes int64
	// Requests is the maximum number of requests that a request may send to the source. The
	// default is 10,000.
	Requests int64
	// Time is the maximum duration of a request, with the transfer of its bodies. The default is one
	// minute.
	Time time.Duration
	// Concurrent is the maximum number of requests that run at the same time. As many others wait;
	// further ones get status 503. The default is 64.
	Concurrent int
	// Body is the maximum length of the body of a PUT. The default is 64 MiB.
	Body int64
}

func (l Limits) withDefaults() Limits {
	def := func(n *int64, v int64) {
		if *n <= 0 {
			*n = v
		}
	}
	def(&l.Bytes, 256<<20)
	def(&l.Requests, 10_000)
	def(&l.Body, 64<<20)
	def((*int64)(&l.Time), int64(time.Minute))
	if l.Concurrent <= 0 {
		l.Concurrent = 64
	}
	return l
}

// admit returns an error for status 413 if a need exceeds the limits. An endpoint calls it before it
// sends a request.
func (l Limits) admit(need store.Amount) error {
	if need.Requests() <= l.Requests && need.BytesRead <= l.Bytes {
		return nil
	}
	return &refusal{
		status: http.StatusRequestEntityTooLarge, text: "the request needs more of the source than a request may use",
		plan: &planned{need.Requests(), need.BytesRead, bound{l.Requests, l.Bytes}},
	}
}

// admitPlan is admit for the maximum need of a read. The arguments are the results of
// dataset.Variable.Plan or zarr.Array.Plan.
func (l Limits) admitPlan(p *zarr.Plan, err error) error {
	if err != nil {
		return err
	}
	_, most := p.Bounds()
	return l.admit(most)
}

// account counts the requests that one request of a client sends to its source.
type account struct {
	limits          Limits
	requests, bytes atomic.Int64
}

type accountKey struct{}

func withAccount(ctx context.Context, a *account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// counted returns a store that counts each request in the account of its context, and refuses
// requests beyond the limits.
func counted(st store.Store) store.Store {
	of := func(ctx context.Context) *account {
		a, _ := ctx.Value(accountKey{}).(*account)
		return a
	}
	return store.Around(st, store.Hooks{
		Before: func(ctx context.Context, _ store.Call) (context.Context, error) {
			a := of(ctx)
			if a == nil {
				return ctx, nil
			}
			if a.requests.Add(1) > a.limits.Requests || a.bytes.Load() > a.limits.Bytes {
				return nil, fault.Newf(fault.Limit, "the request needs more of the source than a request may use")
			}
			return ctx, nil
		},
		After: func(ctx context.Context, c store.Call, r store.Result) {
			if a := of(ctx); a != nil && c.Op == store.OpGet {
				a.bytes.Add(r.Bytes)
			}
		},
	})
}
