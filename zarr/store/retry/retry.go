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

// Store retries the requests to another store. Use [New] to make one.
type Store struct {
	store.Forward
	p policy
}

// Provide implements [store.Provider] with the *Quota of s:
//
//	var quota *retry.Quota
//	ok := store.As(st, &quota)
func (s *Store) Provide(target any) bool {
	q, ok := target.(**Quota)
	if ok {
		*q = s.p.quota
	}
	return ok
}

type policy struct {
	tries          int
	elapsed        time.Duration
	first, longest time.Duration
	notify         func(store.Retry)
	quota          *Quota
}

// run is the state of one request and its retries.
type run struct {
	s       *Store
	op, key string
	start   time.Time     // time of the first attempt or of the last progress
	failed  int           // number of attempts since start
	unsent  int           // attempts that were not sent for lack of quota
	counted int           // attempts that count against the limit of attempts
	answers uint64        // number of responses of the bucket up to the last failed attempt
	repeat  *store.Repeat // Repeat of the current attempt; nil for the first
	taken   int           // number of retries taken from the quota
	spent   time.Duration // time used since start
	hinted  time.Duration // further time since start, of waits that the server requested
	began   time.Time     // time at which the current attempt started
	last    error         // error of the last failed attempt, until the request makes progress
}

// longTry is the maximum time that one attempt adds to the elapsed time. Providers close a stalled
// request after 30 s, and a stalled write after 60 s, so a longer attempt made progress. An upload
// that breaks after an hour is therefore still retried.
const longTry = time.Minute

func (s *Store) run(op, key string) *run {
	now := time.Now()
	return &run{s: s, op: op, key: key, start: now, began: now}
}

// progress resets the count of failures after part of the data has arrived, because the store
// responds.
func (r *run) progress() {
	now := time.Now()
	r.failed, r.unsent, r.counted, r.spent, r.hinted, r.start, r.began, r.last = 0, 0, 0, 0, 0, now, now, nil
	r.answered()
}

// context returns the context of the current attempt. For a retry it contains a store.Repeat.
func (r *run) context(ctx context.Context) context.Context {
	if r.repeat == nil {
		return ctx
	}
	return store.WithRepeat(ctx, r.repeat)
}

// answered returns the retries of the request to the quota, because they led to a response.
func (r *run) answered() {
	r.s.p.quota.answered(r.taken)
	r.taken = 0
}

// settle reports the end of a request to the quota. If the request ended without a response, its
// retries are not added back.
func (r *run) settle(ctx context.Context, err error) {
	if err == nil && r.last != nil {
		concurrency.Failing(ctx, nil)
	}
	if err == nil || !retryable(err) && ctx.Err() == nil {
		r.s.p.quota.settled(r.sent(), r.taken)
		r.taken = 0
	}
}

// sent returns the number of failed attempts that were sent.
func (r *run) sent() int { return r.failed - r.unsent }

// tried counts a failed or unsent attempt. The attempt counts against the limit, unless full is
// true and the bucket has responded to other requests since the previous attempt. The first attempt
// always counts, so that Tries(1) never retries.
func (r *run) tried(full bool) {
	now := time.Now()
	r.failed++
	answers := r.s.p.quota.answers.Load()
	if !full || answers == r.answers || r.failed == 1 {
		r.counted++
	}
	r.answers = answers
	r.spent += min(max(0, now.Sub(r.began)-r.repeat.Held()), longTry)
	r.began = now
}

// look returns a Get that reads back the result of a write. The failed attempts and the elapsed
// time of the Get count against the limits of the write, and the bytes that the Get reads are no
// progress of the write.
func (r *run) look(ctx context.Context) getter {
	return func(key string, o store.GetOptions, buf []byte) (store.Value, error) {
		own := *r
		own.op, own.key, own.began, own.taken, own.repeat = "get", key, time.Now(), 0, &store.Repeat{Try: max(1, r.sent())}
		v, err := r.s.get(ctx, &own, key, o, buf)
		r.failed, r.counted, r.spent, r.hinted, r.began = max(r.failed, own.failed), max(r.counted, own.counted), max(r.spent, own.spent), max(r.hinted, own.hinted), time.Now()
		return v, err
	}
}

type getter func(key string, o store.GetOptions, buf []byte) (store.Value, error)

func retryable(err error) bool {
	return errors.Is(err, fault.Throttled) || errors.Is(err, fault.Unavailable)
}

