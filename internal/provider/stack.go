package provider

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/hedge"
	"github.com/zargo-io/zargo/zarr/store/large"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// Stack is what options say about the layers around a provider.
type Stack struct {
	InFlight int           // 0 is the provider's default
	Stall    time.Duration // how long a request may stand still; 0 is DefaultStall
	Retry    []retry.Option
	Limits   *concurrency.Limits // nil is concurrency.Default()
	Hedge    bool                // slow reads are made twice
	ReadOnly bool                // writes are refused

	// Requests, and bytes of values, that all stores with the same numbers move on the bucket in a
	// second; 0 is no bound.
	RequestRate, ByteRate float64
}

// Bucket is what stores share that were opened on one bucket, and what it begins with.
type Bucket struct {
	// Name says which it is: the provider, the endpoint and the bucket, without the prefix that is
	// the store's own.
	Name string
	// Prefix is the store's own part of the bucket, "" being all of it.
	Prefix string
	// Own are clients and transports of the caller's, or nil: what they reach is a bucket of their
	// own.
	Own []any
	limit.Numbers
}

// name distinguishes buckets. It is empty for what cannot be distinguished.
func (b Bucket) name() string {
	name := b.Name
	for _, own := range b.Own {
		v := reflect.ValueOf(own)
		switch v.Kind() {
		case reflect.Invalid:
			continue
		case reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan:
			if !v.IsNil() {
				name += fmt.Sprintf(" %#x", v.Pointer())
			}
		default:
			return ""
		}
	}
	return name
}

// place gives the store.Place. Clients of the caller's are left out: that two stores are taken for
// one bucket costs what is known of its values, and is never wrong.
func (b Bucket) place(target any) bool {
	p, ok := target.(*store.Place)
	if ok {
		*p = store.Place{Root: b.Name}
		if b.Prefix != "" {
			p.Below = b.Prefix + "/"
		}
	}
	return ok
}

// leastStall keeps a limit from being meant in another unit.
const leastStall = time.Millisecond

// Check refuses fewer requests than one, and a stall limit that no request could keep.
func (s Stack) Check() error {
	if s.InFlight < 0 {
		return Usage("MaxInFlight(%d) is less than one", s.InFlight)
	}
	if s.Stall != 0 && s.Stall < leastStall {
		return Usage("StallTimeout(%v) is less than %v", s.Stall, leastStall)
	}
	if !(s.RequestRate >= 0) || math.IsInf(s.RequestRate, 0) {
		return Usage("RequestRate(%v) is not a number of requests in a second", s.RequestRate)
	}
	if !(s.ByteRate >= 0) || math.IsInf(s.ByteRate, 0) {
		return Usage("ByteRate(%v) is not a number of bytes in a second", s.ByteRate)
	}
	return nil
}

// Requests is how many requests are in flight at once.
func (s Stack) Requests(byDefault int) int {
	if s.InFlight > 0 {
		return s.InFlight
	}
	return byDefault
}

// Connections is how many connections there are at most: as many as requests may be in flight at
// once, by and by.
func (s Stack) Connections(b limit.Numbers) int {
	if s.InFlight > 0 {
		return s.InFlight
	}
	return b.Greatest()
}

// Why is the reason for that number in a store.Tuning: the provider's for its default, else who
// chose another.
func (s Stack) Why(byDefault string) string {
	if s.InFlight > 0 {
		return "chosen by MaxInFlight"
	}
	return byDefault
}

// Reasons for numbers that S3 and GCS, or all clouds, have in common.
const (
	GapReason    = "30 ms to the first byte at 80 MB/s is 2.4 MB: half of that is cheaper read than asked for"
	FanoutReason = "a walk waits for its slowest level; a quarter of the requests leaves room for reads"
)

// Build puts the layers around a provider, outermost first: large values in parts, retry, hedge
// where it is asked for, limit, and one that notes for what a request is made. A slot is free while
// retry waits. Slots and repeats are those of all stores of the process on the bucket. A read-only
// store is around all of them.
func (s Stack) Build(st store.Store, b Bucket) (store.Store, error) {
	limits := s.Limits
	if limits == nil {
		limits = concurrency.Default()
	}
	shared, name := limits.Requests, b.name()
	if name == "" {
		shared = nil
	}
	quota := concurrency.Share(shared, name, retry.NewQuota)
	n := b.Numbers
	n.RequestRate, n.ByteRate, n.Share, n.Cured = s.RequestRate, s.ByteRate, limits.Processes(), quota.Cures
	slots := concurrency.Share(shared, name+s.rates(n.Share), func() *limit.Bucket { return limit.NewBucket(n) })
	limited := limit.On(store.Around(st, store.Hooks{Before: note, Provide: b.place}), slots, s.InFlight)
	if s.Hedge {
		limited = hedge.New(limited, hedge.Options{Budget: limits.Bytes, Free: func() bool { return isFree(limited) }})
	}
	retried, err := retry.New(limited, append([]retry.Option{retry.From(quota)}, s.Retry...)...)
	if err != nil {
		return nil, err
	}
	top := large.New(retried, large.Options{})
	if s.ReadOnly {
		top = store.ReadOnly(top)
	}
	return top, nil
}

// rates distinguishes buckets in which stores keep to other rates.
func (s Stack) rates(share int) string {
	if s.RequestRate == 0 && s.ByteRate == 0 && share < 2 {
		return ""
	}
	return fmt.Sprintf(" %v requests and %v bytes a second of %d processes", s.RequestRate, s.ByteRate, share)
}

// isFree reports whether a request of a limited store would begin at once, as far as is known.
func isFree(s store.Store) bool {
	var m store.Measured
	return !store.As(s, &m) || m.Free > 0
}

// note gives the context of a request what Traced reports of it, where a trace listens.
func note(ctx context.Context, c store.Call) (context.Context, error) {
	if store.TraceOf(ctx) != nil {
		ctx = store.WithCall(ctx, c)
	}
	return ctx, nil
}
