package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// maxDeletes bounds how many deletes DeleteAll has in flight, whatever the store's Tuning allows: a quarter of the
// clouds' 128 requests leaves room for reads, and 32 deletes of 30 ms are 1000 a second, about what GCS takes of writes
// to a new bucket.
const maxDeletes = 32

// DeleteAll removes the keys: in batches where s can, else by one Delete each, several at once (at most 32, and at most
// the Requests of the store's [Tuning]). Absent keys are no error.
//
// After the first failure no further Delete is started, and those under way are waited for. The error is that of the
// first key in the order of keys that failed, and says how many more did; some keys may be gone. A context that ended
// stops it likewise.
func DeleteAll(ctx context.Context, s Store, keys []string) error {
	if bd, ok := s.(BatchDeleter); ok {
		if err := bd.DeleteAll(ctx, keys); !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	d := deletes{s: s, keys: keys}
	var wg sync.WaitGroup
	for range min(len(keys), maxDeletes, max(1, TuningOf(s).Requests)) {
		wg.Go(func() {
			for d.next(ctx) {
			}
		})
	}
	wg.Wait()
	return d.result()
}

// deletes is a DeleteAll under way.
type deletes struct {
	s    Store
	keys []string

	mu     sync.Mutex
	begun  int // keys
	failed int // keys
	first  int // the first of them, where failed > 0
	err    error
}

// next deletes the next key; false means that there is none, or that a key failed.
func (d *deletes) next(ctx context.Context) bool {
	d.mu.Lock()
	i := d.begun
	if i == len(d.keys) || d.failed > 0 {
		d.mu.Unlock()
		return false
	}
	d.begun++
	d.mu.Unlock()

	err := d.s.Delete(ctx, d.keys[i], DeleteOptions{})
	if err == nil {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failed == 0 || i < d.first {
		d.first, d.err = i, err
	}
	d.failed++
	return false
}

func (d *deletes) result() error {
	if d.failed > 1 {
		return fmt.Errorf("%w (and %d more of %d keys)", d.err, d.failed-1, len(d.keys))
	}
	return d.err
}
