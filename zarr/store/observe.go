package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Event is one request as the caller of the store saw it: with retries below, all tries together.
type Event struct {
	Op    string        // "get", "put", "delete", "list", "parts", "part", "commit", "abort"
	Key   string        // the key; the prefix for "list"; the first key for a "delete" of many
	Range Range         // of a "get"; whole for a get of several ranges at once
	Part  int           // the number of a "part"
	Count int           // entries of a "list", keys of a "delete", ranges of a "get"; else 1
	Bytes int64         // bytes of values read or sent; without those that a failed request moved
	Took  time.Duration // from call to return; of a listing that is not in pages, including what its caller did
	Err   error
}

// String gives one line, such as "get c/0/0 5+20: 20 bytes in 3ms".
func (e Event) String() string {
	s := e.Op + " " + e.Key
	if e.Op == "get" && !e.Range.IsWhole() {
		s += " " + e.Range.String()
	}
	if e.Op == "part" {
		s += fmt.Sprintf(" %d", e.Part)
	}
	if e.Count > 1 {
		s += fmt.Sprintf(" ×%d", e.Count)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %v in %v", s, e.Err, e.Took)
	}
	return fmt.Sprintf("%s: %d bytes in %v", s, e.Bytes, e.Took)
}

// Observe calls f after each request to s, from the goroutine that made it, so f must be quick and safe for concurrent
// calls. A listing is one event per page where s lists in pages, else one at its end. An optional verb that s does not
// have makes no event. Close closes s.
func Observe(s Store, f func(Event)) Store { return &observed{s, f} }

type observed struct {
	s Store
	f func(Event)
}

// tell completes the event and gives it to f.
func (o *observed) tell(start time.Time, e Event) {
	e.Took = time.Since(start)
	if e.Err != nil {
		e.Bytes = 0
	}
	o.f(e)
}

func (o *observed) Get(ctx context.Context, key string, g GetOptions, buf []byte) (Value, error) {
	start := time.Now()
	v, err := o.s.Get(ctx, key, g, buf)
	o.tell(start, Event{Op: "get", Key: key, Range: g.Range, Count: 1, Bytes: int64(len(v.Bytes) - len(buf)), Err: err})
	return v, err
}

func (o *observed) Put(ctx context.Context, key string, value []byte, p PutOptions) (Version, error) {
	start := time.Now()
	v, err := o.s.Put(ctx, key, value, p)
	o.tell(start, Event{Op: "put", Key: key, Count: 1, Bytes: int64(len(value)), Err: err})
	return v, err
}

func (o *observed) Delete(ctx context.Context, key string, d DeleteOptions) error {
	start := time.Now()
	err := o.s.Delete(ctx, key, d)
	o.tell(start, Event{Op: "delete", Key: key, Count: 1, Err: err})
	return err
}

func (o *observed) List(ctx context.Context, prefix string, depth Depth) iter.Seq2[Entry, error] {
	return PagesOf(func(token string) ([]Entry, string, error) {
		return o.ListPage(ctx, prefix, depth, token)
	}, o.listWhole(ctx, prefix, depth))
}

func (o *observed) listWhole(ctx context.Context, prefix string, depth Depth) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		start, e := time.Now(), Event{Op: "list", Key: prefix}
		defer func() { o.tell(start, e) }()
		for entry, err := range o.s.List(ctx, prefix, depth) {
			if err == nil {
				e.Count++
			}
			e.Err = err
			if !yield(entry, err) {
				return
			}
		}
	}
}

func (o *observed) ListPage(ctx context.Context, prefix string, depth Depth, token string) ([]Entry, string, error) {
	pl, ok := o.s.(PageLister)
	if !ok {
		return nil, "", errors.ErrUnsupported
	}
	start := time.Now()
	page, next, err := pl.ListPage(ctx, prefix, depth, token)
	o.tellVerb(start, Event{Op: "list", Key: prefix, Count: len(page), Err: err})
	return page, next, err
}

func (o *observed) DeleteAll(ctx context.Context, keys []string) error {
	bd, ok := o.s.(BatchDeleter)
	if !ok {
		return errors.ErrUnsupported
	}
	first := ""
	if len(keys) > 0 {
		first = keys[0]
	}
	start := time.Now()
	err := bd.DeleteAll(ctx, keys)
	o.tellVerb(start, Event{Op: "delete", Key: first, Count: len(keys), Err: err})
	return err
}

func (o *observed) GetRanges(ctx context.Context, key string, ranges []Range, g GetOptions, bufs [][]byte) ([]Value, error) {
	rg, ok := o.s.(RangesGetter)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	start := time.Now()
	vs, err := rg.GetRanges(ctx, key, ranges, g, bufs)
	e := Event{Op: "get", Key: key, Count: len(ranges), Err: err}
	for i, v := range vs {
		e.Bytes += int64(len(v.Bytes))
		if i < len(bufs) {
			e.Bytes -= int64(len(bufs[i]))
		}
	}
	o.tellVerb(start, e)
	return vs, err
}

func (o *observed) PutParts(ctx context.Context, key string) (Parts, error) {
	pp, ok := o.s.(PartPutter)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	start := time.Now()
	p, err := pp.PutParts(ctx, key)
	o.tellVerb(start, Event{Op: "parts", Key: key, Count: 1, Err: err})
	if err != nil {
		return nil, err
	}
	return &observedParts{o, key, p}, nil
}

// tellVerb is tell for an optional verb: one that turns out to be unsupported was no request.
func (o *observed) tellVerb(start time.Time, e Event) {
	if !errors.Is(e.Err, errors.ErrUnsupported) {
		o.tell(start, e)
	}
}

type observedParts struct {
	o   *observed
	key string
	p   Parts
}

func (p *observedParts) Part(ctx context.Context, n int, b []byte) error {
	start := time.Now()
	err := p.p.Part(ctx, n, b)
	p.o.tell(start, Event{Op: "part", Key: p.key, Part: n, Count: 1, Bytes: int64(len(b)), Err: err})
	return err
}

func (p *observedParts) MinPart() int { return p.p.MinPart() }

func (p *observedParts) Commit(ctx context.Context, c PutOptions) (Version, error) {
	start := time.Now()
	v, err := p.p.Commit(ctx, c)
	p.o.tell(start, Event{Op: "commit", Key: p.key, Count: 1, Err: err})
	return v, err
}

func (p *observedParts) Abort(ctx context.Context) error {
	start := time.Now()
	err := p.p.Abort(ctx)
	p.o.tell(start, Event{Op: "abort", Key: p.key, Count: 1, Err: err})
	return err
}

func (o *observed) Close() error   { return o.s.Close() }
func (o *observed) Unwrap() Store  { return o.s }
func (o *observed) String() string { return Name(o.s) }
