package account

import (
	"context"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options say what is counted, and how much a call may take. The zero value counts and bounds
// nothing.
type Options struct {
	Report      *Report // nil counts nothing
	MaxRequests int     // requests that are admitted at most; 0 is no limit
	MaxBytes    int64   // bytes of values that are read and written at most; 0 is no limit
}

// Account is what one call has taken.
type Account struct {
	o        Options
	requests atomic.Int64 // admitted
	reserved atomic.Int64 // bytes that were admitted
	moved    atomic.Int64 // bytes that were read and written
}

// listenerKey is what a context holds the Report under that listens to it.
type listenerKey struct{}

// Begin begins the account of one call on s: the call is to use the context and the store that it
// returns. s is the store as the user has it, never one that Begin returned, which would count
// twice. With the zero Options they are ctx and s themselves, and the Account is nil.
func Begin(ctx context.Context, s store.Store, o Options) (context.Context, store.Store, *Account) {
	if o == (Options{}) {
		return ctx, s, nil
	}
	a := &Account{o: o}
	if r := o.Report; r != nil && ctx.Value(listenerKey{}) != r { // a call within a call is heard once
		ctx = store.WithTrace(context.WithValue(ctx, listenerKey{}, r), r.listener())
	}
	if o.Report == nil && o.MaxBytes == 0 {
		return ctx, s, a
	}
	if l, ok := s.(Layer); ok {
		return ctx, l.Over(a.around), a
	}
	return ctx, a.around(s), a
}

func (a *Account) around(s store.Store) store.Store {
	return store.Around(s, store.Hooks{Before: a.before, After: a.after})
}

// Layer is a store that answers some requests itself: those are no requests of a call.
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
	return fault.Newf(fault.Limit, "the selection takes %d requests or more, more than Limits.Requests (%d)", least, a.o.MaxRequests)
}

// Admit is called before so many requests are sent that are known to read and write so many bytes,
// 0 where that is not known. It admits all of them or, with fault.Limit, none. Retries and hedges
// of the store are no requests of the call.
func (a *Account) Admit(requests int, bytes int64) error {
	if a == nil {
		return nil
	}
	if !add(&a.requests, int64(requests), int64(a.o.MaxRequests), 0) {
		return fault.Newf(fault.Limit, "the call needs more requests than Limits.Requests (%d)", a.o.MaxRequests)
	}
	if !add(&a.reserved, bytes, a.o.MaxBytes, a.moved.Load()) {
		a.requests.Add(-int64(requests))
		return a.tooMany()
	}
	return nil
}

func (a *Account) tooMany() error {
	return fault.Newf(fault.Limit, "the call needs more bytes than Limits.Bytes (%d)", a.o.MaxBytes)
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

// before refuses requests of a call that has moved all the bytes it may: where lengths are not
// known beforehand, MaxBytes is exceeded by at most the requests that were under way.
func (a *Account) before(ctx context.Context, c store.Call) (context.Context, error) {
	if most := a.o.MaxBytes; most > 0 && a.moved.Load() >= most && c.Op != store.OpAbort {
		return ctx, &fault.KeyError{Op: string(c.Op), Key: c.Key, Err: a.tooMany()}
	}
	return ctx, nil
}

func (a *Account) after(_ context.Context, c store.Call, r store.Result) {
	if r.Unsupported {
		return // no request was made
	}
	a.moved.Add(r.Bytes)
	if a.o.Report != nil {
		a.o.Report.asked(c.Op, r.Bytes)
	}
}
