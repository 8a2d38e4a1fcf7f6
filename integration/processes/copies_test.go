package processes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/child"
	"github.com/zargo-io/zargo/integration/faultproxy"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
)

// TestCopies lets four processes copy two sources to one target concurrently, two processes for
// each plan. Some are killed. At most one plan may succeed. Its runs must complete the target, and
// runs of the other plan must be refused.
func TestCopies(t *testing.T) {
	t.Run("dir", func(t *testing.T) {
		o := order{Place: t.TempDir()}
		copies(t, o, o, turnsOr(t, 6), 30*time.Millisecond)
	})
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			u := p.URL(t)
			proxy := faultproxy.Start(t, bucket.Endpoint(t, u), faultproxy.Config{
				Seed: 6, Rates: faultproxy.Rates{Lost: 0.02}, RewriteHost: p.OwnHost,
			})
			lossy := order{Provider: p.Name, Place: bucket.Through(t, u, proxy.Addr())}
			copies(t, order{Provider: p.Name, Place: u}, lossy, turnsOr(t, 3), 150*time.Millisecond)
		})
	}
}

// copied is the number of elements of a source, and of its chunks.
const copied = 24

func copies(t *testing.T, direct, lossy order, rounds int, within time.Duration) {
	st, err := direct.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var sources [2]*zarr.Array
	for k := range sources {
		a, err := zarr.Create(t.Context(), st, fmt.Sprintf("s%d", k), zarr.Spec{Shape: []int{copied}, Chunks: []int{1}, DType: dtype.Int64})
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int64{int64(k + 1)}, copied)))
		sources[k] = a
	}
	r := rand.New(rand.NewPCG(26, uint64(rounds)))
	done, kills := 0, 0
	for round := range rounds {
		target := fmt.Sprintf("t%d", round)
		var plans [2]*transfer.Plan
		for k, a := range sources {
			plans[k], err = transfer.NewPlan(t.Context(), a, st, transfer.Options{
				Target: transfer.Place{Path: target}, Format: 3,
				Grid: func(*zarr.Array) (chunks, shards []int, err error) {
					return []int{1 + round%2}, nil, nil // copied as stored or encoded again
				},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		acks, killed := copyRound(t, r, lossy, plans, within)
		kills += killed
		done += acks[0] + acks[1]
		if acks[0] > 0 && acks[1] > 0 {
			t.Fatalf("round %d: both plans succeeded", round)
		}
		winner := -1
		for k, p := range plans {
			err := transfer.Run(t.Context(), p, direct.opener(), transfer.RunOptions{})
			switch {
			case err == nil && winner >= 0:
				t.Fatalf("round %d: plan %d succeeded after plan %d", round, k, winner)
			case err == nil:
				winner = k
			case !errors.Is(err, zarr.ErrExists):
				t.Fatalf("round %d: plan %d: %v", round, k, err)
			case acks[k] > 0:
				t.Fatalf("round %d: plan %d succeeded, and is refused now: %v", round, k, err)
			}
		}
		if winner < 0 {
			t.Fatalf("round %d: both plans are refused", round)
		}
		if missing, err := transfer.Verify(t.Context(), plans[winner], direct.opener()); err != nil || len(missing) > 0 {
			t.Fatalf("round %d: plan %d misses %v: %v", round, winner, missing, err)
		}
		a, err := zarr.OpenArray(t.Context(), st, target)
		if err != nil {
			t.Fatal(err)
		}
		got, err := zarr.Read[int64](t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if want := slices.Repeat([]int64{int64(winner + 1)}, copied); !slices.Equal(got, want) {
			t.Fatalf("round %d: plan %d left %v", round, winner, got)
		}
	}
	t.Logf("%d runs acknowledged in %d rounds, %d kills", done, rounds, kills)
}

// opener returns a function that opens the store for each run, which closes it.
func (o order) opener() transfer.Opener {
	return func(ctx context.Context, _ string) (store.Store, error) { return o.open(ctx) }
}

// copyRound runs each plan in two processes, kills some of them, and returns the number of
// successful runs of each plan.
func copyRound(t *testing.T, r *rand.Rand, o order, plans [2]*transfer.Plan, within time.Duration) (acks [2]int, kills int) {
	t.Helper()
	o.Do = copyPlan
	delays := make([]time.Duration, 4)
	for i := range delays {
		if r.IntN(2) == 0 {
			delays[i] = time.Millisecond + time.Duration(r.Int64N(int64(within)))
			kills++
		}
	}
	said := make([][]int64, len(delays))
	err := concurrency.EachN(t.Context(), len(delays), len(delays), func(_ context.Context, i int) (err error) {
		w := o
		w.Plan = plans[i%2].Encode()
		c := child.Start(t, w)
		said[i], err = acknowledged(c, func() {
			if delays[i] > 0 {
				time.AfterFunc(delays[i], c.Kill)
			}
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, ids := range said {
		acks[i%2] += len(ids)
	}
	return acks, kills
}

// copy runs a plan and prints a line when all of it is stored.
func (o order) copy(ctx context.Context) error {
	p, err := transfer.Decode(o.Plan)
	if err != nil {
		return err
	}
	err = transfer.Run(ctx, p, o.opener(), transfer.RunOptions{})
	if errors.Is(err, zarr.ErrExists) || errors.Is(err, zarr.ErrConflict) {
		return nil
	}
	if err == nil {
		child.Say("ok", 1)
	}
	return err
}
