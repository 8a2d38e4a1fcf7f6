package concurrency

import (
	"runtime"
	"sync"
	"weak"
)

// Registry has what the stores of a process share that were opened on one bucket, such as request
// slots: a service counts the requests of a client, not those of a store value. The zero Registry
// is ready; in a nil one nothing is shared. See [Share].
type Registry struct {
	mu     sync.Mutex
	shared map[shareKey]any // a weak.Pointer[T]
}

type shareKey struct {
	name string
	kind any // (*T)(nil)
}

// Share returns the T that all have who ask r for it under one name, which must say whose it is:
// the provider, the endpoint and the bucket. It is made at the first call, and forgotten when the
// garbage collector finds that nothing uses it any more. Values of different types never meet. With
// a nil Registry each call makes one.
func Share[T any](r *Registry, name string, create func() *T) *T {
	if r == nil {
		return create()
	}
	key := shareKey{name, (*T)(nil)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, ok := r.shared[key].(weak.Pointer[T]); ok {
		if v := old.Value(); v != nil {
			return v
		}
	}
	v := create()
	made := weak.Make(v)
	if r.shared == nil {
		r.shared = map[shareKey]any{}
	}
	r.shared[key] = made
	runtime.AddCleanup(v, func(made weak.Pointer[T]) { r.forget(key, made) }, made)
	return v
}

func (r *Registry) forget(key shareKey, gone any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shared[key] == gone {
		delete(r.shared, key)
	}
}
