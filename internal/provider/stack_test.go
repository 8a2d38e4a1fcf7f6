package provider

import (
	"context"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/limit"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// blocking is a store whose Gets send to begun and then wait for end.
type blocking struct {
	*mem.Store
	begun, end chan struct{}
}

func (b blocking) Get(context.Context, string, store.GetOptions, []byte) (store.Value, error) {
	b.begun <- struct{}{}
	<-b.end
	return store.Value{}, nil
}

// TestStackShares checks that stores share the slots of a bucket with the same name and the same
// client of the caller. Stores with a client that cannot be identified, with Limits of their own,
// or with a fixed number of requests do not share.
func TestStackShares(t *testing.T) {
	client := &http.Client{}
	limits, private := &concurrency.Limits{Requests: &concurrency.Registry{}}, &concurrency.Limits{}
	base := Stack{Limits: limits}
	bucket := func(name string, own ...any) Bucket {
		return Bucket{Name: name, Own: own, BucketOptions: limit.BucketOptions{Reads: 1, Writes: 1, Most: 1}}
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
		{"what cannot be distinguished", base, bucket("a", struct{}{}), false},
		{"a fixed number", Stack{Limits: limits, InFlight: 1}, bucket("a"), false},
		{"another rate of requests", Stack{Limits: limits, RequestRate: 100}, bucket("a"), false},
		{"another rate of bytes", Stack{Limits: limits, ByteRate: 1e6}, bucket("a"), false},
		{"the share of one of three processes", Stack{Limits: limits.Share(3)}, bucket("a"), false},
		{"the share of one process", Stack{Limits: limits.Share(1)}, bucket("a"), true},
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
				time.Sleep(time.Minute) // the first request of one of several processes waits
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

// TestRatesAreChecked checks that invalid rates are refused.
func TestRatesAreChecked(t *testing.T) {
	for _, s := range []Stack{{RequestRate: -1}, {ByteRate: -1}, {RequestRate: math.NaN()}, {ByteRate: math.Inf(1)}} {
		if err := s.Check(); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
}

// distant is a store whose Gets take 30 ms, and the Get with number slow one second.
type distant struct {
	*mem.Store
	gets atomic.Int64
	slow int64
}

func (d *distant) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	after := 30 * time.Millisecond
	if d.gets.Add(1) == d.slow {
		after = time.Second
	}
	if err := concurrency.Sleep(ctx, after); err != nil {
		return store.Value{}, ctx.Err()
	}
	if t := store.TraceOf(ctx); t != nil && t.FirstByte != nil {
		t.FirstByte(ctx, store.FirstByte{Op: store.OpGet, Key: key, Status: 200, After: after})
	}
	return d.Store.Get(ctx, key, o, buf)
}

// TestStackHedges checks that a slow read is sent twice only with Hedge.
func TestStackHedges(t *testing.T) {
	for _, hedges := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			d := &distant{Store: mem.New(), slow: 50}
			limits := &concurrency.Limits{Bytes: concurrency.NewBudget(1 << 20)}
			st, err := Stack{Limits: limits, Hedge: hedges}.Build(d, Bucket{Name: "a", BucketOptions: limit.BucketOptions{Reads: 8, Writes: 8, Most: 8}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := st.Put(t.Context(), "k", []byte("value"), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			for range 60 {
				if v, err := st.Get(t.Context(), "k", store.GetOptions{Max: 10}, nil); err != nil || string(v.Bytes) != "value" {
					t.Fatal(v, err)
				}
			}
			took, gets, most := time.Since(start), int64(60), 59*30*time.Millisecond+time.Second
			if hedges {
				gets, most = 61, 61*30*time.Millisecond+15*time.Millisecond
			}
			if d.gets.Load() != gets || took > most {
				t.Errorf("hedges is %t: %d requests in %v, want %d in %v", hedges, d.gets.Load(), took, gets, most)
			}
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
	n := limit.BucketOptions{Reads: 10, Writes: 5}
	if got := (Stack{}).Connections(n); got != 20 {
		t.Errorf("%d connections", got)
	}
	if got := (Stack{InFlight: 7}).Connections(n); got != 7 {
		t.Errorf("%d connections for a fixed number", got)
	}
}

// TestPlace checks that stores on one bucket have the same root, for all prefixes and clients.
func TestPlace(t *testing.T) {
	for prefix, want := range map[string]string{"": "", "a/b": "a/b/"} {
		s, err := Stack{Limits: &concurrency.Limits{}}.Build(mem.New(), Bucket{Name: "s3 https://here/bucket", Prefix: prefix, Own: []any{t}})
		if err != nil {
			t.Fatal(err)
		}
		if got := store.PlaceOf(store.ReadOnly(s)); got != (store.Place{Root: "s3 https://here/bucket", Below: want}) {
			t.Errorf("%+v", got)
		}
	}
}
