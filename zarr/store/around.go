package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/zargo-io/zargo/internal/provider/pages"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Op is the operation of a request.
type Op string

// The operations of a store.
const (
	OpGet    Op = "get"
	OpPut    Op = "put"
	OpDelete Op = "delete" // of one key, or of a batch
	OpList   Op = "list"   // of one page
	OpBegin  Op = "parts"  // start of an upload in parts
	OpPart   Op = "part"
	OpSent   Op = "sent" // listing of the parts that have arrived
	OpCommit Op = "commit"
	OpAbort  Op = "abort"
	OpCopy   Op = "copy"
)

// Call is one request to a store.
type Call struct {
	Op Op
	// Key is the key of the request. For an OpList it is the prefix, for a batch OpDelete the first
	// key, and for an OpCopy the destination.
	Key   string
	From  string    // source of an OpCopy
	Range Range     // of an OpGet
	Part  int       // number of the part of an OpPart
	Count int       // number of keys of an OpDelete; 0 for an OpList, else 1
	Bytes int64     // number of bytes to send
	Start time.Time // in Before the time of the call, in After the time at which Before returned
}

// Result is the outcome of a [Call].
type Result struct {
	Bytes int64 // bytes of values read or sent; 0 after an error
	Count int   // entries of an OpList, keys of an OpDelete, else 1
	Err   error
	// Unsupported is true if the store lacks the optional verb. Then no request was made, and Err
	// is errors.ErrUnsupported.
	Unsupported bool
}

// Hooks are called around each request to a store, in the goroutine that makes it. Each field may
// be nil. Hooks must be safe for concurrent calls.
type Hooks struct {
	// Before is called before the request, which is made with the context that Before returns. If
	// Before returns an error, the caller gets that error, and neither the request nor After is
	// called.
	Before func(context.Context, Call) (context.Context, error)
	// After is called when the request has ended, with the context that Before returned. It is also
	// called if the store below panics; in this case Err is fault.Unavailable.
	After func(context.Context, Call, Result)
	// Provide provides handles for [As]. Its handles take precedence over those of the store below.
	Provide func(target any) bool
}

// Around returns a store that calls hooks before and after each request to s. Use it for decorators
// that treat all verbs alike. The returned store has all optional verbs. A verb that s lacks
// returns errors.ErrUnsupported without calling the hooks. Close closes s.
//
// Each page of a listing is one request. If s lists without pages, each group of 1000 entries
// counts as one request, and is read before the caller gets its first entry. A resource that Before
// acquires and After releases is therefore never held while the consumer of a listing runs.
//
// The hooks are called for all requests, even if s refuses the key or the options.
func Around(s Store, h Hooks) Store { return &around{s, h} }

type around struct {
	s Store
	h Hooks
}

// errPanic is the error that After gets if the store panics.
var errPanic = fault.Newf(fault.Unavailable, "the store panicked")

func (a *around) before(ctx context.Context, c *Call) (context.Context, error) {
	c.Start = time.Now()
	if a.h.Before == nil {
		return ctx, nil
	}
	ctx, err := a.h.Before(ctx, *c)
	c.Start = time.Now()
	return ctx, err
}

// after calls the hook After for a request of one key, with a Result whose Count is 1.
func (a *around) after(ctx context.Context, c *Call, bytes int64, err error) {
	a.done(ctx, c, Result{Bytes: bytes, Count: 1, Err: err})
}

// optional calls the hook After for a request of an optional verb.
func (a *around) optional(ctx context.Context, c *Call, count int, err error) {
	a.done(ctx, c, Result{Count: count, Err: err, Unsupported: errors.Is(err, errors.ErrUnsupported)})
}

func (a *around) done(ctx context.Context, c *Call, r Result) {
	if r.Err != nil {
		r.Bytes = 0
	}
	if a.h.After != nil {
		a.h.After(ctx, *c, r)
	}
}

func (a *around) Get(ctx context.Context, key string, o GetOptions, buf []byte) (v Value, err error) {
	c := Call{Op: OpGet, Key: key, Range: o.Range, Count: 1}
	if ctx, err = a.before(ctx, &c); err != nil {
		return Value{}, err
	}
	err = errPanic // replaced when Get returns
	defer func() { a.after(ctx, &c, int64(len(v.Bytes)-len(buf)), err) }()
	return a.s.Get(ctx, key, o, buf)
}

func (a *around) Put(ctx context.Context, key string, value []byte, o PutOptions) (v Version, err error) {
	c := Call{Op: OpPut, Key: key, Count: 1, Bytes: int64(len(value))}
	if ctx, err = a.before(ctx, &c); err != nil {
		return "", err
	}
	err = errPanic
	defer func() { a.after(ctx, &c, c.Bytes, err) }()
	return a.s.Put(ctx, key, value, o)
}

func (a *around) Delete(ctx context.Context, key string, o DeleteOptions) (err error) {
	c := Call{Op: OpDelete, Key: key, Count: 1}
	if ctx, err = a.before(ctx, &c); err != nil {
		return err
	}
	err = errPanic
	defer func() { a.after(ctx, &c, 0, err) }()
	return a.s.Delete(ctx, key, o)
}

