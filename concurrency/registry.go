package concurrency

import (
	"runtime"
	"sync"
	"weak"
)

// Registry has the request slots of the buckets that a process uses, so that all stores opened on one bucket share them: a service counts the
// requests of a client, not those of a store value. The zero Registry is ready; a nil one shares nothing.
type Registry struct {
	mu    sync.Mutex
	slots map[bucket]*shared
}

type bucket struct {
	name  string
	write bool
}

type shared struct {
	slots weak.Pointer[Slots]
	asked int // the largest n that For was called with
}

// For returns the slots for the reads or the writes of a bucket, whose name must say which provider's and which endpoint's it is. The first
// call makes n of them; a later one that wants more than all before it gets them resized to that, and one that wants fewer takes them as they are. Slots that no store
// uses any more are forgotten.
func (r *Registry) For(name string, write bool, n int) *Slots {
	n = max(n, 1)
	if r == nil {
		return NewSlots(n)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key := bucket{name, write}
	if old, ok := r.slots[key]; ok {
		if s := old.slots.Value(); s != nil {
			if n > old.asked {
				old.asked = n
				s.Resize(n)
			}
			return s
		}
	}
	s := NewSlots(n)
	if r.slots == nil {
		r.slots = map[bucket]*shared{}
	}
	made := &shared{weak.Make(s), n}
	r.slots[key] = made
	runtime.AddCleanup(s, func(made *shared) { r.forget(key, made) }, made)
	return s
}

func (r *Registry) forget(key bucket, gone *shared) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots[key] == gone {
		delete(r.slots, key)
	}
}
