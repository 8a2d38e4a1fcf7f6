package transfers

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/retry"
)

// rounds is the number of targets of TestClaims in each bucket.
var rounds = flag.Int("rounds", 4, "how many targets TestClaims has in each bucket")

// TestClaims runs two processes for each of two plans, which concurrently copy to one target
// through faults and lost responses. Each is interrupted at random and restarted until it succeeds
// or is refused. One plan must be refused, and the target must contain the copy of the other.
func TestClaims(t *testing.T) {
	for _, provider := range bucket.All() {
		t.Run(provider.Name, func(t *testing.T) {
			url := provider.URL(t)
			proxy := faultproxy.Start(t, bucket.Endpoint(t, url), faultproxy.Config{
				Seed: 5, Rates: faultproxy.Rates{SlowDown: 0.01, Reset: 0.02, Lost: 0.02}, RewriteHost: provider.OwnHost,
			})
			src, plain := mem.New(), bucket.Open(t, url)
			for round := range *rounds {
				claims(t, src, plain, round, func(ctx context.Context) (store.Store, error) {
					return provider.Open(ctx, bucket.Through(t, url, proxy.Addr()), 0, retry.Backoff(time.Millisecond, 20*time.Millisecond), retry.Tries(10))
				})
			}
		})
	}
}

func claims(t *testing.T, src, plain store.Store, round int, open func(context.Context) (store.Store, error)) {
	t.Helper()
	target := "t" + string(rune('a'+round))
	var plans [2]*transfer.Plan
	for i := range plans {
		path := target + string(rune('0'+i))
		g, err := zarr.CreateGroup(t.Context(), src, path, zarr.Spec{Format: 2 + round%2})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x", "y"} {
			a, err := g.CreateArray(t.Context(), name, zarr.Spec{Shape: []int{40}, Chunks: []int{2}, DType: dtype.Uint8, Fill: uint8(9)})
			if err != nil {
				t.Fatal(err)
			}
			values := make([]uint8, 30)
			for k := range values {
				values[k] = uint8(i + 1)
			}
			succeed(t, zarr.Write(t.Context(), a, values, zarr.Range(0, 30)))
		}
		o := transfer.Options{Source: transfer.Place{Store: "src"}, Target: transfer.Place{Store: "dst", Path: target}}
		if round/2%2 == 1 {
			o.Codecs = []codec.Spec{codec.Zstd(1)}
		}
		n, err := zarr.OpenGroup(t.Context(), src, path)
		if err != nil {
			t.Fatal(err)
		}
		if plans[i], err = transfer.NewPlan(t.Context(), n, plain, o); err != nil {
			t.Fatal(err)
		}
		for s := range plans[i].Stages[0].Steps {
			plans[i].Stages[0].Steps[s].Block = []int{3}
		}
	}
	opener := func(ctx context.Context, name string) (store.Store, error) {
		if name == "src" {
			return src, nil
		}
		return open(ctx)
	}
	var errs [4]error
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(round), uint64(i)))
			for try := 0; ; try++ {
				ctx, stop := context.WithCancel(t.Context())
				if try < 3 {
					time.AfterFunc(time.Duration(r.IntN(150))*time.Millisecond, stop)
				}
				errs[i] = transfer.Run(ctx, plans[i%2], opener, transfer.RunOptions{})
				stop()
				if errs[i] == nil || errors.Is(errs[i], fault.Exists) || try > 50 {
					return
				}
			}
		})
	}
	all.Wait()
	won := 0
	if errs[0] != nil {
		won = 1
	}
	for i, err := range errs {
		if i%2 == won && err != nil || i%2 != won && !errors.Is(err, fault.Exists) {
			t.Fatalf("round %d: process %d of plan %d, when plan %d was copied: %v", round, i, i%2, won, err)
		}
	}
	for _, name := range []string{"/x", "/y"} {
		a, err := zarr.OpenArray(t.Context(), plain, target+name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := zarr.Read[uint8](t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range got {
			if want := map[bool]uint8{true: uint8(won + 1), false: 9}[k < 30]; v != want {
				t.Fatalf("round %d: element %d of %s is %d, not %d", round, k, name, v, want)
			}
		}
	}
	for _, i := range []int{1 - won, won} {
		succeed(t, transfer.Clean(t.Context(), plans[i], func(ctx context.Context, _ string) (store.Store, error) { return open(ctx) }))
	}
	n := 0
	for e, err := range store.ListAll(t.Context(), plain, target, store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; strings.Contains(e.Key, "__zargo") {
			t.Errorf("round %d: %s is left", round, e.Key)
		}
	}
	if want := 2*(15+1) + 1; n != want {
		t.Errorf("round %d: %d objects are stored, not %d", round, n, want)
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
