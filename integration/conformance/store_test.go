package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// few keeps the requests of a run to one or two thousand. What needs more than a page of keys is seen by the first test.
func few(p bucket.Provider) []storetest.Option {
	return append(limits(p), storetest.Keys(20), storetest.Rounds(2))
}

// limits are what the provider itself cannot do.
func limits(p bucket.Provider) []storetest.Option {
	if p.AnyKey {
		return nil
	}
	return []storetest.Option{storetest.Without(storetest.AnyKey)}
}

// each runs a test on every provider.
func each(t *testing.T, test func(t *testing.T, p bucket.Provider)) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { test(t, p) })
	}
}

// open opens a place of its own in the bucket. Waits between tries are short, because nothing here is overloaded.
func open(t *testing.T, p bucket.Provider, url string, inFlight int) store.Store {
	t.Helper()
	st, err := p.Open(t.Context(), url, inFlight, quick()...)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func quick() []retry.Option {
	return []retry.Option{retry.Backoff(time.Millisecond, 20*time.Millisecond), retry.Tries(30)}
}

// bare gives the provider without the layers that Open puts around it.
func bare(t *testing.T, p bucket.Provider) store.Store {
	t.Helper()
	st := open(t, p, p.URL(t), 0)
	for {
		w, ok := st.(store.Wrapper)
		if !ok {
			return st
		}
		st = w.Unwrap()
	}
}

// clause is a misbehaviour that is known, and why it is none of the store's.
type clause struct{ test, text, why string }

// versitygw reads an object's ETag and opens the object in two steps, and a replacement in between gives the old ETag with
// the new bytes: seen in about one run of ten.
func ownOf(p bucket.Provider) []clause {
	if p.Name == "s3" {
		return []clause{{"race/mixture", "a Version names one value", "the server's own"}}
	}
	return nil
}

// check runs the suite.
func check(t *testing.T, fresh func() store.Store, known []clause, opts ...storetest.Option) {
	t.Helper()
	err := storetest.Check(t.Context(), func() (store.Store, error) { return fresh(), nil }, opts...)
	for _, err := range split(err) {
		var m *storetest.Misbehaviour
		i := -1
		if errors.As(err, &m) {
			i = slices.IndexFunc(known, func(c clause) bool { return m.Case == c.test && strings.HasPrefix(m.Clause, c.text) })
		}
		if i >= 0 {
			t.Logf("%s: %v", known[i].why, err)
			continue
		}
		t.Error(err)
	}
}

// split takes joined errors apart.
func split(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok { // only what Check itself joined
		return j.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

func TestStore(t *testing.T) {
	each(t, func(t *testing.T, p bucket.Provider) {
		check(t, func() store.Store { return open(t, p, p.URL(t), 0) }, ownOf(p), limits(p)...)
	})
}

func TestDecorated(t *testing.T) { each(t, decorated) }

func decorated(t *testing.T, p bucket.Provider) {
	prefixed := func(t *testing.T, st store.Store) store.Store {
		t.Helper()
		for _, k := range []string{"run 7+/a", "run 7", "run 7+b/c", "z"} {
			if _, err := st.Put(t.Context(), k+"/neighbour", []byte("outside"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		p, err := store.Prefix(st, "run 7+/x")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	observed := func(_ *testing.T, st store.Store) store.Store { return store.Observe(st, func(store.Event) {}) }
	retried := func(t *testing.T, st store.Store) store.Store {
		t.Helper()
		r, err := retry.New(st, quick()...)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	limited := func(t *testing.T, st store.Store) store.Store {
		t.Helper()
		l, err := limit.New(st, 2)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	type layer = func(*testing.T, store.Store) store.Store
	tests := []struct {
		name   string
		layers []layer // innermost first
	}{
		{"bare", nil},
		{"prefix", []layer{prefixed}},
		{"observe", []layer{observed}},
		{"limit", []layer{limited}},
		{"retry", []layer{retried}},
		{"all", []layer{limited, retried, prefixed, observed}},
		{"all, otherwise", []layer{prefixed, observed, limited, retried}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, func() store.Store {
				st := bare(t, p)
				for _, l := range tt.layers {
					st = l(t, st)
				}
				return st
			}, ownOf(p), few(p)...)
		})
	}
	t.Run("readonly", func(t *testing.T) {
		check(t, func() store.Store { return store.ReadOnly(bare(t, p)) }, ownOf(p),
			append(few(p), storetest.Writer(func(st store.Store) store.Store { return st.(store.Wrapper).Unwrap() }))...)
	})
}

// The contract holds whatever happens on the way. Two requests are spared, because a lost answer to them cannot be told
// from success (see package retry): increments, where two writers send the same bytes, and deletes of one version.
func TestOnAFaultyWay(t *testing.T) { each(t, faulty) }

func faulty(t *testing.T, b bucket.Provider) {
	tests := []struct {
		name  string
		rates faultproxy.Rates
		kinds []faultproxy.Kind // that must have happened
	}{
		{"throttled, reset, truncated", faultproxy.Rates{SlowDown: 0.05, Reset: 0.05, Truncate: 0.05},
			[]faultproxy.Kind{faultproxy.SlowDown, faultproxy.Reset, faultproxy.Truncate}},
		{"answers lost", faultproxy.Rates{Lost: 0.05}, []faultproxy.Kind{faultproxy.Lost}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			known := ownOf(b)
			if b.Name == "gcs" {
				// Its uploads name the object in the body, where no override sees it.
				known = append(known, clause{"race/if-version", "of many IfVersion over one version exactly one writes", "two writers sent the same bytes"})
			}
			url := b.URL(t)
			p := faultproxy.Start(t, bucket.Endpoint(t, url), faultproxy.Config{Seed: 1, Rates: tt.rates, RewriteHost: b.OwnHost,
				Overrides: []faultproxy.Override{{Method: "PUT", Path: "*/count"}, {Method: "DELETE", Path: "*"}}})
			check(t, func() store.Store {
				return open(t, b, bucket.Through(t, b.URL(t), p.Addr()), 16)
			}, known, few(b)...)
			s := p.Stats()
			t.Logf("%d requests, faults %v, %d in flight at most", s.Requests, s.Faults, s.PeakInFlight)
			for _, k := range tt.kinds {
				if s.Faults[k] == 0 {
					t.Errorf("no request met the fault %s", k)
				}
			}
		})
	}
}
