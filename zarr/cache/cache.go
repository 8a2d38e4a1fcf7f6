package cache

import (
	"reflect"
	"time"

	"github.com/zargo-io/zargo/internal/chunk/cache"
	"github.com/zargo-io/zargo/zarr/store"
)

// Cache keeps decoded chunks. It is safe for concurrent use. It starts no goroutines and need not
// be closed.
type Cache struct {
	c    *cache.Cache
	name string
}

// Validity determines how long entries are valid. The zero Validity is Revalidate(0).
type Validity struct{ ttl time.Duration }

// Immutable makes entries valid forever. It is for data that only this process changes, because
// changes by other processes may never be seen.
func Immutable() Validity { return Validity{cache.Forever} }

// Revalidate makes an entry valid for ttl, from the time of its request. The first read after that
// sends one conditional request, whose response has no body if the object has not changed (304).
// For a shard, one such request for its index revalidates all entries of the shard. If the store
// lacks versions, the object is requested again.
//
// With a ttl of 0 every read sends such a request: a chunk is transferred again only if it has
// changed, and reads always see its current value. A negative ttl means 0.
func Revalidate(ttl time.Duration) Validity { return Validity{max(ttl, 0)} }

// New returns a cache that uses at most the given number of bytes, including the overhead of
// entries. A chunk larger than half of the cache is not kept. Entries are evicted by frequency and
// recency of use (W-TinyLFU). One pass over a large array therefore does not displace frequently
// used entries, and a read of more than the whole cache adds nothing to it.
func New(bytes int64, v Validity) *Cache { return &Cache{c: cache.New(bytes, v.ttl)} }

// Named returns the same cache for stores that have the same values under the same keys, such as
// two stores opened on one bucket and prefix. Arrays in stores with the same name share entries.
// The name identifies the bucket and prefix, for example by a URL.
//
// Without a name, entries belong to one opened store, because the cache cannot know which
// credentials may read them.
func (c *Cache) Named(name string) *Cache { return &Cache{c.c, name} }

// Clear removes all entries, whatever their name.
func (c *Cache) Clear() { c.c.Clear() }

// Stats contains counts since a cache was created, and its current size.
type Stats struct {
	Hits        int64 // valid chunks, absences and indexes of shards that were found
	Misses      int64 // lookups without a valid entry; each goroutine that waits for a load counts
	Revalidated int64 // requests that found an object unchanged
	Evictions   int64 // entries removed to free memory
	Entries     int   // current number of entries
	Bytes       int64 // current bytes of the entries
	Size        int64 // maximum bytes of the entries
}

// Stats returns the counts of the cache, over all names.
func (c *Cache) Stats() Stats {
	s := c.c.Stats()
	return Stats{
		Hits: s.Hits, Misses: s.Misses, Revalidated: s.Revalidated, Evictions: s.Evicted,
		Entries: s.Entries, Bytes: s.Bytes, Size: c.c.Size(),
	}
}

// named identifies stores that share a name.
type named string

// Of returns a reader of the cache for an array in st. Package zarr calls it; the types are
// internal to this module. The argument by identifies the table of codecs that decode the array's
// chunks; nil means the built-in codecs. The argument form describes the rest of the decoding.
func (c *Cache) Of(st store.Store, by any, form string) *cache.Reader {
	var space any = named(c.name)
	if c.name == "" {
		if space = st; !reflect.ValueOf(st).Comparable() {
			space = new(byte) // unique to this array
		}
	}
	return c.c.Reader(space, store.PlaceOf(st), cache.Form{By: by, Text: form})
}
