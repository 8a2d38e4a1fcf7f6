package retry

import (
	"fmt"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Option changes how a Store retries.
type Option struct {
	name  string
	apply func(*policy) error
}

// String gives the option as it would be written.
func (o Option) String() string { return o.name }

// Tries sets how often a request is sent at most, the first time included. The default is 10, at
// least 1. Refusals after the first (fault.Throttled) do not count while the bucket answers other
// requests: [Elapsed] bounds them.
func Tries(n int) Option {
	return Option{fmt.Sprintf("Tries(%d)", n), func(p *policy) error {
		if n < 1 {
			return fault.Newf(fault.Limit, "retry.Tries(%d): at least one is needed", n)
		}
		p.tries = n
		return nil
	}}
}

// Elapsed sets how much time the tries that failed and the waits between them may take before no
// more is begun, counted anew from the last progress of a body. A try counts for a minute at most:
// one that takes longer was moving. Waits for a slot or a turn in package limit do not count. The
// default is 3 minutes.
func Elapsed(d time.Duration) Option {
	return Option{fmt.Sprintf("Elapsed(%v)", d), func(p *policy) error {
		if d < 0 {
			return fault.Newf(fault.Limit, "retry.Elapsed(%v) is negative", d)
		}
		p.elapsed = d
		return nil
	}}
}

// Backoff sets the bound of the first wait, which doubles with each try, and of the longest. The
// defaults are 100 ms and 15 s.
func Backoff(first, longest time.Duration) Option {
	return Option{fmt.Sprintf("Backoff(%v, %v)", first, longest), func(p *policy) error {
		if first <= 0 || longest < first {
			return fault.Newf(fault.Limit, "retry.Backoff(%v, %v): the first must be above zero and the longest not below it", first, longest)
		}
		p.first, p.longest = first, longest
		return nil
	}}
}

// Notify calls f before each wait, from the goroutine that waits, so f must be quick and safe for
// concurrent calls. A [store.Trace] in the context of a call is called as well.
func Notify(f func(store.Retry)) Option {
	return Option{"Notify", func(p *policy) error { p.notify = f; return nil }}
}

// From takes repeats from a quota that other stores share. Without it a Store has one of its own.
// nil is for no bound over all requests.
func From(q *Quota) Option {
	return Option{"From", func(p *policy) error {
		if p.quota = q; q == nil {
			p.quota = unbounded()
		}
		return nil
	}}
}

// defaults are those of Apache's object_store: ten tries reach 15 s waits, about the time a
// partition of S3 takes to split; three minutes are more than any throttling by a healthy service,
// and less than anybody waits for a read.
func defaults() policy {
	return policy{tries: 10, elapsed: 3 * time.Minute, first: 100 * time.Millisecond, longest: 15 * time.Second}
}

// New makes s retry. An option out of bounds is fault.Limit. Close closes s.
func New(s store.Store, opts ...Option) (*Store, error) {
	p := defaults()
	p.quota = NewQuota()
	for _, o := range opts {
		if err := o.apply(&p); err != nil {
			return nil, err
		}
	}
	return &Store{store.Forward{Store: s}, p}, nil
}
