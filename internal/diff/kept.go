package diff

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// kept is the store of an array that is compared in blocks. An object that several blocks have a
// part of is read once, whole, and its stored bytes are kept until the last of these blocks, as far
// as there is room. Other objects are read from the store below, in ranges as ever.
type kept struct {
	store.Store
	*keeping
}

// keeping is what is known of the objects.
type keeping struct {
	a     *zarr.Array
	block []int
	want  int64 // bytes that are reserved for an object before it is read

	joined concurrency.JoinedBy[string, *object]

	mu      sync.Mutex
	room    int64 // bytes that may be kept
	used    int64 // of them, those that are reserved too
	reading int
	longest int64         // object that was met
	freed   chan struct{} // closed when a read has ended
	objects map[string]*object
}

// object is what is known of a stored object.
type object struct {
	store.Value       // what is kept
	err         error // it is absent
	long        bool  // it is longer than was reserved: it is not kept
}

// keep returns a as it is read in blocks of a shape, within so many bytes; a itself where no object
// is in two blocks.
func keep(ctx context.Context, a *zarr.Array, g *grids, block []int, room int64) (*zarr.Array, *kept, error) {
	k := &kept{a.Store(), &keeping{a: a, block: block, room: room, freed: make(chan struct{}), objects: map[string]*object{}}}
	object := objectOf(a)
	again := !a.Regular()
	for i, n := range object {
		again = again || pieces(g.shape[i], n, block[i]) > pieces(g.shape[i], n, n)
	}
	if !again {
		return a, nil, nil
	}
	n := g.bytes(object)
	k.want = min(n+n/8+64<<10, room)
	b, err := over(ctx, a, k)
	if err != nil || b == nil {
		return a, nil, err
	}
	return b, k, nil
}

// Over counts what is read from the store below, in place of what is asked of this one.
func (k *kept) Over(f func(store.Store) store.Store) store.Store { return &kept{f(k.Store), k.keeping} }

// Get implements [store.Store].
func (k *kept) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if o.IfNotVersion == "" && k.again(key) {
		switch v, err := k.object(ctx, key); {
		case err != nil:
			return store.Value{}, err
		case v != nil && !v.long:
			return v.read(k, key, o, buf)
		}
	}
	return k.Store.Get(ctx, key, o, buf)
}

// read is a Get of what is kept.
func (v *object) read(k *kept, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	err := v.err
	off, n := int64(0), v.Size
	switch {
	case err != nil:
		return store.Value{}, err
	case o.IfVersion != "" && o.IfVersion != v.Version:
		err = fault.Newf(fault.Conflict, "version %q is needed, the object has %q", o.IfVersion, v.Version)
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

// object returns an object that is kept, or reads it; nil where there is no room.
func (k *kept) object(ctx context.Context, key string) (*object, error) {
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
		v := &object{}
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

// reserve reserves room for an object, waiting for reads that may need less than they reserved; 0:
// there is none.
func (k *keeping) reserve(ctx context.Context) (int64, error) {
	for {
		k.mu.Lock()
		n := k.want
		if k.reading == 0 {
			if n = min(n, k.room-k.used); n < max(k.longest, 1) {
				n = 0
			}
		}
		freed := k.freed
		if n == 0 || n <= k.room-k.used {
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

// settle keeps an object for which n bytes were reserved.
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

// again reports whether a key is of an object that several blocks have a part of.
func (k *keeping) again(key string) bool {
	if path := k.a.Path(); path != "" {
		key = strings.TrimPrefix(key, path+"/")
	}
	grid := k.a.GridShape()
	coord, ok := k.a.Metadata().Keys.Parse(key, len(grid))
	if !ok {
		return false
	}
	several := false
	for i, c := range coord {
		if c >= grid[i] {
			return false
		}
		first, last := k.blocks(i, c)
		several = several || first != last
	}
	return several
}

// blocks are the first and the last block along an axis that has elements of the i-th object.
func (k *keeping) blocks(axis, i int) (first, last int) {
	start, length := k.a.Edge(axis, i)
	return start / k.block[axis], (start + min(length, k.a.Shape()[axis]-start) - 1) / k.block[axis]
}

// done forgets the objects for which the block at a position was the last one.
func (k *kept) done(at []int) {
	if k == nil {
		return
	}
	first, last := make([]int, len(at)), make([]int, len(at))
	for i, start := range at {
		end := start + min(k.block[i], k.a.Shape()[i]-start)
		first[i], _, _ = k.a.ChunkAt(i, start)
		last[i], _, _ = k.a.ChunkAt(i, end-1)
		if _, block := k.blocks(i, last[i]); block > start/k.block[i] {
			last[i]--
		}
		if last[i] < first[i] {
			return
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for coord := range boxes(first, last) {
		key := k.a.ChunkKey(coord...)
		if v := k.objects[key]; v != nil {
			k.used -= int64(cap(v.Bytes))
			delete(k.objects, key)
		}
	}
}

// Unwrap returns the store below.
func (k *kept) Unwrap() store.Store { return k.Store }

// String returns the name of the store below.
func (k *kept) String() string { return store.Name(k.Store) }
