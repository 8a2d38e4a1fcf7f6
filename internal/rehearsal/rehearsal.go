package rehearsal

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Store reads from the store below, and keeps changes in memory. It assumes that no other process
// changes the store below, so a condition on a version that was read there holds. Listings omit
// deleted keys, and also the keys that were only put in memory. It is safe for concurrent use.
type Store struct {
	below store.Store
	own   *mem.Store // the values of changed keys

	mu      sync.Mutex
	changed map[string]bool // keys that were put or deleted; false for deleted ones

	conditional atomic.Int64
}

// New returns a store that reads from below.
func New(below store.Store) *Store {
	return &Store{below: below, own: mem.New(), changed: map[string]bool{}}
}

// Conditional returns the number of deletes of one version. Some providers send a get for each of
// them.
func (s *Store) Conditional() int64 { return s.conditional.Load() }

// Unwrap implements [store.Wrapper].
func (s *Store) Unwrap() store.Store { return s.below }

// String returns the name of the store below.
func (s *Store) String() string { return store.Name(s.below) }

// Close closes the store below.
func (s *Store) Close() error { return s.below.Close() }

func (s *Store) failed(op, key string, err error) error {
	return &fault.KeyError{Op: op, Store: s.String(), Key: key, Err: err}
}

// of returns the store with the value of key, and whether the key was changed.
func (s *Store) of(key string) (store.Store, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.changed[key]; ok {
		return s.own, true
	}
	return s.below, false
}

func (s *Store) deleted(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	put, ok := s.changed[key]
	return ok && !put
}

// change calls f, which changes s.own, and records the change of a key.
func (s *Store) change(key string, put bool, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := f()
	if err == nil {
		s.changed[key] = put
	}
	return err
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	from, _ := s.of(key)
	return from.Get(ctx, key, o, buf)
}

// Put implements [store.Store].
func (s *Store) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (v store.Version, err error) {
	may := store.ConditionsOf(s.below)
	switch _, known := s.of(key); {
	case store.IsReadOnly(s.below):
		return "", s.failed("put", key, fault.ReadOnly)
	case o.IfAbsent && !may.IfAbsent, o.IfVersion != "" && !may.IfVersion:
		return "", s.failed("put", key, errors.ErrUnsupported)
	case !known && o.IfAbsent:
		_, err := s.below.Get(ctx, key, store.GetOptions{Range: store.Within(0, 1)}, nil)
		if err == nil || errors.Is(err, fault.Corrupt) { // an empty value has no first byte
			return "", s.failed("put", key, fault.Exists)
		}
		if !errors.Is(err, fault.NotFound) {
			return "", err
		}
	case !known:
		o.IfVersion = ""
	}
	err = s.change(key, true, func() (err error) {
		v, err = s.own.Put(ctx, key, value, o)
		return err
	})
	return v, err
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string, o store.DeleteOptions) error {
	if store.IsReadOnly(s.below) {
		return s.failed("delete", key, fault.ReadOnly)
	}
	if o.IfVersion != "" {
		s.conditional.Add(1)
	}
	if _, known := s.of(key); !known {
		o.IfVersion = ""
	}
	return s.change(key, false, func() error { return s.own.Delete(ctx, key, o) })
}

// DeleteAll implements [store.BatchDeleter].
func (s *Store) DeleteAll(ctx context.Context, keys []string) error {
	if _, ok := s.below.(store.BatchDeleter); !ok {
		return errors.ErrUnsupported
	}
	for _, key := range keys {
		if err := s.Delete(ctx, key, store.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range s.below.List(ctx, prefix, o) {
			if (err != nil || !s.deleted(e.Key)) && !yield(e, err) {
				return
			}
		}
	}
}

// ListPage implements [store.PageLister].
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	page, next, err := store.Forward{Store: s.below}.ListPage(ctx, prefix, o, token)
	kept := page[:0:0]
	for _, e := range page {
		if !s.deleted(e.Key) {
			kept = append(kept, e)
		}
	}
	return kept, next, err
}
