package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
)

// The bounds of deletes in flight, whatever the store's Tuning allows.
const (
	// maxDeletes: 64 deletes of 30 ms are 2100 a second, 100,000 keys in 47 s, and half of the
	// clouds' 128 requests are left to others.
	maxDeletes = 64
	// maxBatches and maxInBatches: what a provider makes of a batch is its keys' deletes, of which
	// S3 takes 3500 a second below a prefix.
	maxBatches   = 16
	maxInBatches = 4096
	// anyBatch is how many keys are handed to a store at once that does not say how many it takes.
	anyBatch = 1000
)

// DeleteAll removes the keys: in batches where s can, several at once, else by one Delete each (at
// most 64 at once, and at most the Requests of the store's [Tuning]). Absent keys are no error.
//
// After the first failure no further request is started, and those under way are waited for. The
// error is that of the first key in the order of keys that failed, and says how many more did; some
// keys may be gone. A context that ended stops it likewise.
func DeleteAll(ctx context.Context, s Store, keys []string) error {
	d := newDeletes(s)
	d.total = len(keys)
	return d.run(ctx, func(yield func(string, error) bool) {
		for _, k := range keys {
			if !yield(k, nil) {
				return
			}
		}
	})
}

// DeleteSeq is [DeleteAll] of keys that are still being found, such as those of a listing: it
// deletes while keys yields. An error from keys ends it, and is returned unless a delete failed
// before. The memory it takes is for the keys of the batches in flight.
func DeleteSeq(ctx context.Context, s Store, keys iter.Seq2[string, error]) error {
	return newDeletes(s).run(ctx, keys)
}

// DeleteBelow removes every key below prefix, "" for all of the store's: it is [DeleteSeq] of
// [ListAll]. Keys that come meanwhile may stay. A symbolic link is removed and not followed. A
// prefix that is a link or lies behind one is fault.Refused.
func DeleteBelow(ctx context.Context, s Store, prefix string) error {
	return DeleteSeq(ctx, s, func(yield func(string, error) bool) {
		for e, err := range ListAll(ctx, s, prefix, ListOptions{NoFollow: true}) {
			if !yield(e.Key, err) {
				return
			}
		}
	})
}

// DeleteRequests is how many requests [DeleteAll] of so many keys makes, if none is repeated: one
// for each batch where s takes batches, as its [Tuning] says, else one for each key.
func DeleteRequests(s Store, keys int64) int64 {
	batch := int64(1)
	if InBatches(s) {
		batch = int64(max(1, TuningOf(s).DeleteBatch))
	}
	return (keys + batch - 1) / batch
}

// InBatches reports whether s and all that it wraps delete in batches: decorators have the verb
// whether or not the store below does.
func InBatches(s Store) bool {
	for {
		if _, ok := s.(BatchDeleter); !ok {
			return false
		}
		w, ok := s.(Wrapper)
		if !ok {
			return true
		}
		s = w.Unwrap()
	}
}

// NotDeleted is in the error of a [BatchDeleter] that knows which of its keys are left. All others
// are gone.
type NotDeleted struct {
	Keys []string // in the order they were given in; the error is about the first
	Err  error
}

func (e *NotDeleted) Error() string { return e.Err.Error() }

// Unwrap gives the error of the first key.
func (e *NotDeleted) Unwrap() error { return e.Err }

// deletes is a DeleteAll under way.
type deletes struct {
	s       Store
	batch   BatchDeleter // nil where there is none
	size    int          // keys of a batch
	most    int          // batches at once
	slots   chan struct{}
	singly  atomic.Bool // batches are not supported after all
	stopped atomic.Bool
	total   int // keys

	mu     sync.Mutex
	failed int // keys
	first  int // the first of them, where failed > 0
	err    error
}

// keyBatch is some keys, of which the first has the number at.
type keyBatch struct {
	keys []string
	at   int
}

func newDeletes(s Store) *deletes {
	t := TuningOf(s)
	d := &deletes{s: s, size: t.DeleteBatch}
	if d.size < 2 {
		d.size = anyBatch
	}
	requests := max(1, t.Requests)
	d.slots = make(chan struct{}, min(maxDeletes, requests))
	d.batch, _ = s.(BatchDeleter)
	d.most = min(maxBatches, requests, max(1, maxInBatches/d.size))
	return d
}

func (d *deletes) run(ctx context.Context, keys iter.Seq2[string, error]) error {
	var wg sync.WaitGroup
	work := make(chan keyBatch)
	workers, seen := 0, 0
	send := func(b keyBatch) {
		select {
		case work <- b:
			return
		default:
		}
		if workers == d.most {
			work <- b
			return
		}
		workers++
		wg.Go(func() {
			for more := true; more; b, more = <-work {
				d.delete(ctx, b)
			}
		})
	}
	next := keyBatch{}
	var bad error
	for key, err := range keys {
		if err != nil {
			bad = err
			break
		}
		if d.stopped.Load() {
			break
		}
		seen++
		if next.keys = append(next.keys, key); len(next.keys) == d.size {
			send(next)
			next = keyBatch{at: seen}
		}
	}
	if bad == nil && len(next.keys) > 0 {
		if workers == 0 {
			d.delete(ctx, next)
		} else {
			send(next)
		}
	}
	close(work)
	wg.Wait()
	d.total = max(d.total, seen)
	if err := d.result(); err != nil {
		return err
	}
	return bad
}

// delete deletes a batch.
func (d *deletes) delete(ctx context.Context, b keyBatch) {
	if d.stopped.Load() {
		return
	}
	if d.batch != nil && !d.singly.Load() {
		err := d.batch.DeleteAll(ctx, b.keys)
		if !errors.Is(err, errors.ErrUnsupported) {
			if err != nil {
				n := 1
				var left *NotDeleted
				if errors.As(err, &left) {
					n = len(left.Keys)
				}
				d.fail(b.at, n, err)
			}
			return
		}
		d.singly.Store(true)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	for i, key := range b.keys {
		d.slots <- struct{}{} // freed by deletes, which end with ctx
		if d.stopped.Load() {
			<-d.slots
			return
		}
		wg.Go(func() {
			defer func() { <-d.slots }()
			if err := d.s.Delete(ctx, key, DeleteOptions{}); err != nil {
				d.fail(b.at+i, 1, err)
			}
		})
	}
}

func (d *deletes) fail(at, keys int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopped.Store(true)
	if d.failed == 0 || at < d.first {
		d.first, d.err = at, err
	}
	d.failed += keys
}

func (d *deletes) result() error {
	if d.failed > 1 {
		return fmt.Errorf("%w (and %d more of %d keys)", d.err, d.failed-1, d.total)
	}
	return d.err
}
