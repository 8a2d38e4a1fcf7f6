package concurrency

import (
	"runtime"
	"slices"
	"sync"
	"weak"
)

// Registry holds the state that stores of a process share if they use the same bucket, such as
// request slots. The state is shared because a service limits the requests of a client, not those
// of one Store value. The zero Registry is ready to use; a nil Registry shares nothing. See
// [Share].
type Registry struct {
	mu     sync.Mutex
	shared map[shareKey]any // values are weak.Pointer[T]
	recent []any            // values of ShareKept, the latest last
}

// kept is the maximum number of values that a Registry refers to itself.
const kept = 16

type shareKey struct {
	name string
	kind any // (*T)(nil)
}

// Share returns the T that r shares under name. The name must identify the owner of the state: the
// provider, the endpoint and the bucket. The first call creates the T. r drops the T once nothing
// else refers to it. Values of different types are never shared, even under one name. With a nil
// Registry each call creates a T.
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

// ShareKept is like [Share], but r also refers to the values of the latest 16 calls, so that a
// program that closes all stores of a bucket, and then opens another one, continues with them.
func ShareKept[T any](r *Registry, name string, create func() *T) *T {
	v := Share(r, name, create)
	if r == nil {
		return v
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent = slices.DeleteFunc(r.recent, func(old any) bool { return old == any(v) })
	if r.recent = append(r.recent, v); len(r.recent) > kept {
		r.recent = slices.Delete(r.recent, 0, 1)
	}
	return v
}

func (r *Registry) forget(key shareKey, gone any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shared[key] == gone {
		delete(r.shared, key)
	}
}
