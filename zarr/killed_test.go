package zarr_test

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/zargo-io/zargo/zarr/store"
)

// killed is the store of a process that is killed: after some puts, further ones fail and remain in
// flight.
type killed struct {
	store.Store
	mu   sync.Mutex
	left int
	late []func() error // puts in flight
}

var errKilled = errors.New("killed")

func (k *killed) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left == 0 {
		b := slices.Clone(b)
		k.late = append(k.late, func() error { _, err := k.Store.Put(context.Background(), key, b, o); return err })
		return "", errKilled
	}
	k.left--
	return k.Store.Put(ctx, key, b, o)
}

// arrive executes the late puts, some of which lose their race.
func (k *killed) arrive() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, put := range k.late {
		_ = put()
	}
}

// after calls a function after the n-th put.
type after struct {
	store.Store
	mu sync.Mutex
	n  int
	do func()
}

func (a *after) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	v, err := a.Store.Put(ctx, key, b, o)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n--; a.n == 0 {
		a.do()
	}
	return v, err
}

// failingKey refuses puts of one key.
type failingKey struct {
	store.Store
	key string
}

func (f *failingKey) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if key == f.key {
		return "", errKilled
	}
	return f.Store.Put(ctx, key, b, o)
}

// dyingAt is the store of a process that is killed at the put of a key. That put is in flight, and
// later ones are executed.
type dyingAt struct {
	*killed
	key string
}

func (d *dyingAt) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if key != d.key {
		return d.Store.Put(ctx, key, b, o)
	}
	d.left = 0
	return d.killed.Put(ctx, key, b, o)
}
