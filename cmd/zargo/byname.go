package main

import "sync"

// byName makes a value the first time its name is asked for, and keeps it.
type byName[T any] struct {
	mu     sync.Mutex
	make   func() T
	values map[string]T
}

func newByName[T any](make func() T) *byName[T] {
	return &byName[T]{make: make, values: map[string]T{}}
}

func (b *byName[T]) of(name string) T {
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok := b.values[name]
	if !ok {
		v = b.make()
		b.values[name] = v
	}
	return v
}
