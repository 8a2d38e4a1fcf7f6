package account

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Options configure the counters and limits of a call. The zero value counts and limits nothing.
type Options struct {
	Report      *Report // counts requests; may be nil
	MaxRequests int     // maximum requests, or 0 for no limit
	MaxBytes    int64   // maximum bytes of values that are read and written, or 0 for no limit
}

func (o Options) bounds() bool { return o.MaxRequests > 0 || o.MaxBytes > 0 }

// Account counts and limits the requests of one call to a store.
type Account struct {
	o        Options
	below    store.Store  // the user's store
	counted  bool         // the user's store counts its requests in the report
	requests atomic.Int64 // number of admitted requests
	reserved atomic.Int64 // admitted bytes
	moved    atomic.Int64 // bytes that were read and written
}

// listenerKey is the context key that is set if the Counts receive the events of the context.
type listenerKey struct{ *Counts }

// Begin starts the account of one call on s. The call must use the returned context and store. The
// store counts the requests of the call and returns fault.Limit for requests beyond the limits. s
// must be the user's store, which may be [Counted]: requests to a store that Begin returned would
// be counted twice. With the zero Options, Begin returns ctx, s and a nil Account.
func Begin(ctx context.Context, s store.Store, o Options) (context.Context, store.Store, *Account) {
	if o == (Options{}) {
		return ctx, s, nil
	}
	a := &Account{o: o, below: s}
	if r := o.Report; r != nil {
		ctx, a.counted = r.heard(ctx), isCounted(s, r)
	}
	return ctx, over(s, a.around), a
}

// around returns a store that counts requests to s. Before each request it checks the limits.
func (a *Account) around(s store.Store) store.Store {
	h := store.Hooks{After: a.after}
	if a.o.bounds() {
		h.Before = a.before
	}
	return store.Around(s, h)
}

// over returns wrap(s). If s is a Layer, over wraps the store below s instead.
func over(s store.Store, wrap func(store.Store) store.Store) store.Store {
	if l, ok := s.(Layer); ok {
		return l.Over(wrap)
	}
	return wrap(s)
}

// Layer is a store that serves some requests without the store below it. These requests are not
// counted.
type Layer interface {
	// Over returns a copy of the layer above f(s), where s is the store below this layer.
	Over(f func(store.Store) store.Store) store.Store
}

// Fits returns fault.Limit if the call needs more requests than its limit. least is the minimum
// number of requests of the call. Fits must be called before the first request.
func (a *Account) Fits(least int) error {
	if a == nil || a.o.MaxRequests == 0 || least <= a.o.MaxRequests {
		return nil
	}
	return fault.Newf(fault.Limit, "the selection needs at least %d requests, more than Limits.Requests (%d)", least, a.o.MaxRequests)
}

// AdmitAll admits a number of requests. bytes is the total number of bytes that these requests read
// and write, or 0 if unknown. If the requests exceed a limit, AdmitAll admits none of them and
// returns fault.Limit. The caller sends the admitted requests to the returned store. Further
// requests to that store are admitted one by one. s must be the store that Begin returned. AdmitAll
// returns s if there are no limits. Retries and hedges of the store are not counted as requests of
// the call.
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

// list counts admitted requests that are not yet sent.
type list struct {
	*Account
	left atomic.Int64
}

func (l *list) around(s store.Store) store.Store {
	return store.Around(s, store.Hooks{Before: l.before, After: l.after})
}

// before admits one request. It first uses up the requests that AdmitAll admitted. After these, it
// admits requests as the account does.
func (l *list) before(ctx context.Context, c store.Call) (context.Context, error) {
	if l.left.Add(-1) < 0 {
		return l.Account.before(ctx, c)
	}
	return ctx, l.spent(c)
}

// Refused reports whether err means that a request was not admitted and therefore not sent.
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

// add adds n to sum and returns true, or returns false if max(sum, floor) + n exceeds limit. If
// limit is 0, there is no limit.
func add(sum *atomic.Int64, n, limit, floor int64) bool {
	for {
		now := sum.Load()
		if limit > 0 && n > limit-max(now, floor) {
			return false
		}
		if sum.CompareAndSwap(now, now+n) {
			return true
		}
	}
}

// Chunks counts n chunks that were read or written. missing of these chunks are not in the store.
func (a *Account) Chunks(n, missing int) {
	if r := a.report(); r != nil {
		r.Chunks.Add(int64(n))
		r.Missing.Add(int64(missing))
	}
}

// Conflict counts a restart of a write, or of the read of a shard, because another writer replaced
// the value.
func (a *Account) Conflict() {
	if r := a.report(); r != nil {
		r.Conflicts.Add(1)
	}
}

// Rewritten counts an object that was read, changed in part and written again.
func (a *Account) Rewritten() {
	if r := a.report(); r != nil {
		r.Rewritten.Add(1)
	}
}

// AskedAgain counts a repeated request for a value that is longer than expected.
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

// before admits one request. A request that removes the parts of a value is always admitted.
func (a *Account) before(ctx context.Context, c store.Call) (context.Context, error) {
	if c.Op == store.OpAbort {
		return ctx, nil
	}
	if err := a.spent(c); err != nil {
		return ctx, err
	}
	return ctx, a.admit(1, c.Bytes)
}

// spent returns fault.Limit if the call has transferred MaxBytes. Requests in flight may exceed
// MaxBytes if their lengths are not known beforehand.
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
	if a.o.Report != nil && !a.counted {
		a.o.Report.asked(c.Op, r.Bytes)
	}
}
