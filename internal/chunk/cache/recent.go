package cache

import (
	"container/list"
	"sync"
)

// Recent caches the most recently used values in a bounded number of bytes. The zero Recent is
// ready to use. Values lack versions and do not expire, so the caller must check them.
type Recent[K comparable, V Identified[K]] struct {
	mu    sync.Mutex
	byID  map[K]*list.Element
	order list.List // values, most recently used first
	bytes int
}

// Identified is a value with an ID and a length.
type Identified[K comparable] interface {
	comparable
	ID() K
	Bytes() int
}

// Get returns the value with an ID, or the zero value.
func (c *Recent[K, V]) Get(id K) (v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byID[id]
	if !ok {
		return v
	}
	c.order.MoveToFront(e)
	return e.Value.(V)
}

// Put adds v, or replaces the value with its ID. It drops the least recently used values until the
// other values take at most limit bytes. A value longer than limit is not cached.
func (c *Recent[K, V]) Put(v V, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := v.ID()
	c.remove(id)
	if v.Bytes() > limit {
		return
	}
	if c.byID == nil {
		c.byID = map[K]*list.Element{}
	}
	c.byID[id] = c.order.PushFront(v)
	for c.bytes += v.Bytes(); c.bytes > limit; {
		c.remove(c.order.Back().Value.(V).ID())
	}
}

// Drop removes the value with an ID if this value is v. If v is the zero value, Drop removes the
// value with the ID in any case.
func (c *Recent[K, V]) Drop(id K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var zero V
	if e, ok := c.byID[id]; ok && (v == zero || e.Value.(V) == v) {
		c.remove(id)
	}
}

func (c *Recent[K, V]) remove(id K) {
	if e, ok := c.byID[id]; ok {
		c.bytes -= e.Value.(V).Bytes()
		c.order.Remove(e)
		delete(c.byID, id)
	}
}