func (a *around) DeleteAll(ctx context.Context, keys []string) (err error) {
	bd, ok := a.s.(BatchDeleter)
	switch {
	case !ok:
		return errors.ErrUnsupported
	case len(keys) == 0:
		return bd.DeleteAll(ctx, keys)
	}
	c := Call{Op: OpDelete, Key: keys[0], Count: len(keys)}
	if ctx, err = a.before(ctx, &c); err != nil {
		return err
	}
	err = errPanic
	defer func() { a.optional(ctx, &c, len(keys), err) }()
	return bd.DeleteAll(ctx, keys)
}

func (a *around) List(ctx context.Context, prefix string, o ListOptions) iter.Seq2[Entry, error] {
	return pages.All(func(token string) ([]Entry, string, error) {
		return a.ListPage(ctx, prefix, o, token)
	}, a.walk(ctx, prefix, o))
}

func (a *around) ListPage(ctx context.Context, prefix string, o ListOptions, token string) (page []Entry, next string, err error) {
	pl, ok := a.s.(PageLister)
	if !ok {
		return nil, "", errors.ErrUnsupported
	}
	c := Call{Op: OpList, Key: prefix}
	if ctx, err = a.before(ctx, &c); err != nil {
		return nil, "", err
	}
	err = errPanic
	defer func() { a.optional(ctx, &c, len(page), err) }()
	return pl.ListPage(ctx, prefix, o, token)
}

// walked is the number of entries per request in a listing without pages. The cloud providers use
// the same page size.
const walked = 1000

// walk lists s, which lacks ListPage, in steps of up to walked entries.
func (a *around) walk(ctx context.Context, prefix string, o ListOptions) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		next, stop := iter.Pull2(a.s.List(ctx, prefix, o))
		defer stop()
		for more := true; more; {
			var page []Entry
			var err error
			page, more, err = a.step(ctx, prefix, next)
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
		}
	}
}

// step pulls the entries of one page from next. The hooks get ctx for this page only, but the
// listing spans several pages and runs with the caller's context.
func (a *around) step(ctx context.Context, prefix string, next func() (Entry, error, bool)) (page []Entry, more bool, err error) {
	c := Call{Op: OpList, Key: prefix}
	if ctx, err = a.before(ctx, &c); err != nil {
		return nil, false, err
	}
	err = errPanic
	defer func() { a.done(ctx, &c, Result{Count: len(page), Err: err}) }()
	for len(page) < walked {
		e, bad, ok := next()
		if bad != nil || !ok {
			return page, false, bad
		}
		page = append(page, e)
	}
	return page, true, nil
}

func (a *around) PutParts(ctx context.Context, key string, o PartsOptions) (p Parts, err error) {
	pp, ok := a.s.(PartPutter)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	c := Call{Op: OpBegin, Key: key, Count: 1}
	within, err := a.before(ctx, &c)
	if err != nil {
		return nil, err
	}
	err = errPanic
	defer func() { a.optional(within, &c, 1, err) }()
	below, err := pp.PutParts(within, key, o)
	if err != nil {
		return nil, err
	}
	return &aroundParts{a, key, below}, nil
}

type aroundParts struct {
	a   *around
	key string
	p   Parts
}

func (p *aroundParts) Part(ctx context.Context, n int, b []byte) (err error) {
	c := Call{Op: OpPart, Key: p.key, Part: n, Count: 1, Bytes: int64(len(b))}
	if ctx, err = p.a.before(ctx, &c); err != nil {
		return err
	}
	err = errPanic
	defer func() { p.a.after(ctx, &c, c.Bytes, err) }()
	return p.p.Part(ctx, n, b)
}

func (p *aroundParts) Sent(ctx context.Context) (sent []PartInfo, err error) {
	c := Call{Op: OpSent, Key: p.key, Count: 1}
	if ctx, err = p.a.before(ctx, &c); err != nil {
		return nil, err
	}
	err = errPanic
	defer func() { p.a.after(ctx, &c, 0, err) }()
	return p.p.Sent(ctx)
}

func (p *aroundParts) Limits() PartLimits { return p.p.Limits() }
func (p *aroundParts) Token() string      { return p.p.Token() }

func (p *aroundParts) Commit(ctx context.Context, o PutOptions) (v Version, err error) {
	c := Call{Op: OpCommit, Key: p.key, Count: 1}
	if ctx, err = p.a.before(ctx, &c); err != nil {
		return "", err
	}
	err = errPanic
	defer func() { p.a.after(ctx, &c, 0, err) }()
	return p.p.Commit(ctx, o)
}

func (p *aroundParts) Abort(ctx context.Context) (err error) {
	c := Call{Op: OpAbort, Key: p.key, Count: 1}
	if ctx, err = p.a.before(ctx, &c); err != nil {
		return err
	}
	err = errPanic
	defer func() { p.a.after(ctx, &c, 0, err) }()
	return p.p.Abort(ctx)
}

func (a *around) Copy(ctx context.Context, from, to string, o CopyOptions) (v Version, err error) {
	cp, ok := a.s.(Copier)
	if !ok {
		return "", errors.ErrUnsupported
	}
	c := Call{Op: OpCopy, Key: to, From: from, Count: 1}
	if ctx, err = a.before(ctx, &c); err != nil {
		return "", err
	}
	err = errPanic
	defer func() { a.optional(ctx, &c, 1, err) }()
	return cp.Copy(ctx, from, to, o)
}

func (a *around) Provide(target any) bool { return a.h.Provide != nil && a.h.Provide(target) }

func (a *around) Close() error   { return a.s.Close() }
func (a *around) Unwrap() Store  { return a.s }
func (a *around) String() string { return Name(a.s) }
