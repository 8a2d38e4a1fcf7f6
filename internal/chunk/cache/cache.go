package cache

import (
	"encoding/binary"
	"hash/maphash"
	"iter"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unique"
	"weak"

	"github.com/maypok86/otter/v2"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// ID identifies an entry.
type ID struct {
	Space    any    // comparable; identifies the store of the key
	Key      string // key of a stored object
	Pin      string // identifies the version of the object; "" for the entry of the object itself
	Form     unique.Handle[Form]
	Shape    string // shape of the chunk, if the array has chunks of several shapes
	Kind     Kind
	Depth    int   // depth of nested shards
	Off, Len int64 // range of the stored bytes; 0 and -1 for the whole object
}

// ShapeText returns the Shape of an ID.
func ShapeText(shape []int) string {
	b := make([]byte, 0, 32)
	for _, n := range shape {
		b = binary.AppendUvarint(b, uint64(n)) //nolint:gosec // not negative
	}
	return string(b)
}

// Form describes how stored bytes are decoded. Arrays with the same Form decode the same bytes to
// the same elements.
type Form struct {
	By   any    // identifies the table of codecs; nil for the built-in codecs
	Text string // the data type and the codecs with their configuration
}

// Kind is the kind of an entry.
type Kind uint8

// The kinds of entries.
const (
	Object Kind = iota
	Chunk
	Index
)

// Entry is the cached value for an ID. It is immutable.
type Entry struct {
	Version store.Version // version of an object; "" if the store does not have versions
	Pin     string        // for an object, identifies the version in IDs of its contents
	Absent  bool          // for an object, it is proven absent
	Bytes   []byte        // for a chunk, its elements, or its stored bytes if elements vary in length
	Index   codec.ShardIndex

	checked time.Time     // for an object, when it was last requested
	edge    string        // for an object, the extent of the array in it; see Load
	site    *written.Site // for an object, notifies the cache of writes while it has an entry
}

// Overhead is the number of bytes of an entry in addition to its contents and its names, rounded
// up. It includes the row of the table, the links of the queues, and the Entry.
const Overhead = 400

func weigh(id ID, e *Entry) uint32 {
	n := int64(Overhead) + int64(len(id.Key)+len(id.Pin)+len(id.Shape)) + int64(len(e.Bytes)) + int64(e.Index.Bytes())
	return uint32(min(n, math.MaxUint32)) //nolint:gosec // it fits
}

// Forever means that entries do not expire.
const Forever time.Duration = -1

// table has the methods of an otter.Cache that are used. As table is an interface, programs that do
// not create a cache do not link otter, which has 0.45 MB.
type table interface {
	GetIfPresent(ID) (*Entry, bool)
	GetEntryQuietly(ID) (otter.Entry[ID, *Entry], bool)
	Set(ID, *Entry) (*Entry, bool)
	Invalidate(ID) (*Entry, bool)
	Keys() iter.Seq[ID]
	CleanUp()
	EstimatedSize() int
	WeightedSize() uint64
}

// Cache stores entries of any number of stores.
type Cache struct {
	size    int64
	ttl     time.Duration
	entries table
	loads   concurrency.SingleFlight[Load, Loaded]
	numbers atomic.Uint64 // last number used for a pin
	seed    maphash.Seed
	hub     *written.Hub

	mu     sync.Mutex    // held while entries are changed; whenever it is free, the size is within its limit
	epochs [slots]uint64 // number of invalidations of the keys with each hash
	doubts doubts

	hits, misses, revalidated, evicted atomic.Int64
}

// slots is the number of counters, which keys share by their hash. If two keys share a counter, a
// write of one key can prevent a load of the other key from being cached, or cause another request
// for it. With 1024 counters and 100 loads in flight, one write in ten has this effect. The
// counters take 16 KiB.
const slots = 1024

// New returns a cache of at most size bytes. The cache uses an object without a request for the
// time ttl after the last request for it.
func New(size int64, ttl time.Duration) *Cache {
	c := &Cache{size: max(size, 1), ttl: ttl, seed: maphash.MakeSeed(), hub: written.Process()}
	c.doubts.since = time.Now()
	c.entries = otter.Must(&otter.Options[ID, *Entry]{
		MaximumWeight: uint64(c.size),
		Weigher:       weigh,
		Executor:      func(f func()) { f() },
		OnAtomicDeletion: func(e otter.DeletionEvent[ID, *Entry]) {
			if e.WasEvicted() {
				c.evicted.Add(1)
			}
		},
	})
	return c
}

// Size returns the maximum total size of the entries in bytes.
func (c *Cache) Size() int64 { return c.size }

// Keeps reports whether the cache accepts a chunk of n bytes. A chunk may take at most half of the
// cache.
func (c *Cache) Keeps(n int) bool { return int64(n)+Overhead <= min(c.size/2, math.MaxUint32/2) }

// Stats are the counters and the size of a cache.
type Stats struct {
	Hits, Misses, Revalidated, Evicted int64
	Entries                            int
	Bytes                              int64
}

// Stats returns the counts since New, and the current size.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.CleanUp()
	return Stats{
		Hits: c.hits.Load(), Misses: c.misses.Load(), Revalidated: c.revalidated.Load(), Evicted: c.evicted.Load(),
		Entries: c.entries.EstimatedSize(), Bytes: int64(c.entries.WeightedSize()), //nolint:gosec // no more than size
	}
}

// Clear removes all entries.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetAll(func(ID) bool { return true })
	c.entries.CleanUp()
}

