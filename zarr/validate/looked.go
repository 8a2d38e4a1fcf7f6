package validate

import (
	"context"
	"errors"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// maxHeld is the maximum size of an object that a repair keeps in memory. It is small because up to
// eight objects are restored concurrently, each with a few copies in memory; see pair.need.
const maxHeld = 4 << 20

// pinned is a store that returns each object as look found it: with the same contents or the same
// version. An array in this store therefore decodes exactly the data that a repair later writes to
// another store.
type pinned struct {
	store.Store
	held *mem.Store // objects of at most maxHeld bytes

	mu       sync.Mutex
	versions map[string]store.Version // versions of longer objects
}

func newPinned(st store.Store) *pinned {
	return &pinned{Store: st, held: mem.New(), versions: map[string]store.Version{}}
}

// snapshot is the state of an object when look read it.
type snapshot struct {
	key     string
	there   bool
	size    int64
	bytes   []byte // nil if the object is longer than maxHeld
	version store.Version
}

// look reads an object and pins it. If the object is longer than maxHeld, look reads only its
// version.
func (l *pinned) look(ctx context.Context, key string) (snapshot, error) {
	v, err := l.Store.Get(ctx, key, store.GetOptions{Max: maxHeld}, []byte{})
	var long *store.TooLong
	switch {
	case errors.Is(err, fault.NotFound):
		return snapshot{key: key}, nil
	case errors.As(err, &long):
		if long.Version == "" {
			return snapshot{}, fault.Newf(errors.ErrUnsupported, "%q must be read in parts, and the store has no versions to keep the parts consistent", key)
		}
		l.mu.Lock()
		l.versions[key] = long.Version
		l.mu.Unlock()
		return snapshot{key, true, long.Announced, nil, long.Version}, nil
	case err != nil:
		return snapshot{}, err
	}
	_, err = l.held.Put(ctx, key, v.Bytes, store.PutOptions{})
	return snapshot{key, true, v.Size, v.Bytes, v.Version}, err
}

// forget unpins an object.
func (l *pinned) forget(key string) {
	l.mu.Lock()
	delete(l.versions, key)
	l.mu.Unlock()
	_ = l.held.Delete(context.Background(), key, store.DeleteOptions{}) // memory does not fail
}

// Get implements [store.Store].
func (l *pinned) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	l.mu.Lock()
	version, pinned := l.versions[key]
	l.mu.Unlock()
	if pinned {
		if o.IfVersion == "" {
			o.IfVersion = version
		}
		return l.Store.Get(ctx, key, o, buf)
	}
	v, err := l.held.Get(ctx, key, o, buf)
	if errors.Is(err, fault.NotFound) {
		return l.Store.Get(ctx, key, o, buf)
	}
	return v, err
}

// Unwrap returns the underlying store.
func (l *pinned) Unwrap() store.Store { return l.Store }

// String returns the name of the underlying store.
func (l *pinned) String() string { return store.Name(l.Store) }
