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

// Store is the store of one array. All methods may be called at once.
//
// Where what is absent is read by a listing ([Store.Learn], [Store.ExpectReads]), nothing is
// written through it. An array that is written ([Store.ExpectWrites]) may be read afterwards: every
// object of it is asked for.
type Store struct {
	store.Store
	path     string
	page     int64
	complete bool
	layout   atomic.Pointer[layout]
	present  atomic.Pointer[chunkkeys.Set] // what a listing for reads had; not changed any more

	mu     sync.Mutex
	reads  reads
	writes writes
}

// layout says which objects have which keys.
type layout struct {
	keys meta.KeyEncoding
	grid []int
}

// New is the store of the array at a path. Nothing is known of it, and every request is sent.
func New(s store.Store, path string) *Store {
	return &Store{Store: s, path: path, page: max(int64(store.TuningOf(s).ListPage), 1), complete: store.ListingsOf(s).Complete}
}

// Describe says what the keys of the array's objects are, and how many there are along each
// dimension. The first time counts. It comes before anything is put.
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

// Learn lists the array, whatever that takes; what the listing does not have is not asked for any
// more. A store that cannot be listed, may not be, or whose listings prove no absence, is no error:
// then all is asked for.
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

// errMany is the error of a listing that was given up.
var errMany = errors.New("more keys than were expected")

// maxBytes is the memory for what is known of an array that is listed while it is read or written.
// 8 MiB: a bit for each of 60 million objects, or the positions of 14,000 that lie far from each
// other.
const maxBytes = 8 << 20

// load reads a listing of at most so many keys, in at most maxBytes; 0 is any number.
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

// position is that of an object of the grid by its key.
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

// position is that of an object of the array by its key; not ok where its absence could not be
// proven.
func (s *Store) position(key string) ([]int, bool) {
	l := s.layout.Load()
	if l == nil {
		return nil, false
	}
	return l.position(s.path, key)
}

// Present yields the positions of the objects that the listing of [Store.Learn] had, in C order;
// not ok where nothing is known. A position is the receiver's until the next one.
func (s *Store) Present() (all iter.Seq[[]int], ok bool) {
	set := s.present.Load()
	if set == nil {
		return nil, false
	}
	return set.All(), true
}

// Absent reports whether an object is proven to be absent.
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

// ListPage goes to the store below.
func (s *Store) ListPage(ctx context.Context, prefix string, o store.ListOptions, token string) ([]store.Entry, string, error) {
	return store.Forward{Store: s.Store}.ListPage(ctx, prefix, o, token)
}

// Unwrap returns the store below.
func (s *Store) Unwrap() store.Store { return s.Store }

// String returns the name of the store below.
func (s *Store) String() string { return store.Name(s.Store) }
