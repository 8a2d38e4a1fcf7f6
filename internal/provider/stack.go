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

// Stack is the configuration of the layers around a provider.
type Stack struct {
	InFlight int           // fixed number of requests in flight; 0 is the provider's default
	Stall    time.Duration // maximum time without progress of a request; 0 is DefaultStall
	Retry    []retry.Option
	Limits   *concurrency.Limits // nil is concurrency.Default()
	Hedge    bool                // slow reads are sent twice
	ReadOnly bool                // writes are refused

	// RequestRate limits the requests per second, and ByteRate limits the bytes of values per
	// second. Stores on the bucket with the same rates share these limits. 0 means no limit.
	RequestRate, ByteRate float64
}

// Bucket identifies a bucket, and contains the initial numbers of request slots. The stores on a
// bucket share request slots and the quota of retries.
type Bucket struct {
	// Name identifies the bucket: the provider, the endpoint and the bucket, without the prefix of
	// a store.
	Name string
	// Prefix is the prefix of the store in the bucket. "" means the whole bucket.
	Prefix string
	// Own contains the clients and transports of the caller, which may be nil. Only stores with the
	// same clients and transports share slots and quotas.
	Own []any
	limit.BucketOptions
}

// name returns a name for the bucket and the caller's clients. It returns "" if a client cannot be
// identified.
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

// place implements the method As of a store: if target is a *store.Place, it sets *target to the
// Place of the store and returns true. The clients of the caller are ignored, so two different
// buckets may have the same Place. A cache then drops more entries than necessary.
func (b Bucket) place(target any) bool {
	p, ok := target.(*store.Place)
	if ok {
		*p = store.Place{Root: b.Name, Below: b.below()}
	}
	return ok
}

// below returns "", or the prefix of the store with a trailing slash.
func (b Bucket) below() string {
	if b.Prefix == "" {
		return ""
	}
	return b.Prefix + "/"
}

// leastStall is the minimum of Stall. A smaller value probably has a wrong unit.
const leastStall = time.Millisecond

// Check returns a *store.UsageError if a number is out of range.
func (s Stack) Check() error {
	if s.InFlight < 0 {
		return Usage("MaxInFlight must be at least 0, is %d", s.InFlight)
	}
	if s.Stall != 0 && s.Stall < leastStall {
		return Usage("StallTimeout must be at least %v, is %v", leastStall, s.Stall)
	}
	if !(s.RequestRate >= 0) || math.IsInf(s.RequestRate, 0) {
		return Usage("RequestRate must be a finite number of requests per second, is %v", s.RequestRate)
	}
	if !(s.ByteRate >= 0) || math.IsInf(s.ByteRate, 0) {
		return Usage("ByteRate must be a finite number of bytes per second, is %v", s.ByteRate)
	}
	return nil
}

// Requests returns the number of requests in flight: InFlight or, if InFlight is 0, byDefault.
func (s Stack) Requests(byDefault int) int {
	if s.InFlight > 0 {
		return s.InFlight
	}
	return byDefault
}

// Connections returns the maximum number of connections, which is the maximum number of requests in
// flight that the limit layer permits.
func (s Stack) Connections(b limit.BucketOptions) int {
	if s.InFlight > 0 {
		return s.InFlight
	}
	return b.Greatest()
}

// Why returns the reason for the number of requests, for use in a store.Tuning. byDefault is the
// reason for the provider's default number.
func (s Stack) Why(byDefault string) string {
	if s.InFlight > 0 {
		return "set by MaxInFlight"
	}
	return byDefault
}

// Reasons for settings in a store.Tuning that several providers share.
const (
	GapReason    = "30 ms to the first byte at 80 MB/s are 2.4 MB: reading a gap of half of that is cheaper than another request"
	FanoutReason = "a walk waits for its slowest level; a quarter of the requests leaves the others for reads"
)

// Build adds the layers around a provider's store. From the outermost, the layers are: read-only
// (if ReadOnly is set), large values in parts, retry, hedge (if Hedge is set), limit, and a layer
// that adds the call to the context for traces. A request does not hold its slot while the retry
// layer waits. All stores of the process on the bucket share the slots and the quota of retries.
func (s Stack) Build(st store.Store, b Bucket) (store.Store, error) {
	limits := s.limits()
	shared, name := limits.Requests, b.name()
	if name == "" {
		shared = nil
	}
	quota := concurrency.Share(shared, name, retry.NewQuota)
	n := start(b.BucketOptions, availableCPUs())
	n.RequestRate, n.ByteRate, n.Share, n.Cured = s.RequestRate, s.ByteRate, limits.Processes(), quota.Cures
	slots := concurrency.ShareKept(shared, name+s.rates(n.Share), func() *limit.Bucket { return limit.NewBucket(n) })
	limited := limit.New(store.Around(st, store.Hooks{Before: note, Provide: b.place}), limit.Options{Bucket: slots, InFlight: s.InFlight})
	if s.Hedge {
		limited = hedge.New(limited, hedge.Options{
			Budget: limits.Bytes,
			Free:   func() bool { return isFree(limited) },
			Part:   func(key string) any { return slots.Part(store.OpGet, b.below(), key) },
		})
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

// start returns n with initial numbers of requests for this number of CPUs. With less than one CPU
// the number does not grow, because a larger one would keep the CPU no busier.
func start(n limit.BucketOptions, cpus float64) limit.BucketOptions {
	n.Most = n.Greatest()
	n.Reads, n.Writes = initial(n.Reads, cpus), initial(n.Writes, cpus)
	if cpus < 1 {
		n.Most = max(n.Reads, n.Writes)
	}
	return n
}

func (s Stack) limits() *concurrency.Limits {
	if s.Limits == nil {
		return concurrency.Default()
	}
	return s.Limits
}

// rates returns a suffix for the name of a bucket, so that stores with different rates do not share
// slots. It returns "" without rates.
func (s Stack) rates(share int) string {
	if s.RequestRate == 0 && s.ByteRate == 0 && share < 2 {
		return ""
	}
	return fmt.Sprintf(" %v requests and %v bytes a second of %d processes", s.RequestRate, s.ByteRate, share)
}

// isFree reports whether a request of a limited store would start without waiting. It returns true
// if this is unknown.
func isFree(s store.Store) bool {
	var m store.Measured
	return !store.As(s, &m) || m.Free > 0
}

// note adds the call to the context of a request for [Traced], if the context has a trace.
func note(ctx context.Context, c store.Call) (context.Context, error) {
	if store.TraceOf(ctx) != nil {
		ctx = withCall(ctx, c)
	}
	return ctx, nil
}
