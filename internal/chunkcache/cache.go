package chunkcache

import (
	"hash/maphash"
	"iter"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unique"

	"github.com/maypok86/otter/v2"

	"github.com/zargo-io/zargo/concurrency"
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

// Form says how stored bytes were decoded: two arrays with one Form make the same elements of the same bytes.
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

	checked time.Time // of an object
}

// Overhead is what an entry takes beside its bytes and its names: the row of the table, the links of the queues, and the Entry. It is rounded up.
const Overhead = 400

func weigh(id ID, e *Entry) uint32 {
	n := int64(Overhead) + int64(len(id.Key)+len(id.Pin)+len(id.Shape)) + int64(len(e.Bytes)) + int64(e.Index.Bytes())
	return uint32(min(n, math.MaxUint32)) //nolint:gosec // it fits
}

// Forever is a time to live that has no end.
const Forever time.Duration = -1

// table is what is used of an otter.Cache. It is an interface so that programs that make no cache do not link one, which is 0.7 MB.
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

	mu     sync.Mutex  // held by what changes the entries: the bound holds whenever it is free
	epochs [256]uint64 // how often something was forgotten of the keys of one hash

	hits, misses, revalidated, evicted atomic.Int64
}

// New makes a cache of so many bytes. Objects are asked for again when they were last looked at longer ago than ttl.
func New(size int64, ttl time.Duration) *Cache {
	c := &Cache{size: max(size, 1), ttl: ttl, seed: maphash.MakeSeed()}
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

// Keeps reports whether something of n bytes is kept at all: half of the cache must be left for others.
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
func (c *Cache) Clear() { c.forgetAll(func(ID) bool { return true }) }

func (c *Cache) forgetAll(of func(ID) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.epochs {
		c.epochs[i]++
	}
	for id := range c.entries.Keys() {
		if of(id) {
			c.entries.Invalidate(id)
		}
	}
	c.entries.CleanUp()
}

// epoch is the counter of a key, under mu.
func (c *Cache) epoch(key string) *uint64 {
	return &c.epochs[maphash.String(c.seed, key)%uint64(len(c.epochs))]
}

// Reader is a cache as one array uses it.
type Reader struct {
	*Cache
	space any
	form  unique.Handle[Form]
}

// Reader is the cache for an array in a space, whose chunks have a form. Both are comparable.
func (c *Cache) Reader(space any, f Form) *Reader { return &Reader{c, space, unique.Make(f)} }

// ID is the ID of a chunk that is all of an object, of one version of it.
func (r *Reader) ID(key, pin string) ID {
	return ID{Space: r.space, Key: key, Pin: pin, Form: r.form, Kind: Chunk, Len: -1}
}

// Object is what is known of a stored object, nil where nothing is; fresh reports that it is to be believed.
func (r *Reader) Object(key string) (e *Entry, fresh bool) {
	e, ok := r.entries.GetIfPresent(ID{Space: r.space, Key: key})
	if !ok {
		return nil, false
	}
	return e, r.ttl < 0 || time.Since(e.checked) < r.ttl
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
}

// Begin is to be called before an object is requested.
func (r *Reader) Begin(key string) Stamp {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Stamp{time.Now(), *r.epoch(key)}
}

// Found is the entry of an object that was found by a load, with the version that the store gave it.
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

// Keep keeps what a load found: the object, which may be nil, and parts of it. Nothing is kept where the object was forgotten since the load began.
func (r *Reader) Keep(s Stamp, key string, o *Entry, parts ...Part) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *r.epoch(key) != s.epoch {
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
	o.checked = s.at
	r.entries.Set(id, &o)
	r.entries.CleanUp()
}

// Revalidated is Keep of an object that was found unchanged.
func (r *Reader) Revalidated(s Stamp, key string, o *Entry) {
	r.revalidated.Add(1)
	r.Keep(s, key, o)
}

// Forget forgets an object that was written or deleted.
func (r *Reader) Forget(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*r.epoch(key)++
	r.entries.Invalidate(ID{Space: r.space, Key: key})
	r.entries.CleanUp()
}

// ForgetBelow forgets all objects whose keys begin with a prefix.
func (r *Reader) ForgetBelow(prefix string) {
	r.forgetAll(func(id ID) bool { return id.Space == r.space && strings.HasPrefix(id.Key, prefix) })
}
