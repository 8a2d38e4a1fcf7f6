package faultproxy

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
)

// chooser counts the occurrences of each request, so that the n-th occurrence always has the same
// fault.
type chooser struct {
	mu   sync.Mutex
	seen map[uint64]uint64
}

// chance returns the random number generator for this occurrence of the request.
func (c *chooser) chance(seed uint64, r *http.Request) *rand.Rand {
	h := fnv.New64a()
	for _, s := range []string{r.Method, r.URL.RequestURI(), r.Header.Get("Range")} {
		_, _ = io.WriteString(h, s+"\n") // writing to a hash never fails
	}
	id := h.Sum64()
	c.mu.Lock()
	nth := c.seen[id]
	c.seen[id] = nth + 1
	c.mu.Unlock()
	return rand.New(rand.NewPCG(seed, id+nth*0x9e3779b97f4a7c15)) // the golden ratio spreads the counts
}

// forget resets the counts.
func (c *chooser) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = map[uint64]uint64{}
}

// fate chooses the fault of a request: by Script, by Overrides or at random.
func (c *Config) fate(r *http.Request, rng *rand.Rand) Fault {
	if c.Script != nil {
		if f := c.Script(r); f.Kind != None {
			return f
		}
	}
	for _, o := range c.Overrides {
		if o.matches(r) {
			return o.Fault
		}
	}
	u := rng.Float64()
	for _, rate := range c.Rates.list() {
		if u < rate.share {
			return Fault{Kind: rate.kind}
		}
		u -= rate.share
	}
	return Fault{}
}
