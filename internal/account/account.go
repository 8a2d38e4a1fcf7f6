package account

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options configure the counts and limits of a call. The zero value counts and limits nothing.
type Options struct {
	Report      *Report // nil counts nothing
	MaxRequests int     // maximum requests; 0 is no limit
	MaxBytes    int64   // maximum bytes of values that are read and written; 0 is no limit
}

func (o Options) bounds() bool { return o.MaxRequests > 0 || o.MaxBytes > 0 }

// Account is the use of a store by one call.
type Account struct {
	o        Options
	below    store.Store  // the store of the user
	requests atomic.Int64 // admitted
	reserved atomic.Int64 // bytes that are admitted
	moved    atomic.Int64 // bytes that were read and written
}

// listenerKey is the context key of the Counts that listen to the context.
type listenerKey struct{}

// Begin starts the account of one call on s. The call must use the returned context and store. The
// store counts the requests of the call, and refuses those beyond its limits with fault.Limit. s is
// the store of the user, never one that Begin returned, which would count twice. With the zero
// Options, Begin returns ctx, s and a nil Account.
func Begin(ctx context.Context, s store.Store, o Options) (context.Context, store.Store, *Account) {
	if o == (Options{}) {
		return ctx, s, nil
	}
	a := &Account{o: o, below: s}
	// A nested call is counted once.
	if r := o.Report; r != nil && ctx.Value(listenerKey{}) != r.Counts {
		ctx = store.WithTrace(context.WithValue(ctx, listenerKey{}, r.Counts), r.listener())
	}
	return ctx, over(s, a.around), a
}

// around counts requests, and admits them one by one.
func (a *Account) around(s store.Store) store.Store {
	h := store.Hooks{After: a.after}
	if a.o.bounds() {
		h.Before = a.before
	}
	return store.Around(s, h)
}

// over wraps a store, or the store below a Layer.
func over(s store.Store, around func(store.Store) store.Store) store.Store {
	if l, ok := s.(Layer); ok {
		return l.Over(around)
	}
	return around(s)
}

// Layer is a store that responds to some requests without the store below. Those are not requests
// of a call.
type Layer interface {
	// Over returns the same layer over the result of f for the store below.
	Over(f func(store.Store) store.Store) store.Store
}

// Fits refuses a call that needs at least so many requests, before the first one, with fault.Limit.
func (a *Account) Fits(least int) error {
	if a == nil || a.o.MaxRequests == 0 || least <= a.o.MaxRequests {
		return nil
	}
	return fault.Newf(fault.Limit, "Limits.Requests is %d, and the selection needs at least %d", a.o.MaxRequests, least)
}

// AdmitAll admits a number of requests that read and write so many bytes, 0 if that is unknown. It
// admits all of them, or none with fault.Limit. The caller sends them to the returned store;
// further requests to that store are admitted one by one. s is the store that Begin returned, and
// is returned if there are no limits. Retries and hedges of the store are not requests of the call.
func (a *Account) AdmitAll(s store.Store, requests int, bytes int64) (store.Store, error) {
	if a == nil || !a.o.bounds() {
		return s, nil
	}
	if err := a.admit(requests, bytes); err != nil {
		return nil, err
	}
	l := &list{Account: a}
	l.left.Store(int64(requests))
	return over(a.below, l.around), nil
}

// list is admitted requests that are not yet sent.
type list struct {
	*Account
	left atomic.Int64
}

func (l *list) around(s store.Store) store.Store {
	return store.Around(s, store.Hooks{Before: l.before, After: l.after})
}

// before admits the requests of the list, and further ones as the account does.
func (l *list) before(ctx context.Context, c store.Call) (context.Context, error) {
	if l.left.Add(-1) < 0 {
		return l.Account.before(ctx, c)
	}
	return ctx, l.spent(c)
}

// Refused reports whether err is the refusal of a request that was not admitted, and so not sent.
func Refused(err error) bool {
	if err == nil {
		return false
	}
	var r *refusal
	return errors.As(err, &r)
}

type refusal struct{ error }

func (r *refusal) Unwrap() error { return r.error }

func (a *Account) admit(requests int, bytes int64) error {
	if !add(&a.requests, int64(requests), int64(a.o.MaxRequests), 0) {
		return &refusal{fault.Newf(fault.Limit, "the call needs more requests than Limits.Requests (%d)", a.o.MaxRequests)}
	}
	if !add(&a.reserved, bytes, a.o.MaxBytes, a.moved.Load()) {
		a.requests.Add(-int64(requests))
		return a.tooMany()
	}
	return nil
}

func (a *Account) tooMany() error {
	return &refusal{fault.Newf(fault.Limit, "the call needs more bytes than Limits.Bytes (%d)", a.o.MaxBytes)}
}

// add adds n to sum, unless n plus the larger of sum and floor is more than most. A most of 0 is no
// limit.
func add(sum *atomic.Int64, n, most, floor int64) bool {
	for {
		now := sum.Load()
		if most > 0 && n > most-max(now, floor) {
			return false
		}
		if sum.CompareAndSwap(now, now+n) {
			return true
		}
	}
}

// Chunks counts chunks that were read or written, and those of them that are not stored.
func (a *Account) Chunks(n, missing int) {
	if r := a.report(); r != nil {
		r.Chunks.Add(int64(n))
		r.Missing.Add(int64(missing))
	}
}

// Conflict counts a write, or a read of a shard, that is restarted because the value was replaced.
func (a *Account) Conflict() {
	if r := a.report(); r != nil {
		r.Conflicts.Add(1)
	}
}

// Rewritten counts an object that was read and written because part of it was written.
func (a *Account) Rewritten() {
	if r := a.report(); r != nil {
		r.Rewritten.Add(1)
	}
}

// AskedAgain counts a value that is requested again because it is longer than expected.
func (a *Account) AskedAgain() {
	if r := a.report(); r != nil {
		r.AskedAgain.Add(1)
	}
}

func (a *Account) report() *Report {
	if a == nil {
		return nil
	}
	return a.o.Report
}

// before admits one request. Removing the parts of a value is never refused.
func (a *Account) before(ctx context.Context, c store.Call) (context.Context, error) {
	if c.Op == store.OpAbort {
		return ctx, nil
	}
	if err := a.spent(c); err != nil {
		return ctx, err
	}
	return ctx, a.admit(1, c.Bytes)
}

// spent refuses requests after the call has transferred MaxBytes. If lengths are unknown
// beforehand, MaxBytes is exceeded by at most the requests in flight.
func (a *Account) spent(c store.Call) error {
	if most := a.o.MaxBytes; most > 0 && a.moved.Load() >= most && c.Op != store.OpAbort {
		return &fault.KeyError{Op: string(c.Op), Key: c.Key, Err: a.tooMany()}
	}
	return nil
}

func (a *Account) after(_ context.Context, c store.Call, r store.Result) {
	if r.Unsupported { // no request was sent
		if c.Op != store.OpAbort {
			a.requests.Add(-1)
		}
		return
	}
	a.moved.Add(r.Bytes)
	if a.o.Report != nil {
		a.o.Report.asked(c.Op, r.Bytes)
	}
}
