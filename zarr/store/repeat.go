package store

import (
	"context"
	"sync/atomic"
	"time"
)

// Repeat marks the context of a request that is sent again. Package retry sets it. Layers below
// send repeats before first tries, and add with [Repeat.Hold] how long they kept the request back,
// so that this time does not count as time that the service took.
type Repeat struct {
	Try  int // failed tries of the request before this one, at least 1
	held atomic.Int64
}

type repeatKey struct{}

// WithRepeat returns a context that carries r. Each try needs a Repeat of its own.
func WithRepeat(ctx context.Context, r *Repeat) context.Context {
	return context.WithValue(ctx, repeatKey{}, r)
}

// RepeatOf returns the Repeat of ctx, or nil for a first try. It does not allocate.
func RepeatOf(ctx context.Context) *Repeat {
	r, _ := ctx.Value(repeatKey{}).(*Repeat)
	return r
}

// Hold adds d to the time that the request was kept back. r may be nil.
func (r *Repeat) Hold(d time.Duration) {
	if r != nil {
		r.held.Add(int64(d))
	}
}

// Held returns the time that the request was kept back.
func (r *Repeat) Held() time.Duration {
	if r == nil {
		return 0
	}
	return time.Duration(r.held.Load())
}
