package chunkcache

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
	"github.com/zargo-io/zargo/internal/written"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/store"
)

// ID says what an entry is of.
type ID struct {
	Space    any    // the store that the key is in; comparable
	Key      string // of a stored object
	Pin      string // of the version of the object; "" for the entry of the object itself
	Form     unique.Handle[Form]
	Shape    string // of the chunk, where an array has chunks of several
	Kind     Kind
	Depth    int   // of shards in shards
	Off, Len int64 // of the stored bytes; 0 and -1 for all of the object
}

// ShapeText is the Shape of an ID.
func ShapeText(shape []int) string {
	b := make([]byte, 0, 32)
	for _, n := range shape {
		b = binary.AppendUvarint(b, uint64(n)) //nolint:gosec // not negative
	}
	return string(b)
}

// Form says how stored bytes were decoded: two arrays with one Form make the same elements of the
// same bytes.
type Form struct {
	By   any    // whose codecs: nil for those of the library
	Text string // the data type and the codecs with their configuration
}

// Kind is what is kept.
type Kind uint8

// What is kept.
const (
	Object Kind = iota
	Chunk
	Index
)

// Entry is what is kept under an ID. It is immutable.
type Entry struct {
	Version store.Version // of an object; "" where the store has none
	Pin     string        // of an object: what its contents are kept under
	Absent  bool          // of an object: it is proven absent
	Bytes   []byte        // of a chunk: its elements, or its stored bytes where elements vary in length
	Index   codec.ShardIndex

	checked time.Time     // of an object
	edge    string        // of an object: where the array ended within it; see Load
	site    *written.Site // of an object: where the cache hears that it is written, as long as there is an entry
}

// Overhead is what an entry takes beside its bytes and its names: the row of the table, the links
// of the queues, and the Entry. It is rounded up.
const Overhead = 400

func weigh(id ID, e *Entry) uint32 {
	n := int64(Overhead) + int64(len(id.Key)+len(id.Pin)+len(id.Shape)) + int64(len(e.Bytes)) + int64(e.Index.Bytes())
	return uint32(min(n, math.MaxUint32)) //nolint:gosec // it fits
}

// Forever is a time to live that has no end.
const Forever time.Duration = -1

// table is what is used of an otter.Cache. It is an interface so that programs that make no cache
// do not link one: 0.45 MB.
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

// Cache keeps entries of any number of stores.
type Cache struct {
	size    int64
	ttl     time.Duration
	entries table
	loads   concurrency.JoinedBy[Load, Loaded]
	numbers atomic.Uint64 // of pins
	seed    maphash.Seed
	hub     *written.Hub

	mu     sync.Mutex    // held by what changes the entries: the bound holds whenever it is free
	epochs [slots]uint64 // how often something was forgotten of the keys of one hash
	doubts doubts

	hits, misses, revalidated, evicted atomic.Int64
}

// slots is how many counters there are for keys, by their hash. Two keys that share one cost a load
// that is not kept, or a request that finds nothing changed. 1024: of 100 loads under way a write
// drops one in ten times, and a cache takes 16 KiB.
const slots = 1024

// New makes a cache of so many bytes. Objects are asked for again when they were last looked at
// longer ago than ttl.
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

// Size is the number of bytes that entries may take.
func (c *Cache) Size() int64 { return c.size }

// Keeps reports whether something of n bytes is kept at all: half of the cache must be left for
// others.
func (c *Cache) Keeps(n int) bool { return int64(n)+Overhead <= min(c.size/2, math.MaxUint32/2) }

// Stats are numbers of a cache.
type Stats struct {
	Hits, Misses, Revalidated, Evicted int64
	Entries                            int
	Bytes                              int64
}

// Stats are the numbers so far.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.CleanUp()
	return Stats{
		Hits: c.hits.Load(), Misses: c.misses.Load(), Revalidated: c.revalidated.Load(), Evicted: c.evicted.Load(),
		Entries: c.entries.EstimatedSize(), Bytes: int64(c.entries.WeightedSize()), //nolint:gosec // no more than size
	}
}

// Clear forgets everything.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetAll(func(ID) bool { return true })
	c.entries.CleanUp()
}