// forgetAll removes each entry if match returns true for its ID. The results of running loads are
// not added to the cache. The caller must hold mu.
func (c *Cache) forgetAll(match func(ID) bool) {
	for i := range c.epochs {
		c.epochs[i]++
	}
	for id := range c.entries.Keys() {
		if match(id) {
			c.entries.Invalidate(id)
		}
	}
}

// slot returns the index of the counter for a key.
func (c *Cache) slot(key string) uint64 { return maphash.String(c.seed, key) % slots }

// written removes the entries of a space that the change w invalidates.
func (c *Cache) written(space any, w written.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range w.Keys {
		i := c.slot(key)
		c.epochs[i]++
		c.entries.Invalidate(ID{Space: space, Key: key})
		if w.Late {
			c.doubts.add(i)
		}
	}
	if len(w.Below) > 0 {
		within := w.Within()
		c.forgetAll(func(id ID) bool { return id.Space == space && within(id.Key) })
		if w.Late {
			c.doubts.addAll()
		}
	}
	c.entries.CleanUp()
}

// Reader is the access of an array to a cache.
type Reader struct {
	*Cache
	space any
	form  unique.Handle[Form]
	site  *written.Site
}

// listener identifies a listener of the Hub. It contains no pointer to the cache, so that the Hub
// does not keep the cache alive.
type listener struct {
	cache weak.Pointer[Cache]
	space any
}

// Reader returns access to the cache for an array in a space. f is the form of its chunks. space
// and f.By must be comparable. As long as the Reader or an entry exists, writes at the place
// invalidate entries of the space.
func (c *Cache) Reader(space any, at store.Place, f Form) *Reader {
	site := c.hub.Listen(listener{weak.Make(c), space}, at, func(w written.Change) { c.written(space, w) })
	return &Reader{c, space, unique.Make(f), site}
}

// ID returns the ID of a chunk that is a whole object. pin identifies the version of the object.
func (r *Reader) ID(key, pin string) ID {
	return ID{Space: r.space, Key: key, Pin: pin, Form: r.form, Kind: Chunk, Len: -1}
}

// Object returns the entry of a stored object, or nil. fresh reports whether the entry can be used
// without a request, by an array with this edge in the object.
func (r *Reader) Object(key string, edge Edge) (e *Entry, fresh bool) {
	e, ok := r.entries.GetIfPresent(ID{Space: r.space, Key: key})
	if !ok {
		return nil, false
	}
	return e, (r.ttl < 0 || time.Since(e.checked) < r.ttl) && e.edge == string(edge) && !r.doubted(key, e.checked)
}

// Part returns the entry of a part of an object, or nil. The ID identifies the version.
func (r *Reader) Part(id ID) *Entry {
	e, _ := r.entries.GetIfPresent(id)
	return e
}

// Count adds to the counters of hits and misses.
func (r *Reader) Count(hits, misses int) {
	r.hits.Add(int64(hits))
	r.misses.Add(int64(misses))
}

// Stamp identifies the start of a load.
type Stamp struct {
	at    time.Time
	epoch uint64
	Edge  string // the Edge of the Load
}

// Begin returns the Stamp of a load. It must be called before the object is requested.
func (r *Reader) Begin(key, edge string) Stamp {
	i := r.slot(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	return Stamp{time.Now(), r.epochs[i], edge}
}

// Found returns a new entry for an object that a load found with version v.
func (r *Reader) Found(v store.Version) *Entry {
	if v == "" {
		return &Entry{Pin: "#" + strconv.FormatUint(r.numbers.Add(1), 10)}
	}
	return &Entry{Version: v, Pin: "=" + string(v)}
}

// Part is a part of an object that was loaded, with its ID.
type Part struct {
	ID
	*Entry
}

// Keep adds the results of a load to the cache: the entry o of the object, which may be nil, and
// parts of the object. It adds nothing if the object was invalidated since the load started.
func (r *Reader) Keep(s Stamp, key string, o *Entry, parts ...Part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.epochs[r.slot(key)] != s.epoch {
		return
	}
	if o != nil {
		r.keepObject(s, ID{Space: r.space, Key: key}, *o)
	}
	for _, p := range parts {
		if now, ok := r.entries.GetEntryQuietly(p.ID); !ok || now.Value != p.Entry {
			r.entries.Set(p.ID, p.Entry)
			r.entries.CleanUp() // before the next Keep, so that at most one entry exceeds the bound
		}
	}
}

// keepObject adds the entry of an object, unless the cache has an entry from a later load.
func (r *Reader) keepObject(s Stamp, id ID, o Entry) {
	if now, ok := r.entries.GetEntryQuietly(id); ok && !now.Value.checked.Before(s.at) {
		return
	}
	o.checked, o.edge, o.site = s.at, s.Edge, r.site
	r.entries.Set(id, &o)
	r.entries.CleanUp()
}

// Revalidated is like Keep, for a load that found the object unchanged.
func (r *Reader) Revalidated(s Stamp, key string, o *Entry) {
	r.revalidated.Add(1)
	r.Keep(s, key, o)
}

// Forget removes the entry of an object after a reader has found that the object was changed.
func (r *Reader) Forget(key string) { r.written(r.space, written.Change{Keys: []string{key}}) }

// ForgetEach calls match with the key of each entry of the space, and removes the entry if match
// returns true.
func (r *Reader) ForgetEach(match func(key string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetAll(func(id ID) bool { return id.Space == r.space && id.Kind == Object && match(id.Key) })
	r.entries.CleanUp()
}
