package bucketcheck

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// Run performs the checks one after another. At the end it deletes the objects that it wrote.
//
// A failed check is reported in the Report and is not an error. Run returns an error if the options
// are invalid, if the store cannot be opened or is read-only, if the place is in use, or if ctx has
// ended. If the first value cannot be written or read, Run returns the error of the store. It
// returns a [*LeftError] if objects could not be deleted. The Report is nil only if no check was
// started.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Place == "" && o.Key == "" {
		o.Place = NewPlace()
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	b := &bench{o: o, n: o.sizes(), wrote: map[string]bool{}, uploads: map[store.Parts]bool{}}
	defer b.close()
	r := &Report{Place: o.Place, Key: o.Key, Checks: []Finding{}, Tuning: []Advice{}, Left: []string{}}
	if o.Key != "" {
		r.Place = ""
	}
	ctx = store.WithTrace(ctx, b.trace())
	if err := b.open(ctx); err != nil {
		return nil, err
	}
	r.Store = store.Name(b.root)
	if err := b.mayBegin(ctx); err != nil {
		return nil, err
	}
	err := b.checks(ctx, r)
	if err == nil && !o.NoSpeed {
		err = b.measure(ctx, r)
	}
	r.Complete = err == nil
	r.Objects = len(b.wrote)
	if o.Key == "" {
		left := b.clean(ctx)
		if left != nil {
			r.Left = left.Keys
			err = errors.Join(err, left)
		}
	}
	r.Cost = b.total.cost()
	return r, err
}

// bench is the state of a Run.
type bench struct {
	o      Options
	n      sizes
	root   store.Store   // the first opened store
	s      store.Store   // the place in root
	apart  []store.Store // the same place in separately opened stores; s is the first
	opened []store.Store

	total counter
	left  atomic.Int64 // remaining calls of the current check
	free  bool         // calls are not bounded, during clean

	mu      sync.Mutex
	wrote   map[string]bool // keys that were put or may have been put
	uploads map[store.Parts]bool
	key     existing // the object with Options.Key
}

// counter counts requests and bytes.
type counter struct {
	calls, attempts, repeats atomic.Int64
	in, out                  atomic.Int64 // bytes of values
	wireIn, wireOut          atomic.Int64 // bytes of HTTP bodies
	mu                       sync.Mutex
	heads                    []store.FirstByte // since keep was set
	keep                     bool
}

func (c *counter) cost() Cost {
	if n := c.attempts.Load(); n > 0 {
		return Cost{n, c.wireOut.Load(), c.wireIn.Load()}
	}
	return Cost{c.calls.Load(), c.out.Load(), c.in.Load()}
}

func (c Cost) since(before Cost) Cost {
	return Cost{c.Requests - before.Requests, c.Sent - before.Sent, c.Received - before.Received}
}

func (b *bench) trace() *store.Trace {
	c := &b.total
	return &store.Trace{
		Attempt: func(_ context.Context, a store.Attempt) {
			c.attempts.Add(1)
			c.wireOut.Add(a.Sent)
			c.wireIn.Add(a.Received)
		},
		FirstByte: func(_ context.Context, f store.FirstByte) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.keep {
				c.heads = append(c.heads, f)
			}
		},
		Retry: func(context.Context, store.Retry) { c.repeats.Add(1) },
	}
}

// errBound is the error of a call that exceeds the bound of a check. The cause is a defect of the
// check, or a store whose listings do not end.
var errBound = fault.Newf(fault.Limit, "the check has exceeded its bound on requests")

// counted returns a store that counts the calls of s, limits their number and records the keys that
// are written.
func (b *bench) counted(s store.Store) store.Store {
	return store.Around(s, store.Hooks{
		Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			b.mu.Lock()
			free := b.free
			switch c.Op {
			case store.OpPut, store.OpBegin, store.OpCopy:
				b.wrote[c.Key] = true
			}
			b.mu.Unlock()
			if !free && b.left.Add(-1) < 0 {
				return ctx, &fault.KeyError{Op: string(c.Op), Key: c.Key, Err: errBound}
			}
			return ctx, nil
		},
		After: func(_ context.Context, c store.Call, r store.Result) {
			if r.Unsupported { // no request was sent
				b.left.Add(1)
				return
			}
			b.total.calls.Add(1)
			switch c.Op {
			case store.OpGet:
				b.total.in.Add(r.Bytes)
			default:
				b.total.out.Add(r.Bytes)
			}
		},
	})
}

