package model

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/store"
)

// verb is the kind of a request.
type verb string

const (
	begin  verb = "begin" // an operation starts; not a request
	get    verb = "get"
	put    verb = "put"
	del    verb = "delete"
	list   verb = "list"
	copies verb = "copy"
)

// request is one request that waits at the gate of its actor.
type request struct {
	by     *actor
	op     *op
	verb   verb
	key    string
	detail string // the condition and the length
	ctx    context.Context
	value  []byte       // value of a put
	run    func() error // sends the request to the store below
	err    error
	done   chan struct{} // closed when err is set
}

func (r *request) changes() bool { return r.verb == put || r.verb == del || r.verb == copies }

// order makes the choice among waiting requests independent of the order in which goroutines
// arrive.
func order(a, b *request) int {
	return cmp.Or(cmp.Compare(a.by.id, b.by.id), cmp.Compare(a.verb, b.verb), cmp.Compare(a.key, b.key), cmp.Compare(a.detail, b.detail))
}

// same reports whether two requests are indistinguishable. Indistinguishable reads are released
// together, so that it does not matter which goroutine sent which.
func same(a, b *request) bool { return order(a, b) == 0 }

// gate is the store as one actor sees it.
type gate struct {
	h *history
	a *actor
}

func (g *gate) String() string { return "model://" }

func (g *gate) Close() error { return nil }

// do waits until the scheduler has decided the fate of a request.
func (g *gate) do(ctx context.Context, v verb, key, detail string, value []byte, run func() error) error {
	r := &request{by: g.a, op: g.a.op, verb: v, key: key, detail: detail, ctx: ctx, value: value, run: run, done: make(chan struct{})}
	g.h.wait(r)
	<-r.done
	return r.err
}

func (g *gate) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (v store.Value, err error) {
	err = g.do(ctx, get, key, condition(o.IfVersion, o.IfNotVersion, false)+o.Range.String(), nil, func() (err error) {
		v, err = g.h.below.Get(context.Background(), key, o, buf)
		return err
	})
	if err != nil {
		v = store.Value{}
	}
	return v, err
}

func (g *gate) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (v store.Version, err error) {
	value = slices.Clone(value) // the request may arrive after the caller has returned
	err = g.do(ctx, put, key, fmt.Sprint(condition(o.IfVersion, "", o.IfAbsent), len(value)), value, func() (err error) {
		v, err = g.h.below.Put(context.Background(), key, value, o)
		return err
	})
	if err != nil {
		v = ""
	}
	return v, err
}

func (g *gate) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	return g.do(ctx, del, key, condition(o.IfVersion, "", false), nil, func() error {
		return g.h.below.Delete(context.Background(), key, o)
	})
}

func (g *gate) DeleteAll(ctx context.Context, keys []string) error {
	if !g.h.batches {
		return store.DeleteAll(ctx, single{g}, keys)
	}
	keys = slices.Clone(keys)
	return g.do(ctx, del, strings.Join(keys, " "), "", nil, func() error {
		return store.DeleteAll(context.Background(), g.h.below, keys)
	})
}

// single is a store without batch deletes.
type single struct{ store.Store }

func (g *gate) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var all []store.Entry
		err := g.do(ctx, list, prefix, fmt.Sprintf("%d %q %q", o.Depth, o.KeyPrefix, o.StartAfter), nil, func() error {
			for e, err := range g.h.below.List(context.Background(), prefix, o) {
				if err != nil {
					return err
				}
				all = append(all, e)
			}
			return nil
		})
		for _, e := range all {
			if err != nil || !yield(e, nil) {
				break
			}
		}
		if err != nil {
			yield(store.Entry{}, err)
		}
	}
}

// Copy implements store.Copier.
func (g *gate) Copy(ctx context.Context, from, to string, o store.CopyOptions) (v store.Version, err error) {
	err = g.do(ctx, copies, to, "from "+from+" "+condition(o.IfVersion, o.FromVersion, o.IfAbsent), nil, func() (err error) {
		v, err = store.Copy(context.Background(), g.h.below, from, to, o)
		return err
	})
	return v, err
}

func condition(is, not store.Version, absent bool) string {
	s := ""
	if absent {
		s += "if absent "
	}
	if is != "" {
		s += fmt.Sprintf("if %s ", is)
	}
	if not != "" {
		s += fmt.Sprintf("unless %s ", not)
	}
	return s
}