// retry waits for the next attempt and returns nil, or returns the final error of the request. err
// is the error of the last attempt. While the quota is exhausted, the attempt is not sent and retry
// waits again. Unsent and refused attempts do not count against the limit while the bucket responds
// to other requests, because the bucket is only busy.
func (r *run) retry(ctx context.Context, err error) error {
	if !retryable(err) {
		if r.last != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) && !errors.As(err, new(*fault.Interrupted)) { // while it waited to be sent, or in flight
			return r.cancelled(ctx, r.last)
		}
		return err
	}
	if ctx.Err() != nil {
		return r.cancelled(ctx, err)
	}
	r.last = err
	concurrency.Failing(ctx, err)
	full := errors.Is(err, fault.Throttled)
	if full {
		r.s.p.quota.refused(r.sent())
		if r.repeat == nil {
			r.began = time.Now() // a refusal is quick, so the rest was a wait for a slot
		}
	}
	for {
		r.tried(full)
		wait, hint := r.wait(err)
		if r.hinted+hint > r.s.p.elapsed {
			wait, hint = wait+hint, 0 // counts as other waits do
		}
		if r.counted >= r.tries(err) || r.spent+wait > r.s.p.elapsed || full && r.s.p.quota.silence() > r.s.p.elapsed {
			return r.gaveUp(err)
		}
		r.spent += wait
		r.hinted += hint
		wait += hint
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

// tries returns the maximum number of attempts after err. An error with a method MaxTries() int,
// such as a page that a server sends instead of every absent value, lowers the number.
func (r *run) tries(err error) int {
	var few interface{ MaxTries() int }
	if errors.As(err, &few) {
		return min(r.s.p.tries, max(1, few.MaxTries()))
	}
	return r.s.p.tries
}

func (r *run) event(wait time.Duration, err error) store.Retry {
	return store.Retry{Op: store.Op(r.op), Key: r.key, Try: r.failed, Elapsed: time.Since(r.start), Wait: wait, Left: r.left(), Err: err}
}

// left returns the maximum time until the request fails.
func (r *run) left() time.Duration {
	left := max(0, r.s.p.elapsed-r.spent)
	if r.hinted > 0 {
		left += max(0, r.s.p.elapsed-r.hinted)
	}
	return left
}

func trace(ctx context.Context, r store.Retry) {
	if t := store.TraceOf(ctx); t != nil && t.Retry != nil {
		t.Retry(ctx, r)
	}
}

// restart counts a failed attempt and returns nil if the request may start over immediately.
// Otherwise it returns the final error of the request.
func (r *run) restart(ctx context.Context, err error) error {
	r.tried(false)
	r.repeat = &store.Repeat{Try: r.sent()}
	if r.counted >= r.s.p.tries || r.spent > r.s.p.elapsed {
		return r.gaveUp(err)
	}
	trace(ctx, r.event(0, err))
	return nil
}

// wait returns the time to wait before the next attempt, and the time that is added to it because
// the server requested a wait. The time is random, so that clients that failed together do not
// retry together. Its upper bound doubles with each attempt. After throttling it is at least half
// of the bound, because immediate retries would be refused again, and the bound is lower while few
// requests are refused or retries cure refusals.
func (r *run) wait(err error) (wait, hint time.Duration) {
	bound, least := r.s.p.longest, time.Duration(0)
	if shift := r.failed - 1; shift < 30 && r.s.p.first < bound>>shift {
		bound = r.s.p.first << shift
	}
	hint = r.hint(err, bound)
	if errors.Is(err, fault.Throttled) {
		share, longest := r.s.p.quota.waitFactors()
		bound = time.Duration(min(float64(bound)*share, float64(r.s.p.longest)*longest))
		least = bound / 2
	}
	return least + rand.N(bound-least+1), hint
}

// longestHint is the maximum wait that the server can request with one response.
const longestHint = time.Minute

// hint returns the wait that the server requested with err (Retry-After), or less. A server that
// serves other requests is only busy. Some servers request a minute with each refusal even then, so
// the hint counts at most as bound, the bound of the wait while all requests are refused, which
// doubles with each attempt. If the refusal concerns only the key of the request, the whole hint
// applies.
func (r *run) hint(err error, bound time.Duration) time.Duration {
	var after interface{ RetryAfter() time.Duration }
	if !errors.As(err, &after) {
		return 0
	}
	hint := min(max(0, after.RetryAfter()), longestHint)
	var key interface{ OneKey() bool }
	if errors.As(err, &key) && key.OneKey() {
		return hint
	}
	return min(hint, bound)
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
	return fmt.Sprintf("%v (tried %s in %v; %d further attempts were not sent because too many requests to the bucket were failing)", g.err, times, took, g.unsent)
}
func (g *gaveUp) Unwrap() error { return g.err }

// cancelled returns the error after ctx has ended. It matches the end of ctx and the kind of the
// last failure.
func (r *run) cancelled(ctx context.Context, last error) error {
	return r.fail(nil, &fault.Interrupted{Err: ctx.Err(), Last: last})
}

func (r *run) fail(kind, err error) error {
	return &fault.KeyError{Op: r.op, Store: r.s.String(), Key: r.key, Kind: kind, Err: err}
}

// do calls f until it succeeds or retry gives up. f gets the context of the attempt, and may be
// called several times.
func (r *run) do(ctx context.Context, f func(context.Context) error) (err error) {
	defer func() { r.settle(ctx, err) }()
	for {
		if err = f(r.context(ctx)); err == nil {
			return nil
		}
		if err = r.retry(ctx, err); err != nil {
			return err
		}
	}
}
