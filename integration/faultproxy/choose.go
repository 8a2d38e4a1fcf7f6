package faultproxy

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// chooser counts the occurrences of each request, so that the n-th occurrence always has the same
// fault.
type chooser struct {
	mu   sync.Mutex
	seen map[uint64]uint64
}

// chance returns the random number generator for this occurrence of the request, and the number of
// earlier occurrences.
func (c *chooser) chance(seed uint64, r *http.Request) (*rand.Rand, uint64) {
	h := fnv.New64a()
	for _, s := range []string{r.Method, r.URL.RequestURI(), r.Header.Get("Range")} {
		_, _ = io.WriteString(h, s+"\n") // writing to a hash never fails
	}
	id := h.Sum64()
	c.mu.Lock()
	nth := c.seen[id]
	c.seen[id] = nth + 1
	c.mu.Unlock()
	return rand.New(rand.NewPCG(seed, id+nth*0x9e3779b97f4a7c15)), nth // the golden ratio spreads the counts
}

// forget resets the counts.
func (c *chooser) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = map[uint64]uint64{}
}

// fate chooses the fault of a request: by Script, by Overrides, by FailFirst or at random. nth is
// the number of earlier occurrences of the request.
func (c *Config) fate(r *http.Request, nth uint64, rng *rand.Rand) Fault {
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
	if nth < c.FailFirst {
		return Fault{Kind: SlowDown}
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

// limiter limits the requests per second.
type limiter struct {
	mu     sync.Mutex
	rate   float64
	tokens float64
	at     time.Time // when tokens was last increased
}

// allows reports whether a request is within rate, in requests per second. 0 means no limit. As
// many requests as arrive in a second may arrive at the same time.
func (l *limiter) allows(rate float64) bool {
	if rate <= 0 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if rate != l.rate {
		l.rate, l.tokens, l.at = rate, rate, now
	}
	l.tokens, l.at = min(rate, l.tokens+rate*now.Sub(l.at).Seconds()), now
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}
