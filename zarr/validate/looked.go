package validate

import (
	"context"
	"errors"
	"sync"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// maxHeld is how long an object may be that a repair holds in memory whole. 4 MiB: it holds up to
// eight at once, of each some copies, see pair.need.
const maxHeld = 4 << 20

// looked is a store in which some objects stay as they were when they were looked at: what an array
// over it decodes is what is put elsewhere later.
type looked struct {
	store.Store
	held *mem.Store // short ones

	mu       sync.Mutex
	versions map[string]store.Version // of all others
}

func lookedAt(st store.Store) *looked {
	return &looked{Store: st, held: mem.New(), versions: map[string]store.Version{}}
}

// thing is an object that was looked at.
type thing struct {
	key     string
	there   bool
	size    int64
	bytes   []byte // nil where it is long
	version store.Version
}

// look reads an object, or its version if it is long.
func (l *looked) look(ctx context.Context, key string) (thing, error) {
	v, err := l.Store.Get(ctx, key, store.GetOptions{Max: maxHeld}, []byte{})
	var long *store.TooLong
	switch {
	case errors.Is(err, fault.NotFound):
		return thing{key: key}, nil
	case errors.As(err, &long):
		if long.Version == "" {
			return thing{}, fault.Newf(errors.ErrUnsupported, "%q is long, and the store has no versions, so it cannot be read in parts safely", key)
		}
		l.mu.Lock()
		l.versions[key] = long.Version
		l.mu.Unlock()
		return thing{key, true, long.Announced, nil, long.Version}, nil
	case err != nil:
		return thing{}, err
	}
	_, err = l.held.Put(ctx, key, v.Bytes, store.PutOptions{})
	return thing{key, true, v.Size, v.Bytes, v.Version}, err
}

// forget lets go of an object.
func (l *looked) forget(key string) {
	l.mu.Lock()
	delete(l.versions, key)
	l.mu.Unlock()
	_ = l.held.Delete(context.Background(), key, store.DeleteOptions{}) // memory does not fail
}

// Get implements [store.Store].
func (l *looked) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
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

// Unwrap returns the store below.
func (l *looked) Unwrap() store.Store { return l.Store }

// String returns the name of the store below.
func (l *looked) String() string { return store.Name(l.Store) }
