package listed

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zargo-io/zargo/internal/chunkkeys"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store is the store of one array. It is safe for concurrent use.
//
// An array whose absent objects are found by a listing for reads ([Store.Learn],
// [Store.ExpectReads]) must not be written through the Store. An array that is written
// ([Store.ExpectWrites]) may be read afterwards: no get is skipped.
type Store struct {
	store.Store
	path     string
	page     int64
	complete bool
	layout   atomic.Pointer[layout]
	present  atomic.Pointer[chunkkeys.Set] // the objects of a listing for reads; immutable

	mu     sync.Mutex
	reads  reads
	writes writes
}

// layout maps keys to positions of the grid.
type layout struct {
	keys meta.KeyEncoding
	grid []int
}

// New returns the Store of the array at path. It sends every request until it has a listing.
func New(s store.Store, path string) *Store {
	return &Store{Store: s, path: path, page: max(int64(store.TuningOf(s).ListPage), 1), complete: store.ListingsOf(s).Complete}
}

// Describe sets the key encoding and the number of objects along each axis. Only the first call
// has an effect. It must come before the first put.
func (s *Store) Describe(keys meta.KeyEncoding, grid []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.layout.Load() == nil && chunkkeys.Keeps(grid) {
		s.layout.Store(&layout{keys, grid})
		if s.complete {
			s.writes.put = chunkkeys.NewSet(grid)
		}
	}
}

// Complete reports whether listings of the store prove absence.
func (s *Store) Complete() bool { return s.complete }

// Learn lists the whole array. Gets of objects that are not in the listing are not sent
// afterwards. If the store cannot be listed, refuses it, or its listings prove no absence, Learn
// returns nil and every request is sent.
func (s *Store) Learn(ctx context.Context) error {
	if !s.complete || s.layout.Load() == nil {
		return nil
	}
	set, err := s.load(store.ListAll(ctx, s.Store, s.path, store.ListOptions{}), 0)
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused):
		return nil
	case err != nil:
		return err
	}
	s.present.Store(set)
	return nil
}

// errMany reports that a listing was stopped since it has too many keys.
var errMany = errors.New("more keys than were expected")

// maxBytes bounds the memory of a listing that is made while the array is read or written. 8 MiB
// hold one bit for each of 60 million objects, or 14,000 positions that are far apart.
const maxBytes = 8 << 20

// load reads a listing of at most most keys, in at most maxBytes of memory. With most 0 both are
// unbounded. errMany: the listing exceeds a bound.
func (s *Store) load(entries iter.Seq2[store.Entry, error], most int64) (*chunkkeys.Set, error) {
	l := s.layout.Load()
	set, n := chunkkeys.NewSet(l.grid), int64(0)
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if n++; most > 0 && (n > most || set.Bytes() > maxBytes) {
			return nil, errMany
		}
		if coord, ok := l.position(s.path, e.Key); ok && !set.Has(coord) {
			set.Add(coord)
		}
	}
	return set, nil
}

// position returns the position of the object with this key, and whether it is in the grid.
func (l *layout) position(path, key string) ([]int, bool) {
	if path != "" {
		var ok bool
		if key, ok = strings.CutPrefix(key, path+"/"); !ok {
			return nil, false
		}
	}
	coord, ok := l.keys.Parse(key, len(l.grid))
	if !ok {
		return nil, false
	}
	for i, c := range coord {
		if c >= l.grid[i] {
			return nil, false
		}
	}
	return coord, true
}

// position returns the position of the object with this key. It is false if a listing cannot prove
// its absence.
func (s *Store) position(key string) ([]int, bool) {
	l := s.layout.Load()
	if l == nil {
		return nil, false
	}
	return l.position(s.path, key)
}

// Present yields the positions of the objects in the listing of [Store.Learn], in C order. ok is
// false if there is no such listing. The slice is valid until the next iteration.
func (s *Store) Present() (all iter.Seq[[]int], ok bool) {
	set := s.present.Load()
	if set == nil {
		return nil, false
	}
	return set.All(), true
}

// Absent reports whether a listing has shown the object to be absent.
func (s *Store) Absent(key string) bool {
	set := s.present.Load()
	if set == nil {
		return false
	}
	coord, ok := s.position(key)
	return ok && !set.Has(coord)
}

// Get implements [store.Store].
func (s *Store) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if o.IfVersion == "" && s.Absent(key) {
		return store.Value{}, &fault.KeyError{Op: "get", Store: s.String(), Key: key, Kind: fault.NotFound}
	}
	v, err := s.Store.Get(ctx, key, o, buf)
	if err == nil || errors.Is(err, fault.NotFound) {
		s.Read(ctx, key, err == nil)
	}
	return v, err
}

// ListPage calls the store below.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	return store.Forward{Store: s.Store}.ListPage(ctx, prefix, o, token)
}

// Unwrap returns the store below.
func (s *Store) Unwrap() store.Store { return s.Store }

// String returns the name of the store below.
func (s *Store) String() string { return store.Name(s.Store) }
