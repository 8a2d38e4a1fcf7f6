package conformance

import (
	"runtime"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// pair is a store under test and the store through which its contents are written.
type pair struct {
	s store.Store
	w store.Store // nil if s is writable
}

func (p pair) writer() store.Store {
	if p.w != nil {
		return p.w
	}
	return p.s
}

// place is a kind of store to test.
type place struct {
	name   string
	open   func(t *testing.T) pair // opens an empty place like a user
	limits []storetest.Option      // features that it does not support
	known  []clause

	// slow places are tested only with prefix, observe, limit and retry nested. Other places are
	// also tested with each alone.
	slow bool

	// net is nil unless the place is on a network.
	net *network
}

// network describes how a place is read through a proxy.
type network struct {
	url     func(t *testing.T) string                // returns the URL of an empty place
	open    func(t *testing.T, url, via string) pair // opens it through the proxy at host:port
	ownHost bool                                     // the server responds only to its own name
}

// bare opens a provider without the layers of Open.
func (p place) bare(t *testing.T) pair {
	t.Helper()
	o := p.open(t)
	for {
		w, ok := o.s.(store.Wrapper)
		if !ok {
			return o
		}
		o.s = w.Unwrap()
	}
}

// clause is a known violation that is not caused by the store.
type clause struct{ test, text, why string }

func places() []place {
	folder := place{name: "dir", open: func(t *testing.T) pair { return pair{s: dir.New(t.TempDir())} }}
	if runtime.GOOS == "windows" {
		folder.limits = []storetest.Option{storetest.Without(storetest.AnyKey)}
	}
	all := []place{
		{name: "mem", open: func(*testing.T) pair { return pair{s: mem.New()} }},
		folder,
		{name: "zip", open: func(t *testing.T) pair { return archives(t, mem.New()) }},
		web(),
	}
	for _, b := range bucket.All() {
		all = append(all, inBucket(b))
	}
	return all
}

// each runs a test on every place. Tests on a network run in parallel, because they mostly wait.
func each(t *testing.T, test func(t *testing.T, p place)) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			if p.net != nil {
				t.Parallel()
			}
			test(t, p)
		})
	}
}

// quick returns options for short retry delays, because no server is overloaded.
func quick() []retry.Option {
	return []retry.Option{retry.Backoff(time.Millisecond, 20*time.Millisecond), retry.Tries(30)}
}

func inBucket(b bucket.Provider) place {
	open := func(t *testing.T, url string, inFlight int) pair {
		t.Helper()
		st, err := b.Open(t.Context(), url, inFlight, quick()...)
		if err != nil {
			t.Fatal(err)
		}
		return pair{s: st}
	}
	p := place{
		name: b.Name,
		open: func(t *testing.T) pair { t.Helper(); return open(t, b.URL(t), 0) },
		net: &network{
			url:     func(t *testing.T) string { t.Helper(); return b.URL(t) },
			open:    func(t *testing.T, url, via string) pair { t.Helper(); return open(t, bucket.Through(t, url, via), 16) },
			ownHost: b.OwnHost,
		},
	}
	p.slow = b.Name == bucket.Azure().Name || b.Name == bucket.MinIO().Name // Azurite is the slowest by far, and MinIO is another S3
	if !b.AnyKey {
		p.limits = []storetest.Option{storetest.Without(storetest.AnyKey)}
	}
	if b.Name == "s3" {
		p.known = []clause{{"race/mixture", "a Version identifies one value",
			"versitygw reads an object's ETag and opens the object in two steps, and a replacement in between gives the old ETag with the new bytes: seen in about one run of ten"}}
	}
	return p
}
