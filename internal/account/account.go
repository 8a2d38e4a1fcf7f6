package account

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options say what is counted, and how much a call may take. The zero value counts and bounds
// nothing.
type Options struct {
	Report      *Report // nil counts nothing
	MaxRequests int     // requests that are sent at most; 0 is no limit
	MaxBytes    int64   // bytes of values that are read and written at most; 0 is no limit
}

func (o Options) bounds() bool { return o.MaxRequests > 0 || o.MaxBytes > 0 }

// Account is what one call has taken.
type Account struct {
	o        Options
	below    store.Store  // as the user has it
	requests atomic.Int64 // admitted
	reserved atomic.Int64 // bytes that were admitted
	moved    atomic.Int64 // bytes that were read and written
}

// listenerKey is the key of the context's value: the Counts that listen to it.
type listenerKey struct{}

// Begin begins the account of one call on s: the call is to use the context and the store that it
// returns. That store counts the requests of the call, and refuses with fault.Limit those beyond
// its bounds. s is the store as the user has it, never one that Begin returned, which would count
// twice. With the zero Options they are ctx and s themselves, and the Account is nil.
func Begin(ctx context.Context, s store.Store, o Options) (context.Context, store.Store, *Account) {
	if o == (Options{}) {
		return ctx, s, nil
	}
	a := &Account{o: o, below: s}
	if r := o.Report; r != nil && ctx.Value(listenerKey{}) != r.Counts { // a call within a call is heard once
		ctx = store.WithTrace(context.WithValue(ctx, listenerKey{}, r.Counts), r.listener())
	}
	return ctx, over(s, a.around), a
}

// around counts requests, and admits each by itself.
func (a *Account) around(s store.Store) store.Store {
	h := store.Hooks{After: a.after}
	if a.o.bounds() {
		h.Before = a.before
	}
	return store.Around(s, h)
}

// over puts a layer around a store, or around the store below one that answers requests itself.
func over(s store.Store, around func(store.Store) store.Store) store.Store {
	if l, ok := s.(Layer); ok {
		return l.Over(around)
	}
	return around(s)
}

// Layer is a store that answers some requests itself: those are not requests of a call.
type Layer interface {
	// Over returns the same layer over what f makes of the store below.
	Over(f func(store.Store) store.Store) store.Store
}

// Fits refuses, with fault.Limit, a call that is going to take at least so many requests, before
// the first one.
func (a *Account) Fits(least int) error {
	if a == nil || a.o.MaxRequests == 0 || least <= a.o.MaxRequests {
		return nil
	}
	return fault.Newf(fault.Limit, "Limits.Requests is %d, and the selection needs at least %d", a.o.MaxRequests, least)
}

// AdmitAll admits a list of requests that are known to read and write so many bytes, 0 where that
// is not known: all of them or, with fault.Limit, none. They are sent to the store that it returns;
// further requests to that store are admitted one by one. s is the store that Begin returned, and
// is returned where nothing is bounded. Retries and hedges of the store are not requests of the
// call.
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

// list is requests that are admitted and not sent yet.
type list struct {
	*Account
	left atomic.Int64
}

func (l *list) around(s store.Store) store.Store {
	return store.Around(s, store.Hooks{Before: l.before, After: l.after})
}

// before lets the requests of the list pass, and others as the account does.
func (l *list) before(ctx context.Context, c store.Call) (context.Context, error) {
	if l.left.Add(-1) < 0 {
		return l.Account.before(ctx, c)
	}
	return ctx, l.spent(c)
}

// Refused reports whether err is the refusal of a request that was not admitted, and not sent.
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

// add adds n unless that, added to what is there or to floor, is more than most; 0 is no limit.
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

// Chunks counts chunks that were read or written, and how many of them are not stored.
func (a *Account) Chunks(n, missing int) {
	if r := a.report(); r != nil {
		r.Chunks.Add(int64(n))
		r.Missing.Add(int64(missing))
	}
}

// Conflict counts a write, or a read of a shard, that begins again because the value was replaced
// meanwhile.
func (a *Account) Conflict() {
	if r := a.report(); r != nil {
		r.Conflicts.Add(1)
	}
}

// Rewritten counts an object that was read and written again, because a part of it was written.
func (a *Account) Rewritten() {
	if r := a.report(); r != nil {
		r.Rewritten.Add(1)
	}
}

// AskedAgain counts a value that is asked for again, because it is longer than was expected.
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

// before admits one request. Parts that were sent may always be removed.
func (a *Account) before(ctx context.Context, c store.Call) (context.Context, error) {
	if c.Op == store.OpAbort {
		return ctx, nil
	}
	if err := a.spent(c); err != nil {
		return ctx, err
	}
	return ctx, a.admit(1, c.Bytes)
}

// spent refuses requests of a call that has moved all the bytes it may: where lengths are not known
// beforehand, MaxBytes is exceeded by at most the requests in flight.
func (a *Account) spent(c store.Call) error {
	if most := a.o.MaxBytes; most > 0 && a.moved.Load() >= most && c.Op != store.OpAbort {
		return &fault.KeyError{Op: string(c.Op), Key: c.Key, Err: a.tooMany()}
	}
	return nil
}

func (a *Account) after(_ context.Context, c store.Call, r store.Result) {
	if r.Unsupported { // no request was made
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
