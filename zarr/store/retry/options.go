package retry

import (
	"fmt"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Option configures how a Store retries.
type Option struct {
	name  string
	apply func(*policy) error
}

// String returns the option as Go source.
func (o Option) String() string { return o.name }

// Tries sets the maximum number of attempts, including the first. Refused attempts
// (fault.Throttled) after the first do not count while the bucket responds to other requests;
// [Elapsed] limits them. The default is 10, and the minimum is 1.
func Tries(n int) Option {
	return Option{fmt.Sprintf("Tries(%d)", n), func(p *policy) error {
		if n < 1 {
			return fault.Newf(fault.Limit, "retry.Tries must be at least 1, is %d", n)
		}
		p.tries = n
		return nil
	}}
}

// Elapsed limits the total time of failed attempts and of the waits between them. No attempt starts
// after that time. Progress of a body restarts the time. An attempt counts as one minute at most,
// because a longer attempt has made progress. Delays in package limit do not count. Waits that the
// server requests (Retry-After) are limited separately, to the same total. The default is 3
// minutes, and the minimum is 0.
func Elapsed(d time.Duration) Option {
	return Option{fmt.Sprintf("Elapsed(%v)", d), func(p *policy) error {
		if d < 0 {
			return fault.Newf(fault.Limit, "retry.Elapsed must not be negative, is %v", d)
		}
		p.elapsed = d
		return nil
	}}
}

// Backoff sets the upper bound of the first wait and the maximum of all bounds. The bound doubles
// with each attempt. The defaults are 100 ms and 15 s. first must be positive, and longest must be
// at least first.
func Backoff(first, longest time.Duration) Option {
	return Option{fmt.Sprintf("Backoff(%v, %v)", first, longest), func(p *policy) error {
		if first <= 0 || longest < first {
			return fault.Newf(fault.Limit, "retry.Backoff(%v, %v): the first bound must be positive and the longest at least as long", first, longest)
		}
		p.first, p.longest = first, longest
		return nil
	}}
}

// Notify calls f before each wait. f runs in the goroutine that waits. It must be quick, and safe
// for concurrent calls. The functions of a [store.Trace] in the context are called as well. By
// default no function is called.
func Notify(f func(store.Retry)) Option {
	return Option{"Notify", func(p *policy) error { p.notify = f; return nil }}
}

// From sets the quota of retries, which other stores may share. If q is nil, only the limits of
// each request apply. The default is a separate quota for each Store.
func From(q *Quota) Option {
	return Option{"From", func(p *policy) error {
		if p.quota = q; q == nil {
			p.quota = unbounded()
		}
		return nil
	}}
}

// defaults returns the policy of Apache's object_store. With ten attempts the waits reach 15 s,
// which is about the time that S3 takes to split a partition. A healthy service does not throttle
// for three minutes.
func defaults() policy {
	return policy{tries: 10, elapsed: 3 * time.Minute, first: 100 * time.Millisecond, longest: 15 * time.Second}
}

// New returns a Store that retries requests to s. It returns fault.Limit if an option is out of
// range. Close closes s.
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
