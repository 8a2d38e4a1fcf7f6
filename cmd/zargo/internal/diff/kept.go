package diff

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/keys"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// kept is the store of an array that is compared in blocks. kept reads an object that overlaps
// several blocks whole and only once, if its capacity suffices to retain the object until the last
// of these blocks is compared. It passes requests for other objects to the underlying store.
type kept struct {
	store.Store
	*keeping
}

// keeping is the state of a kept store.
type keeping struct {
	a     *zarr.Array
	block []int
	want  int64 // bytes to reserve for an object before it is read

	joined concurrency.SingleFlight[string, *object]

	hold *concurrency.Hold // memory of the objects; nil if there is none

	mu       sync.Mutex
	capacity int64         // bytes of hold
	used     int64         // bytes of retained objects and of reads in flight
	reading  int           // reads in flight
	longest  int64         // length of the longest object so far
	freed    chan struct{} // closed when a read has ended
	objects  map[string]*object
}

// object is the result of reading a stored object.
type object struct {
	store.Value
	last []int // first element of the last block that the object overlaps
	err  error // fault.NotFound, or fault.Limit if long
	long bool  // longer than the reservation, so the object is not retained
}

// keep returns the array a over a kept store, which retains at most capacity bytes of objects. The
// caller must release the store. keep returns a unchanged if no object overlaps two blocks or if a
// is part of another array.
//
// The memory is reserved in advance, as far as the budget of the array has memory that no other
// work needs. It may be held while reads wait for theirs.
func keep(ctx context.Context, a *zarr.Array, g *grids, block []int, capacity int64) (*zarr.Array, *kept, error) {
	whole := objectOf(a)
	shared := !a.Regular()
	for i, n := range whole {
		shared = shared || pieces(g.shape[i], n, block[i]) > pieces(g.shape[i], n, n)
	}
	if !shared {
		return a, nil, nil
	}
	k := &kept{a.Store(), &keeping{a: a, block: block, freed: make(chan struct{}), objects: map[string]*object{}}}
	b, err := over(ctx, a, k)
	if err != nil || b == nil {
		return a, nil, err
	}
	if hold, ok := a.Limits().Shared.Bytes.Try(concurrency.Ahead, capacity); ok {
		k.hold, k.capacity = hold, capacity
	}
	n := g.bytes(whole)
	k.want = min(n+n/8+64<<10, k.capacity)
	return b, k, nil
}

// release releases the memory of the objects.
func (k *kept) release() {
	if k != nil && k.hold != nil {
		k.hold.Release()
	}
}

// Over returns a copy of k with the underlying store f(k.Store). f may add an observer, which
// counts the requests that reach the underlying store.
func (k *kept) Over(f func(store.Store) store.Store) store.Store { return &kept{f(k.Store), k.keeping} }

// Get implements [store.Store].
func (k *kept) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if last := k.shared(key); last != nil && o.IfNotVersion == "" {
		switch v, err := k.object(ctx, key, last); {
		case err != nil:
			return store.Value{}, err
		case v != nil && !v.long:
			return v.read(k, key, o, buf)
		}
	}
	return k.Store.Get(ctx, key, o, buf)
}

// read serves a Get request from a retained object.
func (v *object) read(k *kept, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	err := v.err
	off, n := int64(0), v.Size
	switch {
	case err != nil:
		return store.Value{}, err
	case o.IfVersion != "" && o.IfVersion != v.Version:
		err = fault.Newf(fault.Conflict, "the object has version %q, want %q", o.IfVersion, v.Version)
	case !o.Range.IsWhole():
		off, n, err = o.Range.Resolve(v.Size)
	}
	if err == nil && o.Max > 0 && n > o.Max {
		err = &store.TooLong{Announced: n, Max: o.Max, Version: v.Version}
	}
	if err != nil {
		return store.Value{}, &fault.KeyError{Op: "get", Store: k.String(), Key: key, Err: err}
	}
	return store.Value{Bytes: append(buf, v.Bytes[off:off+n]...), Size: v.Size, Version: v.Version}, nil
}

