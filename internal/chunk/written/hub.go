package written

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
)

// Change describes values that are being written or deleted, or have been.
type Change struct {
	Keys []string // keys whose values may have changed
	// Below contains prefixes that end with a slash. Every value whose key has one of these
	// prefixes may have changed. The prefix "" means all keys.
	Below []string
	// Late means that the outcome of the request is unknown, and that the values may still change
	// after this report.
	Late bool
}

// Within returns a function that reports whether a key has one of the prefixes c.Below.
func (c Change) Within() func(key string) bool {
	below := make(map[string]struct{}, len(c.Below))
	for _, b := range c.Below {
		below[b] = struct{}{}
	}
	return func(key string) bool {
		_, ok := below[""]
		for i := 0; !ok && i < len(key); i++ {
			if key[i] == '/' {
				_, ok = below[key[:i+1]]
			}
		}
		return ok
	}
}

// Hub passes changes on to the registered sites. The zero Hub is ready to use.
type Hub struct {
	listened atomic.Bool // Listen has been called

	mu    sync.Mutex
	sites map[siteID]weak.Pointer[Site]
	roots map[any][]weak.Pointer[Site] // registered sites by Place.Root
}

// Process returns the Hub that all stores and caches of the process share. The Hub exists as long
// as a store or a cache references it.
func Process() *Hub {
	return concurrency.Share(concurrency.Default().Requests, "", func() *Hub { return &Hub{} })
}

// Site is a registration at a Hub. The registration ends when the Site is garbage collected.
type Site struct {
	below string
	f     func(Change)
	hub   *Hub
}

type siteID struct {
	by    any
	place store.Place
}

// Listen registers f to be called with the changes of values at a place, as long as the caller
// references the Site. The keys in a change are relative to the place. by identifies the listener
// and must be comparable. A second call with the same listener and place returns the same Site and
// ignores the new f. The function f must not call the Hub.
func (h *Hub) Listen(by any, p store.Place, f func(Change)) *Site {
	id := siteID{by, p}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sites[id].Value(); s != nil {
		return s
	}
	s := &Site{below: p.Below, f: f, hub: h}
	w := weak.Make(s)
	if h.sites == nil {
		h.sites, h.roots = map[siteID]weak.Pointer[Site]{}, map[any][]weak.Pointer[Site]{}
	}
	h.sites[id] = w
	h.roots[p.Root] = append(h.roots[p.Root], w)
	runtime.AddCleanup(s, func(gone weak.Pointer[Site]) { h.left(id, gone) }, w)
	h.listened.Store(true)
	return s
}

// left removes the registration of a Site that was garbage collected.
func (h *Hub) left(id siteID, gone weak.Pointer[Site]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sites[id] == gone {
		delete(h.sites, id)
	}
	all := h.roots[id.place.Root]
	for i, w := range all {
		if w == gone {
			all[i] = all[len(all)-1]
			all = all[:len(all)-1]
			break
		}
	}
	if h.roots[id.place.Root] = all; len(all) == 0 {
		delete(h.roots, id.place.Root)
	}
}

// at returns the sites whose places have the given root.
func (h *Hub) at(root any) (sites []*Site) {
	if !h.listened.Load() {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.roots[root] {
		if s := w.Value(); s != nil {
			sites = append(sites, s)
		}
	}
	return sites
}

// report passes a change of values at a place on to sites, which must have the same root.
func report(sites []*Site, p store.Place, c Change) {
	for _, s := range sites {
		if own := s.seen(p.Below, c); len(own.Keys)+len(own.Below) > 0 {
			s.f(own)
		}
	}
}

// seen converts c to a change with keys relative to the place of s. The keys of c are relative to
// below, a prefix in the same root. Keys outside the place of s are omitted.
func (s *Site) seen(below string, c Change) Change {
	if below == s.below {
		return c
	}
	own := Change{Late: c.Late}
	for _, k := range c.Keys {
		if key, ok := strings.CutPrefix(below+k, s.below); ok {
			own.Keys = append(own.Keys, key)
		}
	}
	for _, b := range c.Below {
		b = below + b
		if rest, ok := strings.CutPrefix(b, s.below); ok {
			own.Below = append(own.Below, rest)
		} else if strings.HasPrefix(s.below, b) {
			own.Below = append(own.Below, "")
		}
	}
	return own
}
