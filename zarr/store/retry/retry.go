package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store retries. Make it with [New].
type Store struct {
	s store.Store
	p policy
}

// Unwrap gives the store below.
func (s *Store) Unwrap() store.Store { return s.s }

// String gives the name of the store below.
func (s *Store) String() string { return store.Name(s.s) }

// Close closes the store below.
func (s *Store) Close() error { return s.s.Close() }

type policy struct {
	tries          int
	elapsed        time.Duration
	first, longest time.Duration
	notify         func(Attempt)
}

// run is one request and its repeats.
type run struct {
	s       *Store
	op, key string
	start   time.Time // of the first try or of the last progress
	failed  int       // tries since then
}

func (s *Store) run(op, key string) *run { return &run{s: s, op: op, key: key, start: time.Now()} }

// progress forgets the failures so far: the store does answer, if in pieces.
func (r *run) progress() { r.failed, r.start = 0, time.Now() }

func retryable(err error) bool {
	return errors.Is(err, fault.Throttled) || errors.Is(err, fault.Unavailable)
}

// again waits for the next try and gives nil, or the error to give up with. err was the last try's.
func (r *run) again(ctx context.Context, err error) error {
	if !retryable(err) {
		return err
	}
	if ctx.Err() != nil {
		return r.cancelled(ctx, err)
	}
	r.failed++
	wait := r.wait(err)
	if r.failed >= r.s.p.tries || time.Since(r.start)+wait > r.s.p.elapsed {
		return r.gaveUp(err)
	}
	if r.s.p.notify != nil {
		r.s.p.notify(Attempt{r.op, r.key, r.failed, time.Since(r.start), wait, err})
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return r.cancelled(ctx, err)
	}
}

// anew counts a try that is repeated at once and from its beginning, or gives the error to give up with.
func (r *run) anew(err error) error {
	r.failed++
	if r.failed >= r.s.p.tries || time.Since(r.start) > r.s.p.elapsed {
		return r.gaveUp(err)
	}
	return nil
}

// wait is full jitter: many clients that failed together do not come back together.
func (r *run) wait(err error) time.Duration {
	bound := r.s.p.longest
	if shift := r.failed - 1; shift < 30 && r.s.p.first < bound>>shift {
		bound = r.s.p.first << shift
	}
	wait := rand.N(bound + 1)
	var asks interface{ RetryAfter() time.Duration }
	if errors.As(err, &asks) {
		wait = max(wait, asks.RetryAfter())
	}
	return wait
}

func (r *run) gaveUp(err error) error {
	if r.failed < 2 {
		return err
	}
	return &gaveUp{r.failed, time.Since(r.start), err}
}

type gaveUp struct {
	tries int
	took  time.Duration
	err   error
}

func (g *gaveUp) Error() string {
	return fmt.Sprintf("%v (tried %d times in %v)", g.err, g.tries, g.took.Round(time.Millisecond))
}
func (g *gaveUp) Unwrap() error { return g.err }

// cancelled has no kind, as the contract asks, but tells what the last try said.
func (r *run) cancelled(ctx context.Context, last error) error {
	return r.fail(nil, fmt.Errorf("%w; before that: %v", ctx.Err(), last))
}

func (r *run) fail(kind, err error) error {
	return &fault.KeyError{Op: r.op, Store: store.Name(r.s.s), Key: r.key, Kind: kind, Err: err}
}

// do repeats f, which may be sent any number of times.
func (r *run) do(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil {
			return nil
		}
		if err = r.again(ctx, err); err != nil {
			return err
		}
	}
}
