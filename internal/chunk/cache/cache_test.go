package cache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/store"
)

// weight returns the sum of the weights of all entries.
func (c *Cache) weight(t *testing.T) (n int64) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.entries.Keys() {
		if e, ok := c.entries.GetEntryQuietly(id); ok {
			n += int64(weigh(id, e.Value))
		}
	}
	if counted := int64(c.entries.WeightedSize()); counted != n {
		t.Errorf("%d bytes are counted, %d are there", counted, n)
	}
	return n
}

// TestBound checks that a random workload of many goroutines, with entries of all lengths, never
// exceeds the size of the cache.
func TestBound(t *testing.T) {
	const size = 200_000
	c := New(size, Forever)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 7))
			reader := c.Reader(g%2, store.Place{}, Form{})
			for n := range 500 {
				key := fmt.Sprint("c/", r.IntN(200))
				switch r.IntN(10) {
				case 0:
					reader.Forget(key)
				case 1, 2, 3, 4:
					if e, _ := reader.Object(key, nil); e != nil {
						reader.Part(reader.ID(key, e.Pin))
					}
				default:
					o := reader.Found(store.Version(fmt.Sprint(n)))
					reader.Keep(reader.Begin(key, ""), key, o, Part{reader.ID(key, o.Pin), &Entry{Bytes: make([]byte, r.IntN(30_000))}})
				}
				if n%20 == 0 {
					if used := c.weight(t); used > size {
						t.Errorf("%d of %d bytes", used, size)
					}
				}
			}
		})
	}
	wg.Wait()
	s := c.Stats()
	if s.Bytes > size || s.Bytes < size/2 || s.Evicted == 0 {
		t.Errorf("%+v", s)
	}
	c.Clear()
	if s := c.Stats(); s.Bytes != 0 || s.Entries != 0 {
		t.Errorf("%+v", s)
	}
}

// TestOverhead compares Overhead with the growth of the heap.
func TestOverhead(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector takes memory of its own")
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	c := New(1<<30, Forever)
	reader := c.Reader(0, store.Place{}, Form{})
	const n = 20_000
	for i := range n {
		key := fmt.Sprintf("era5/t2m/c/%08d", i)
		o := reader.Found(store.Version("0123456789abcdef"))
		reader.Keep(reader.Begin(key, ""), key, o, Part{reader.ID(key, o.Pin), &Entry{Bytes: make([]byte, 1024)}})
	}
	used, counted := heap()-before, c.Stats().Bytes
	t.Logf("%d bytes of the heap, %d counted, for %d entries of 0 and %d of 1024 bytes", used, counted, n, n)
	if used > counted || used < counted/2 {
		t.Errorf("%d bytes of the heap, %d counted", used, counted)
	}
	runtime.KeepAlive(c)
}

// TestForget checks that a load that runs during Forget is not cached, and that an older load does
// not replace the result of a newer one.
func TestForget(t *testing.T) {
	c := New(1<<20, time.Hour)
	a, b := c.Reader("a", store.Place{Root: "a"}, Form{}), c.Reader("b", store.Place{Root: "b"}, Form{})
	keep := func(r *Reader, s Stamp, key string, v store.Version) { r.Keep(s, key, r.Found(v)) }
	has := func(r *Reader, key string, want store.Version) {
		t.Helper()
		if e, _ := r.Object(key, nil); e == nil && want != "" || e != nil && e.Version != want {
			t.Errorf("%s: %+v, want version %q", key, e, want)
		}
	}
	old := a.Begin("x/1", "")
	a.Forget("x/1")
	keep(a, old, "x/1", "old")
	has(a, "x/1", "")

	old = a.Begin("x/1", "")
	old.at = old.at.Add(-1) // two stamps may have the same time
	keep(a, a.Begin("x/1", ""), "x/1", "new")
	keep(a, old, "x/1", "old")
	has(a, "x/1", "new")

	keep(a, a.Begin("y/1", ""), "y/1", "new")
	keep(b, b.Begin("x/1", ""), "x/1", "b's")
	old = a.Begin("x/2", "")
	a.written("a", written.Change{Below: []string{"x/"}})
	keep(a, old, "x/2", "old")
	for key, want := range map[string]store.Version{"x/1": "", "x/2": "", "y/1": "new"} {
		has(a, key, want)
	}
	has(b, "x/1", "b's")
}

// TestPins checks that parts of objects without a version are not returned for other objects.
func TestPins(t *testing.T) {
	r := New(1<<20, Forever).Reader(0, store.Place{}, Form{})
	one, two := r.Found(""), r.Found("")
	same, again := r.Found("1"), r.Found("1")
	if one.Pin == two.Pin || same.Pin != again.Pin || strings.HasPrefix(r.Found("#1").Pin, "#") {
		t.Error(one, two)
	}
}
