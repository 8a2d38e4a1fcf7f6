package conformance

import (
	"context"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/retry"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

// layer wraps a store in a decorator.
type layer func(*testing.T, pair) pair

// around returns a layer that does not change the writer.
func around(f func(store.Store) (store.Store, error)) layer {
	return func(t *testing.T, p pair) pair {
		t.Helper()
		s, err := f(p.s)
		if err != nil {
			t.Fatal(err)
		}
		return pair{s, p.w}
	}
}

func prefixed(t *testing.T, p pair) pair {
	t.Helper()
	for _, k := range []string{"run 7+/a", "run 7", "run 7+b/c", "z"} {
		if _, err := p.writer().Put(t.Context(), k+"/neighbour", []byte("outside"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	of := func(st store.Store) store.Store {
		if st == nil {
			return nil
		}
		inner, err := store.Prefix(st, "run 7+/x")
		if err != nil {
			t.Fatal(err)
		}
		return inner
	}
	return pair{of(p.s), of(p.w)}
}

// stack is a named list of layers, innermost first.
type stack struct {
	name   string
	layers []layer
}

// TestDecorated runs the suite on every store in every decorator: all nested, in two orders, and
// each alone if the server is not slow.
func TestDecorated(t *testing.T) {
	t.Parallel()
	observed := around(func(st store.Store) (store.Store, error) {
		return store.Observe(st, func(context.Context, store.Event) {}), nil
	})
	retried := around(func(st store.Store) (store.Store, error) { return retry.New(st, quick()...) })
	limited := around(func(st store.Store) (store.Store, error) { return limit.New(st, limit.Options{InFlight: 2}), nil })
	readOnly := func(_ *testing.T, p pair) pair { return pair{store.ReadOnly(p.s), p.writer()} }
	single := []stack{
		{"prefix", []layer{prefixed}},
		{"observe", []layer{observed}},
		{"limit", []layer{limited}},
		{"retry", []layer{retried}},
	}
	tests := []stack{
		{"bare", nil},
		{"readonly", []layer{readOnly}},
		{"all", []layer{limited, retried, prefixed, observed}},
		{"all, otherwise", []layer{prefixed, observed, limited, retried}},
	}
	each(t, func(t *testing.T, p place) {
		tests := tests
		if !p.slow {
			tests = slices.Concat(single, tests)
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				check(t, p, p.known, func() pair {
					o := p.bare(t)
					for _, l := range tt.layers {
						o = l(t, o)
					}
					return o
				}, append(few(), storetest.Rounds(1))...)
			})
		}
	})
}