// another opens the place again, in a store with its own connections.
func (b *bench) another(ctx context.Context, inFlight int) (store.Store, error) {
	s, err := b.o.Open(ctx, inFlight)
	if err != nil {
		return nil, err
	}
	b.opened = append(b.opened, s)
	if b.root == nil {
		b.root = s
	}
	if b.o.Key == "" {
		if s, err = store.Prefix(s, b.o.Place); err != nil {
			return nil, err
		}
	}
	return b.counted(s), nil
}

func (b *bench) open(ctx context.Context) error {
	n := b.n.stores
	if b.o.Key != "" {
		n = 1
	}
	for range n {
		s, err := b.another(ctx, 0)
		if err != nil {
			return err
		}
		b.apart = append(b.apart, s)
	}
	b.s = b.apart[0]
	return nil
}

func (b *bench) close() {
	for _, s := range b.opened {
		_ = s.Close() // all values were read back, so an error is irrelevant
	}
}

// other returns a second store at the same place as b.s.
func (b *bench) other() store.Store { return b.apart[len(b.apart)-1] }

// mayBegin checks that the store is writable and the place is empty.
//
// It returns fault.ReadOnly if the store is read-only and fault.Exists if a value is stored at the
// place.
func (b *bench) mayBegin(ctx context.Context) error {
	if b.o.Key != "" {
		return nil
	}
	if store.IsReadOnly(b.root) {
		return &fault.KeyError{Op: "check", Store: store.Name(b.root), Key: b.o.Place, Kind: fault.ReadOnly}
	}
	b.left.Store(2)
	for e, err := range store.Pages(ctx, b.s, "", store.ListOptions{}) {
		if err == nil {
			return &fault.KeyError{Op: "check", Store: store.Name(b.root), Key: e.Key, Err: fault.Newf(fault.Exists, "the place is in use")}
		}
		break // a separate check covers listings
	}
	return ctx.Err()
}

// checks performs all checks of the table.
func (b *bench) checks(ctx context.Context, r *Report) error {
	for i, c := range b.o.table() {
		b.left.Store(int64(c.most(b.n).calls))
		before := b.total.cost()
		out := c.run(ctx, b)
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx) // the outcome may be caused by the end of ctx
		}
		f := Finding{Name: c.Name, Expected: c.Expected, Verdict: out.verdict, Seen: out.seen, Cost: b.total.cost().since(before)}
		switch out.verdict {
		case Holds:
		case Fails:
			f.Consequence = c.Fails
		default:
			f.Consequence = c.Lacks
		}
		r.Checks = append(r.Checks, f)
		if b.o.Found != nil {
			b.o.Found(f)
		}
		if i == 0 && out.err != nil {
			return out.err // all other checks would fail in the same way
		}
	}
	return nil
}

// outcome is the result of a check.
type outcome struct {
	verdict Verdict
	seen    string
	err     error // cause of the verdict; may be nil
}

func holds(format string, args ...any) outcome {
	return outcome{Holds, fmt.Sprintf(format, args...), nil}
}
func fails(format string, args ...any) outcome {
	return outcome{Fails, fmt.Sprintf(format, args...), nil}
}

// unsupported returns the outcome for an operation that the store does not support.
func unsupported(format string, args ...any) outcome {
	return outcome{Unsupported, fmt.Sprintf(format, args...), nil}
}

// because returns the outcome for a call that should have succeeded but failed with err.
func because(what string, err error) outcome {
	o := outcome{Fails, what + ": " + cut(brief(err)), err}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		o.verdict, o.seen = Unsupported, what+" is not supported"
	case errors.Is(err, fault.Refused), errors.Is(err, fault.ReadOnly):
		o.verdict = Refused
	case errors.Is(err, fault.Unavailable), errors.Is(err, fault.Throttled), errors.Is(err, errBound):
		o.verdict = Unknown
	}
	return o
}

// cut shortens the error message of a server, which may be an HTML page.
func cut(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// instead returns the outcome for a call that should have failed with kind but returned err.
func instead(what string, err, kind error) outcome {
	if err == nil {
		return fails("%s succeeded but should have failed: %v", what, kind)
	}
	return because(what, err)
}

// brief returns the message of err without the name of the store and the key.
func brief(err error) string {
	var key *fault.KeyError
	if !errors.As(err, &key) {
		return err.Error()
	}
	switch {
	case key.Kind != nil && key.Err != nil:
		return fmt.Sprintf("%v: %v", key.Kind, key.Err)
	case key.Kind != nil:
		return key.Kind.Error()
	case key.Err != nil:
		return key.Err.Error()
	}
	return err.Error()
}
