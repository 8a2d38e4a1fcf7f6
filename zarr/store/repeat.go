package store

import (
	"context"
	"sync/atomic"
	"time"
)

// Repeat marks the context of a retried request. Package retry adds it to the context. The layers
// below retry send retries before first attempts. They pass the delay of a request to
// [Repeat.Hold], so that the delay does not count as response time.
type Repeat struct {
	Try  int // number of failed attempts of the request so far, at least 1
	held atomic.Int64
}

type repeatKey struct{}

// WithRepeat returns a context that carries r. Each attempt needs its own Repeat.
func WithRepeat(ctx context.Context, r *Repeat) context.Context {
	return context.WithValue(ctx, repeatKey{}, r)
}

// RepeatOf returns the Repeat of ctx, or nil for a first attempt. It does not allocate.
func RepeatOf(ctx context.Context) *Repeat {
	r, _ := ctx.Value(repeatKey{}).(*Repeat)
	return r
}

// Hold adds d to the time that the request was delayed. r may be nil.
func (r *Repeat) Hold(d time.Duration) {
	if r != nil {
		r.held.Add(int64(d))
	}
}

// Held returns the time that the request was delayed. r may be nil.
func (r *Repeat) Held() time.Duration {
	if r == nil {
		return 0
	}
	return time.Duration(r.held.Load())
}
