package concurrency_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
)

// TestOrdered checks, with tasks of random duration, that then is called in order, one call at a
// time and after do, and that do never starts before the previous result in the same memory was
// processed.
func TestOrdered(t *testing.T) {
	for _, inFlight := range []int{-1, 1, 2, 3, 8} {
		for _, n := range []int{0, 1, 2, 7, 40} {
			t.Run(fmt.Sprintf("%d of %d", inFlight, n), func(t *testing.T) {
				for seed := range uint64(20) {
					synctest.Test(t, func(t *testing.T) { inTurn(t, seed, inFlight, n) })
				}
			})
		}
	}
}

func inTurn(t *testing.T, seed uint64, inFlight, n int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	long := make([]time.Duration, 2*n) // some take no time
	for i := range long {
		long[i] = max(0, time.Duration(rng.IntN(12)-2)) * time.Millisecond
	}
	memory := make([]atomic.Int64, max(inFlight, 1))
	var now, most, taking atomic.Int64
	var order []int
	err := concurrency.Ordered(t.Context(), inFlight, n,
		func(_ context.Context, i int) error {
			k := now.Add(1)
			for m := most.Load(); k > m && !most.CompareAndSwap(m, k); m = most.Load() {
			}
			if !memory[i%len(memory)].CompareAndSwap(0, int64(i)+1) {
				t.Errorf("%d began before what its memory holds was taken", i)
			}
			time.Sleep(long[2*i])
			return nil
		},
		func(_ context.Context, i int) error {
			if taking.Add(1) != 1 {
				t.Errorf("%d is taken while another is", i)
			}
			time.Sleep(long[2*i+1])
			if !memory[i%len(memory)].CompareAndSwap(int64(i)+1, 0) {
				t.Errorf("%d was not done", i)
			}
			order = append(order, i)
			taking.Add(-1)
			now.Add(-1)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(order) || len(order) != n {
		t.Errorf("order %v", order)
	}
	if m := most.Load(); m > int64(max(inFlight, 1)) || n >= 40 && inFlight > 1 && m < 2 {
		t.Errorf("%d at once, want %d at most", m, inFlight)
	}
}

func TestOrderedFails(t *testing.T) {
	bad := errors.New("bad")
	for _, inFlight := range []int{1, 3} {
		for _, where := range []string{"do", "then", "context"} {
			t.Run(fmt.Sprintf("%s with %d", where, inFlight), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					taken := 0
					err := concurrency.Ordered(ctx, inFlight, 20,
						func(ctx context.Context, i int) error {
							if where == "do" && i == 7 {
								return bad
							}
							return concurrency.Sleep(ctx, time.Duration(20-i)*time.Millisecond)
						},
						func(_ context.Context, i int) error {
							if taken++; i == 7 && where == "then" {
								return bad
							}
							if i == 7 && where == "context" {
								cancel(bad)
							}
							return nil
						})
					if !errors.Is(err, bad) {
						t.Errorf("%v, want %v", err, bad)
					}
					if taken > 8 {
						t.Errorf("%d were taken", taken)
					}
				})
			})
		}
	}
}
