package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store retries. Make it with [New].
type Store struct {
	store.Forward
	p policy
}

type policy struct {
	tries          int
	elapsed        time.Duration
	first, longest time.Duration
	notify         func(store.Retry)
	quota          *Quota
}

// run is one request and its repeats.
type run struct {
	s       *Store
	op, key string
	start   time.Time     // of the first try or of the last progress
	failed  int           // tries since then
	unsent  int           // those of them that the quota kept from being sent
	vain    int           // those of them that count: the bucket was not only full
	answers uint64        // of the bucket, when the last try failed
	repeat  *store.Repeat // the try under way; nil for the first
	taken   int           // of the quota, for the others
	spent   time.Duration // of the budget since then
	began   time.Time     // the try under way
}

// longTry is how much of the time budget a try costs at most. A provider gives up a request that
// stands still after half a minute, or twice that for a write, so one that takes longer was moving:
// an upload of an hour that breaks is worth another.
const longTry = time.Minute

func (s *Store) run(op, key string) *run {
	now := time.Now()
	return &run{s: s, op: op, key: key, start: now, began: now}
}

// progress forgets the failures so far: the store does answer, if in pieces.
func (r *run) progress() {
	now := time.Now()
	r.failed, r.unsent, r.vain, r.spent, r.start, r.began = 0, 0, 0, 0, now, now
	r.answered()
}

// context returns the context of the try under way, which says so where it is a repeat.
func (r *run) context(ctx context.Context) context.Context {
	if r.repeat == nil {
		return ctx
	}
	return store.WithRepeat(ctx, r.repeat)
}

// answered gives back to the quota: the repeats were of use.
func (r *run) answered() {
	r.s.p.quota.answered(r.taken)
	r.taken = 0
}

// settle looks at how a request ended. What is no answer takes its repeats with it.
func (r *run) settle(ctx context.Context, err error) {
	if err == nil || !retryable(err) && ctx.Err() == nil {
		r.s.p.quota.settled(r.sent(), r.taken)
		r.taken = 0
	}
}

// sent is how many tries that failed were sent.
func (r *run) sent() int { return r.failed - r.unsent }

// tried counts a try that failed, or that was not sent. It is in vain, unless the bucket has
// answered other requests since the one before and was only full. The first always is, so that
// Tries(1) is never.
func (r *run) tried(full bool) {
	now := time.Now()
	r.failed++
	answers := r.s.p.quota.answers.Load()
	if !full || answers == r.answers || r.failed == 1 {
		r.vain++
	}
	r.answers = answers
	r.spent += min(max(0, now.Sub(r.began)-r.repeat.Held()), longTry)
	r.began = now
}

// look gives a Get for reading back what became of a write, out of the same budget: the write may
// have no more tries because of it, and not more time than it has. What arrives of a value that is
// read back is no progress of the write.
func (r *run) look(ctx context.Context) getter {
	return func(key string, o store.GetOptions, buf []byte) (store.Value, error) {
		own := *r
		own.op, own.key, own.began, own.taken, own.repeat = "get", key, time.Now(), 0, &store.Repeat{Try: max(1, r.sent())}
		v, err := r.s.get(ctx, &own, key, o, buf)
		r.failed, r.vain, r.spent, r.began = max(r.failed, own.failed), max(r.vain, own.vain), max(r.spent, own.spent), time.Now()
		return v, err
	}
}

type getter func(key string, o store.GetOptions, buf []byte) (store.Value, error)

func retryable(err error) bool {
	return errors.Is(err, fault.Throttled) || errors.Is(err, fault.Unavailable)
}

