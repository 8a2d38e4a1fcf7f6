package provider

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// blocking holds each Get until it is let go.
type blocking struct {
	*mem.Store
	begun, end chan struct{}
}

func (b blocking) Get(context.Context, string, store.GetOptions, []byte) (store.Value, error) {
	b.begun <- struct{}{}
	<-b.end
	return store.Value{}, nil
}

// Stores share the slots of a bucket by its name, and by the client where it is the caller's own; what cannot be told
// apart, and what has Limits or a number of its own, shares none.
func TestStackShares(t *testing.T) {
	client := &http.Client{}
	limits, private := &concurrency.Limits{Requests: &concurrency.Registry{}}, &concurrency.Limits{}
	base := Stack{Limits: limits}
	bucket := func(name string, own ...any) Bucket {
		return Bucket{Name: name, Own: own, Numbers: limit.Numbers{Reads: 1, Writes: 1, Most: 1}}
	}
	var none *http.Client
	for _, c := range []struct {
		name   string
		s      Stack
		b      Bucket
		shares bool
	}{
		{"the same bucket", base, bucket("a"), true},
		{"and no client", base, bucket("a", none, nil), true},
		{"another bucket", base, bucket("b"), false},
		{"another client", base, bucket("a", client), false},
		{"what cannot be told apart", base, bucket("a", struct{}{}), false},
		{"a fixed number", Stack{Limits: limits, InFlight: 1}, bucket("a"), false},
		{"other limits", Stack{Limits: &concurrency.Limits{Requests: &concurrency.Registry{}}}, bucket("a"), false},
		{"limits without a registry", Stack{Limits: private}, bucket("a"), false},
		{"the process's limits", Stack{}, bucket("a"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := blocking{mem.New(), make(chan struct{}, 2), make(chan struct{})}
				first, err := base.Build(st, bucket("a"))
				if err != nil {
					t.Fatal(err)
				}
				second, err := c.s.Build(st, c.b)
				if err != nil {
					t.Fatal(err)
				}
				var wg sync.WaitGroup
				for _, s := range []store.Store{first, second} {
					wg.Go(func() { _, _ = s.Get(t.Context(), "k", store.GetOptions{}, nil) })
				}
				synctest.Wait()
				if shares := len(st.begun) == 1; shares != c.shares {
					t.Errorf("%d requests at once", len(st.begun))
				}
				close(st.end)
				wg.Wait()
			})
		})
	}
}

func TestBucketName(t *testing.T) {
	one, two := &http.Client{}, &http.Client{}
	a, again, b := Bucket{Name: "a", Own: []any{one}}, Bucket{Name: "a", Own: []any{one}}, Bucket{Name: "a", Own: []any{two}}
	if a.name() != again.name() || a.name() == b.name() {
		t.Errorf("%q and %q with one client, %q with another", a.name(), again.name(), b.name())
	}
}

func TestConnectionsFollowRequests(t *testing.T) {
	n := limit.Numbers{Reads: 10, Writes: 5}
	if got := (Stack{}).Connections(n); got != 20 {
		t.Errorf("%d connections", got)
	}
	if got := (Stack{InFlight: 7}).Connections(n); got != 7 {
		t.Errorf("%d connections for a fixed number", got)
	}
}
