package listed

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
)

// Store is the store of one array. It is safe for concurrent use.
//
// An array must not be written through the Store after a listing for reads ([Store.Learn],
// [Store.ExpectReads]). An array that is written ([Store.ExpectWrites]) may be read through the
// Store afterwards, because a Store that expects writes sends all gets.
type Store struct {
	store.Forward
	path     string
	page     int64
	complete bool // all listings prove absence
	proves   bool // listings with store.ListOptions.Complete do
	layout   atomic.Pointer[layout]
	present  atomic.Pointer[keys.Set] // objects in a listing for reads; immutable

	mu     sync.Mutex
	reads  reads
	writes writes
}

// layout maps keys to positions of the grid.
type layout struct {
	keys meta.KeyEncoding
	grid []int
}

// New returns the Store of the array at path. The Store sends every request until it has a listing.
func New(s store.Store, path string) *Store {
	l := store.ListingsOf(s)
	st := &Store{Forward: store.Forward{Store: s}, path: path, page: max(int64(store.TuningOf(s).ListPage), 1), complete: l.Complete, proves: l.Complete || l.Proves}
	if !l.Complete {
		st.page = 1 // in a directory, an entry of a listing takes as long as a lookup
	}
	return st
}

// Describe sets the key encoding and the number of objects along each dimension. Only the first
// call has an effect. It must come before the first put.
func (s *Store) Describe(encoding meta.KeyEncoding, grid []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.layout.Load() == nil && keys.Keeps(grid) {
		s.layout.Store(&layout{encoding, grid})
		if s.complete {
			s.writes.put = keys.NewSet(grid)
		}
	}
}

// Proves reports whether listings of the store can prove absence.
func (s *Store) Proves() bool { return s.proves }

// Learn lists the whole array. Afterwards the Store does not send gets of objects that are not in
// the listing. If the store does not support listings or refuses them, or if its listings do not
// prove absence, Learn returns nil. Every request is then sent.
func (s *Store) Learn(ctx context.Context) error {
	l := s.layout.Load()
	if !s.proves || l == nil {
		return nil
	}
	objects := int64(1)
	for _, n := range l.grid {
		objects *= int64(n) // Keeps bounds the product
	}
	set, err := s.settled(ctx, objects, func() (*keys.Set, error) {
		return s.load(store.ListAll(ctx, s.Store, s.path, store.ListOptions{Complete: true}), 0)
	})
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fault.Refused), errors.Is(err, fault.Conflict), err == errUnproven:
		return nil
	case err != nil:
		return err
	}
	s.present.Store(set)
	return nil
}

const (
	// settleTime is more than the time that a directory must be unchanged before its listing proves
	// absence.
	settleTime = 60 * time.Millisecond
	// manyLookups is the number of lookups in a directory that take about as long as settleTime.
	manyLookups = 1 << 15
)

// settled returns the result of list. If the store cannot prove absence because keys were just
// changed, and the number of remaining requests is large, it waits and calls list a second time.
func (s *Store) settled(ctx context.Context, requests int64, list func() (*keys.Set, error)) (*keys.Set, error) {
	set, err := list()
	if !errors.Is(err, fault.Conflict) || requests < manyLookups {
		return set, err
	}
	wait := time.NewTimer(settleTime)
	defer wait.Stop()
	select {
	case <-wait.C:
		return list()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

var (
	// errMany reports that a listing was stopped because it has too many keys.
	errMany = errors.New("listing has more keys than expected")
	// errUnproven reports that a listing does not prove absence because of an entry, for example a
	// file in the place of a directory.
	errUnproven = errors.New("listing does not prove absence")
)

// maxBytes bounds the memory of a listing while the array is read or written. In 8 MiB fit one bit
// for each of 60 million objects, or 14,000 positions that are far apart.
const maxBytes = 8 << 20

// load reads a listing of at most limit keys into at most maxBytes of memory. If limit is 0, both
// are unbounded. It returns errMany if the listing exceeds a bound.
func (s *Store) load(entries iter.Seq2[store.Entry, error], limit int64) (*keys.Set, error) {
	l := s.layout.Load()
	set, n := keys.NewSet(l.grid), int64(0)
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		if n++; limit > 0 && (n > limit || set.Bytes() > maxBytes) {
			return nil, errMany
		}
		coord, ok := l.position(s.path, e.Key)
		switch {
		case !ok && l.hides(s.path, e.Key):
			return nil, errUnproven
		case ok && !set.Has(coord):
			set.Add(coord)
		}
	}
	return set, nil
}

// position returns the grid position of the object with a key. It returns false if no object of the
// grid has the key.
func (l *layout) position(path, key string) ([]int, bool) {
	key, ok := below(path, key)
	if !ok {
		return nil, false
	}
	coord, ok := l.keys.Parse(key, len(l.grid))
	for i, c := range coord {
		ok = ok && c < l.grid[i]
	}
	return coord, ok
}

// below returns the part of a key that follows the path of an array.
func below(path, key string) (string, bool) {
	if path == "" {
		return key, true
	}
	return strings.CutPrefix(key, path+"/")
}

// hides reports whether a key that is not a position is above or below the key of a position. In a
// directory such a name is a file in the place of a directory, a link without a target, or a
// directory in the place of an object. A get of the object then returns an error other than
// fault.NotFound.
func (l *layout) hides(path, key string) bool {
	key, ok := below(path, key)
	if !ok {
		return false
	}
	rank := len(l.grid)
	if l.keys.Separator == "/" {
		for r := range rank {
			if _, ok := l.keys.Parse(key, r); ok {
				return true
			}
		}
	}
	for i, c := range key {
		if c == '/' {
			if _, ok := l.keys.Parse(key[:i], rank); ok {
				return true
			}
		}
	}
	return false
}

// position returns the grid position of the object with a key. It returns false if a listing cannot
// prove that the object is absent.
func (s *Store) position(key string) ([]int, bool) {
	l := s.layout.Load()
	if l == nil {
		return nil, false
	}
	return l.position(s.path, key)
}

// Present yields the positions of the objects in the listing of [Store.Learn], in C order. Without
// such a listing, ok is false. A yielded slice is valid until the next iteration.
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