// again waits for the next try and returns nil, or the error to give up with. err was the last
// try's. A try that the quota has nothing for is not sent: what fails then waits on. Neither such a
// try nor a refusal counts as one of the tries while the bucket answers other requests: it is full
// then, and only time bounds how long the request is repeated.
func (r *run) again(ctx context.Context, err error) error {
	if !retryable(err) {
		return err
	}
	if ctx.Err() != nil {
		return r.cancelled(ctx, err)
	}
	full := errors.Is(err, fault.Throttled)
	if full {
		r.s.p.quota.refused(r.sent())
		if r.repeat == nil {
			r.began = time.Now() // a refusal takes a moment; the rest of a first try was a wait for its turn
		}
	}
	for {
		r.tried(full)
		wait := r.wait(err)
		if r.vain >= r.s.p.tries || r.spent+wait > r.s.p.elapsed || full && r.s.p.quota.silence() > r.s.p.elapsed {
			return r.gaveUp(err)
		}
		r.spent += wait
		event := r.event(wait, err)
		if r.s.p.notify != nil {
			r.s.p.notify(event)
		}
		if concurrency.Sleep(ctx, wait) != nil {
			return r.cancelled(ctx, err)
		}
		r.began = time.Now()
		if r.s.p.quota.take() {
			r.taken++
			r.repeat = &store.Repeat{Try: r.sent()}
			trace(ctx, event)
			return nil
		}
		r.unsent++
		r.repeat, full = nil, true
		if t := store.TraceOf(ctx); t != nil && t.Wait != nil {
			t.Wait(ctx, store.Wait{For: store.WaitQuota, Took: wait})
		}
	}
}

func (r *run) event(wait time.Duration, err error) store.Retry {
	return store.Retry{Op: store.Op(r.op), Key: r.key, Try: r.failed, Elapsed: time.Since(r.start), Wait: wait, Err: err}
}

func trace(ctx context.Context, r store.Retry) {
	if t := store.TraceOf(ctx); t != nil && t.Retry != nil {
		t.Retry(ctx, r)
	}
}

// anew counts a try that is repeated at once and from its beginning, or gives the error to give up
// with.
func (r *run) anew(ctx context.Context, err error) error {
	r.tried(false)
	r.repeat = &store.Repeat{Try: r.sent()}
	if r.vain >= r.s.p.tries || r.spent > r.s.p.elapsed {
		return r.gaveUp(err)
	}
	trace(ctx, r.event(0, err))
	return nil
}

// wait is random, so that many clients that failed together do not come back together: from none to
// a bound that doubles with each try. Of a service that throttles it is from half the bound, as
// what comes back at once is refused again, and the bound is lower where few are refused or
// repeating cures it. What the server asks for comes before it, as it asks the same of all.
func (r *run) wait(err error) time.Duration {
	bound, least := r.s.p.longest, time.Duration(0)
	if shift := r.failed - 1; shift < 30 && r.s.p.first < bound>>shift {
		bound = r.s.p.first << shift
	}
	if errors.Is(err, fault.Throttled) {
		share, longest := r.s.p.quota.patience()
		bound = time.Duration(min(float64(bound)*share, float64(r.s.p.longest)*longest))
		least = bound / 2
	}
	wait := least + rand.N(bound-least+1)
	var asks interface{ RetryAfter() time.Duration }
	if errors.As(err, &asks) {
		wait += asks.RetryAfter()
	}
	return wait
}

func (r *run) gaveUp(err error) error {
	if r.failed < 2 {
		return err
	}
	return &gaveUp{r.failed - r.unsent, r.unsent, time.Since(r.start), err}
}

type gaveUp struct {
	tries  int
	unsent int
	took   time.Duration
	err    error
}

func (g *gaveUp) Error() string {
	took := g.took.Round(time.Millisecond)
	if g.unsent == 0 {
		return fmt.Sprintf("%v (tried %d times in %v)", g.err, g.tries, took)
	}
	times := "once"
	if g.tries > 1 {
		times = fmt.Sprintf("%d times", g.tries)
	}
	return fmt.Sprintf("%v (tried %s in %v; of %d more tries none was sent, as too many requests to the bucket were failing)", g.err, times, took, g.unsent)
}
func (g *gaveUp) Unwrap() error { return g.err }

// cancelled has no kind, as the contract asks, but tells what the last try said.
func (r *run) cancelled(ctx context.Context, last error) error {
	return r.fail(nil, fmt.Errorf("%w; before that: %v", ctx.Err(), last))
}

func (r *run) fail(kind, err error) error {
	return &fault.KeyError{Op: r.op, Store: r.s.String(), Key: r.key, Kind: kind, Err: err}
}

// do repeats f, which may be sent any number of times, with the context of each try.
func (r *run) do(ctx context.Context, f func(context.Context) error) (err error) {
	defer func() { r.settle(ctx, err) }()
	for {
		if err = f(r.context(ctx)); err == nil {
			return nil
		}
		if err = r.again(ctx, err); err != nil {
			return err
		}
	}
}
