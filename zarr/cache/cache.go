package cache

import (
	"reflect"
	"time"

	"github.com/zargo-io/zargo/internal/chunkcache"
	"github.com/zargo-io/zargo/zarr/store"
)

// Cache keeps decoded chunks. It is safe for any number of goroutines, has none of its own, and
// need not be closed.
type Cache struct {
	c    *chunkcache.Cache
	name string
}

// Validity says how long entries are believed. The zero Validity is Revalidate(0).
type Validity struct{ ttl time.Duration }

// Immutable believes entries for ever. It is for data that nothing changes but this process:
// changes of others may never be seen.
func Immutable() Validity { return Validity{chunkcache.Forever} }

// Revalidate believes an entry for a time, from the moment it was requested. After that the first
// read asks the store whether the object is still the same: one request, which brings no bytes if
// it is (304). Of a shard one such request, for its index, makes all that is kept of it valid
// again. Where the store has no versions a chunk is requested anew. With ttl 0 every read asks:
// chunks are transferred once, and are always as they are now.
func Revalidate(ttl time.Duration) Validity { return Validity{max(ttl, 0)} }

// New makes a cache that takes at most so many bytes: those of the elements, with what keeping an
// entry takes. A chunk of more than half of that is not kept. What is evicted is decided by
// frequency and recency of use (W-TinyLFU), so one pass over a large array does not displace what
// is used often, and a read of more than the whole cache adds nothing to it.
func New(bytes int64, v Validity) *Cache { return &Cache{c: chunkcache.New(bytes, v.ttl)} }

// Named returns the same cache for stores that have the same values under the same keys, as two
// that were opened on one bucket and prefix have: arrays in them share entries. The name stands for
// what they have in common, such as the URL. Without a name, entries belong to one opened store: a
// cache does not find out by itself what may be read with whose credentials.
func (c *Cache) Named(name string) *Cache { return &Cache{c.c, name} }

// Clear forgets all entries, of all names.
func (c *Cache) Clear() { c.c.Clear() }

// Stats are what a cache has done so far and holds now.
type Stats struct {
	Hits        int64 // chunks, absences and indexes of shards that were there, and valid
	Misses      int64 // those that were not; several goroutines that wait for one load miss one each
	Revalidated int64 // requests that found an object unchanged
	Evictions   int64 // entries that had to make room
	Entries     int   // now
	Bytes       int64 // that the entries take now
	Size        int64 // that they may take
}

// Stats gives the numbers of the whole cache, of all names.
func (c *Cache) Stats() Stats {
	s := c.c.Stats()
	return Stats{
		Hits: s.Hits, Misses: s.Misses, Revalidated: s.Revalidated, Evictions: s.Evicted,
		Entries: s.Entries, Bytes: s.Bytes, Size: c.c.Size(),
	}
}

// named is the space of stores that share a name.
type named string

// Of is for package zarr; the types are internal to this module. It gives the cache as an array in
// a store uses it, by is whose codecs decode its chunks, nil for those of the library, and form is
// what else says how.
func (c *Cache) Of(st store.Store, by any, form string) *chunkcache.Reader {
	var space any = named(c.name)
	if c.name == "" {
		if space = st; !reflect.ValueOf(st).Comparable() {
			space = new(byte) // of this array alone
		}
	}
	return c.c.Reader(space, store.PlaceOf(st), chunkcache.Form{By: by, Text: form})
}
