package rehearsal

import (
	"context"
	"errors"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// Store reads from the store below, and keeps changes in memory. It assumes that no other process
// changes the store below, so a condition on a version that was read there holds. Listings contain
// the changes. It is safe for concurrent use.
type Store struct {
	below store.Store
	*state
}

// state holds the changes of the Stores of one place.
type state struct {
	own *mem.Store // the values of changed keys

	mu      sync.Mutex
	changed map[string]bool   // keys that were put or deleted; false for deleted ones
	deleted int               // memory of the deleted keys in changed
	last    map[string]string // by the token of a page of a listing, the last key of the page before
	count   counts
}

// counts are the events after which a run may send more or fewer requests than its rehearsal.
type counts struct {
	conditional int64 // deletes of one version
	forgotten   int64 // deletes of keys that are not in changed
	unsure      int64 // forgotten keys at the start of a listing
	pages       int64 // pages of listings, without the first of each
	full        int64 // listings whose last page is full
	omitted     int64 // entries that listings omit
}

// maxDeleted is the maximum memory of deleted keys. It suffices for 100,000 keys of 100 bytes. The
// removal of a hierarchy deletes documents first, and reads no other deleted key again.
const maxDeleted = 20 << 20

// entry is the memory of a key in a map, without its text.
const entry = 100

// walked is the number of entries of a page of S3 and GCS. Other pages are longer.
const walked = 1000

// New returns a store that reads from below.
func New(below store.Store) *Store {
	return &Store{below, &state{own: mem.New(), changed: map[string]bool{}, last: map[string]string{}}}
}

// With returns a Store with the changes of s. below is another handle of the same place.
func (s *Store) With(below store.Store) *Store { return &Store{below, s.state} }

// Inexact returns how many requests fewer and how many more a run may send than were sent to s and
// to all Stores with the same changes:
//
//   - Some providers send a get for each delete of one version.
//   - A concurrent listing divides the keys by the pages that arrive first. A listing of several
//     pages may send half or twice as many requests, and fewer if it omits entries.
//   - A key whose deletion was forgotten is listed and deleted again.
func (s *Store) Inexact() (fewer, more store.Amount) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.count
	fewer = store.Amount{Puts: n.unsure, Lists: min(n.pages, (n.pages+1)/2+n.omitted/walked)}
	more = store.Amount{Gets: n.conditional, Lists: n.pages + n.full}
	return fewer, more
}

// Provide provides Folders and Remnants that do nothing.
func (s *Store) Provide(target any) bool {
	switch t := target.(type) {
	case *store.Folders:
		*t = untouched{}
	case *store.Remnants:
		*t = untouched{}
	default:
		return false
	}
	return true
}

// untouched leaves directories and temporary files as they are.
type untouched struct{}

func (untouched) RemoveFolders(context.Context, string) error  { return nil }
func (untouched) RemoveRemnants(context.Context, string) error { return nil }

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

// change calls f, which changes s.own, and records the change of a key.
func (s *Store) change(key string, put bool, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.changed[key]; !ok && !put {
		if s.deleted >= maxDeleted {
			s.count.forgotten++
			return nil
		}
		s.deleted += len(key) + entry
	}
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
		s.mu.Lock()
		s.count.conditional++
		s.mu.Unlock()
	}
	if _, known := s.of(key); !known {
		o.IfVersion = ""
	}
	return s.change(key, false, func() error { return s.own.Delete(ctx, key, o) })
}

// DeleteAll implements [store.BatchDeleter].
func (s *Store) DeleteAll(ctx context.Context, keys []string) error {
	if !store.InBatches(s.below) {
		return errors.ErrUnsupported
	}
	for _, key := range keys {
		if err := s.Delete(ctx, key, store.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}