// forgetAll forgets entries, and what is being loaded, under mu.
func (c *Cache) forgetAll(of func(ID) bool) {
	for i := range c.epochs {
		c.epochs[i]++
	}
	for id := range c.entries.Keys() {
		if of(id) {
			c.entries.Invalidate(id)
		}
	}
}

// slot is the counter of a key.
func (c *Cache) slot(key string) uint64 { return maphash.String(c.seed, key) % slots }

// written forgets what is written in a space.
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

// Reader is a cache as one array uses it.
type Reader struct {
	*Cache
	space any
	form  unique.Handle[Form]
	site  *written.Site
}

// listener is who listens to what is written: the map of the Hub is not to keep the cache.
type listener struct {
	cache weak.Pointer[Cache]
	space any
}

// Reader is the cache for an array in a space, whose chunks have a form. Both are comparable. From
// then on the cache forgets what is written at the place by the keys that it has there, as long as
// there is a Reader or an entry.
func (c *Cache) Reader(space any, at store.Place, f Form) *Reader {
	site := c.hub.Listen(listener{weak.Make(c), space}, at, func(w written.Change) { c.written(space, w) })
	return &Reader{c, space, unique.Make(f), site}
}

// ID is the ID of a chunk that is all of an object, of one version of it.
func (r *Reader) ID(key, pin string) ID {
	return ID{Space: r.space, Key: key, Pin: pin, Form: r.form, Kind: Chunk, Len: -1}
}

// Object is what is known of a stored object, nil where nothing is; fresh reports that it is to be
// believed by an array that ends at an edge within it.
func (r *Reader) Object(key string, edge Edge) (e *Entry, fresh bool) {
	e, ok := r.entries.GetIfPresent(ID{Space: r.space, Key: key})
	if !ok {
		return nil, false
	}
	return e, (r.ttl < 0 || time.Since(e.checked) < r.ttl) && e.edge == string(edge) && !r.doubted(key, e.checked)
}

// Part is what is kept of one version of an object; nil where nothing is.
func (r *Reader) Part(id ID) *Entry {
	e, _ := r.entries.GetIfPresent(id)
	return e
}

// Count counts what was asked for: answered from the cache, or not.
func (r *Reader) Count(hits, misses int) {
	r.hits.Add(int64(hits))
	r.misses.Add(int64(misses))
}

// Stamp is the begin of a load.
type Stamp struct {
	at    time.Time
	epoch uint64
	Edge  string // of the Load
}

// Begin is to be called before an object is requested.
func (r *Reader) Begin(key, edge string) Stamp {
	i := r.slot(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	return Stamp{time.Now(), r.epochs[i], edge}
}

// Found is the entry of an object that was found by a load, with the version that the store gave
// it.
func (r *Reader) Found(v store.Version) *Entry {
	if v == "" {
		return &Entry{Pin: "#" + strconv.FormatUint(r.numbers.Add(1), 10)}
	}
	return &Entry{Version: v, Pin: "=" + string(v)}
}

// Part is what a load made, and what it is of.
type Part struct {
	ID
	*Entry
}

// Keep keeps what a load found: the object, which may be nil, and parts of it. Nothing is kept
// where the object was forgotten since the load began.
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
			r.entries.CleanUp() // before the next one: no more than it is over the bound
		}
	}
}

// keepObject keeps what was found of an object, unless a load that began later found something.
func (r *Reader) keepObject(s Stamp, id ID, o Entry) {
	if now, ok := r.entries.GetEntryQuietly(id); ok && !now.Value.checked.Before(s.at) {
		return
	}
	o.checked, o.edge, o.site = s.at, s.Edge, r.site
	r.entries.Set(id, &o)
	r.entries.CleanUp()
}

// Revalidated is Keep of an object that was found unchanged.
func (r *Reader) Revalidated(s Stamp, key string, o *Entry) {
	r.revalidated.Add(1)
	r.Keep(s, key, o)
}

// Forget forgets an object of which a reader found out that it has changed.
func (r *Reader) Forget(key string) { r.written(r.space, written.Change{Keys: []string{key}}) }

// ForgetEach forgets the objects of which a function says so.
func (r *Reader) ForgetEach(of func(key string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetAll(func(id ID) bool { return id.Space == r.space && id.Kind == Object && of(id.Key) })
	r.entries.CleanUp()
}