// object returns a retained object. If the object is not retained yet, it reads and retains the
// object, until block last is compared. It returns nil if the capacity does not suffice.
func (k *kept) object(ctx context.Context, key string, last []int) (*object, error) {
	if v := k.known(key); v != nil {
		return v, nil
	}
	v, _, err := k.joined.Do(ctx, key, func(ctx context.Context) (*object, error) {
		if v := k.known(key); v != nil {
			return v, nil
		}
		n, err := k.reserve(ctx)
		if n == 0 || err != nil {
			return nil, err
		}
		v := &object{last: last}
		v.Value, err = k.Store.Get(ctx, key, store.GetOptions{Max: n}, nil)
		if v.long = errors.Is(err, fault.Limit); v.long || errors.Is(err, fault.NotFound) {
			v.Value, v.err, err = store.Value{}, err, nil
		}
		k.settle(key, v, n, err)
		return v, err
	})
	return v, err
}

func (k *keeping) known(key string) *object {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.objects[key]
}

// reserve reserves memory for an object and returns the number of bytes. If the capacity does not
// suffice, it waits for reads in flight, because they may need less than they reserved. It returns
// 0 if no read is in flight and the remaining capacity is less than the length of the longest
// object so far.
func (k *keeping) reserve(ctx context.Context) (int64, error) {
	for {
		k.mu.Lock()
		n := k.want
		if k.reading == 0 {
			if n = min(n, k.capacity-k.used); n < max(k.longest, 1) {
				n = 0
			}
		}
		freed := k.freed
		if n == 0 || n <= k.capacity-k.used {
			if n > 0 {
				k.used += n
				k.reading++
			}
			k.mu.Unlock()
			return max(n, 0), nil
		}
		k.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// settle ends a read that has reserved n bytes. If err is nil, it retains the object.
func (k *keeping) settle(key string, v *object, n int64, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.objects[key] = v
	}
	if k.longest = max(k.longest, v.Size); v.long {
		k.longest = max(k.longest, n+1)
	}
	k.used += int64(cap(v.Bytes)) - n
	k.reading--
	close(k.freed)
	k.freed = make(chan struct{})
}

// shared returns the first element of the last block that the object at key overlaps, or nil if it
// does not overlap several blocks.
func (k *keeping) shared(key string) []int {
	if path := k.a.Path(); path != "" {
		key = strings.TrimPrefix(key, path+"/")
	}
	f := keys.Of(k.a, claim.Claim{}).Find(key)
	if f.Place != keys.Inside {
		return nil
	}
	blocks := blocksOf(k.a, k.block, f.Coord)
	if blocks.Len() == 1 {
		return nil
	}
	for i, n := range blocks.Shape {
		blocks.At[i] = (blocks.At[i] + n - 1) * k.block[i]
	}
	return blocks.At
}

// blocksOf returns the positions of the blocks that the object at a position of the grid overlaps.
func blocksOf(a *zarr.Array, block, coord []int) walk.Box {
	b := walk.Object(a, coord)
	for i, start := range b.At {
		b.At[i] = start / block[i]
		b.Shape[i] = (start+b.Shape[i]-1)/block[i] - b.At[i] + 1
	}
	return b
}

// done drops the objects that no block after the block with first element at overlaps. It must be
// called for the blocks in order.
func (k *kept) done(at []int) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, v := range k.objects {
		if slices.Compare(v.last, at) <= 0 {
			k.used -= int64(cap(v.Bytes))
			delete(k.objects, key)
		}
	}
}

// Unwrap returns the underlying store.
func (k *kept) Unwrap() store.Store { return k.Store }

// String returns the name of the underlying store.
func (k *kept) String() string { return store.Name(k.Store) }
