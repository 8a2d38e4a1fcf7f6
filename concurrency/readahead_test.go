package concurrency

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
)

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// slowly is a task that takes a second and returns its number.
func slowly(ctx context.Context, i int) (int, error) { return i, Sleep(ctx, time.Second) }

// TestResults checks how many results are computed ahead of a loop, by the time that the loop
// takes. The task and the body of the loop take a second each.
func TestResults(t *testing.T) {
	one := func(int) int64 { return 1 }
	for _, tt := range []struct {
		name string
		o    ReadAhead[int]
		took time.Duration
	}{
		{"not in advance", ReadAhead[int]{}, 20 * time.Second},
		{"one in advance", ReadAhead[int]{Most: 1}, 11 * time.Second},
		{"more than there are", ReadAhead[int]{Most: 100}, 11 * time.Second},
		{"as they come", ReadAhead[int]{Most: 100, AnyOrder: true}, 11 * time.Second},
		{"memory for two", ReadAhead[int]{Most: 100, Memory: NewBudget(4), Need: one}, 11 * time.Second},
		{"memory for none", ReadAhead[int]{Most: 100, Memory: NewBudget(1), Need: one}, 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var got []int
				for i, err := range Results(t.Context(), tt.o, upTo(10), slowly) {
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Second)
					got = append(got, i)
				}
				slices.Sort(got)
				if took := time.Since(start); took != tt.took || len(got) != 10 || got[0] != 0 || got[9] != 9 {
					t.Errorf("%v in %v, want it in %v", got, took, tt.took)
				}
				if tt.o.Memory != nil {
					if now, _ := tt.o.Memory.Used(); now != 0 {
						t.Errorf("%d bytes are held", now)
					}
				}
			})
		})
	}
}

// TestResultsInOrder checks that results are yielded in the order of their tasks, or with AnyOrder
// as they complete.
func TestResultsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		backwards := func(ctx context.Context, i int) (int, error) {
			return i, Sleep(ctx, time.Duration(10-i)*time.Second)
		}
		for _, any := range []bool{false, true} {
			var got []int
			for i, err := range Results(t.Context(), ReadAhead[int]{Most: 10, AnyOrder: any}, upTo(5), backwards) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, i)
			}
			want := "[0 1 2 3 4]"
			if any {
				want = "[4 3 2 1 0]"
			}
			if fmt.Sprint(got) != want {
				t.Errorf("any order is %t: %v, want %s", any, got, want)
			}
		}
	})
}

// TestResultsEnd checks that an error, a break, a cancelled context and a panic end the running
// tasks and release their memory.
func TestResultsEnd(t *testing.T) {
	stop := errors.New("stop")
	for _, end := range []string{"error", "break", "cancel", "panic"} {
		for _, any := range []bool{false, true} {
			t.Run(fmt.Sprint(end, any), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					var running atomic.Int64
					do := func(ctx context.Context, i int) (int, error) {
						running.Add(1)
						defer running.Add(-1)
						if i == 3 && end == "error" {
							return 0, stop
						}
						return slowly(ctx, i)
					}
					b := NewBudget(100)
					var got error
					func() {
						defer func() {
							if end == "panic" && recover() == nil {
								t.Error("the panic of the body is lost")
							}
						}()
						for i, err := range Results(ctx, ReadAhead[int]{Most: 6, AnyOrder: any, Memory: b, Need: func(int) int64 { return 1 }}, upTo(1000), do) {
							if err != nil {
								got = err
								continue // no result follows
							}
							switch {
							case i == 2 && end == "break":
								got = stop
							case i == 2 && end == "cancel":
								cancel(stop)
							case i == 2 && end == "panic":
								got = stop
								panic("body")
							}
							if end == "break" && got != nil {
								break
							}
						}
					}()
					if !errors.Is(got, stop) {
						t.Errorf("it ended with %v", got)
					}
					if n := running.Load(); n != 0 {
						t.Errorf("%d tasks are running after the loop", n)
					}
					if now, _ := b.Used(); now != 0 {
						t.Errorf("%d bytes are held after the loop", now)
					}
				})
			})
		}
	}
}

// TestNestedResults checks that nested loops that share a budget of four results do not deadlock.
func TestNestedResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(800)
		r := rand.New(rand.NewPCG(1, 2))
		o := ReadAhead[int]{Most: 8, Memory: b, Need: func(int) int64 { return 100 }}
		task := func(ctx context.Context, i int) (int, error) {
			h, err := b.Acquire(ctx, Task, 300) // the memory that reading takes
			if err != nil {
				return 0, err
			}
			defer h.Release()
			return i, Sleep(ctx, time.Duration(1+i%5)*time.Millisecond)
		}
		n := 0
		for i, err := range Results(t.Context(), o, upTo(10), task) {
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range Results(t.Context(), o, upTo(10), task) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				if r.IntN(20) == 0 {
					break
				}
			}
			_ = i
		}
		if now, peak := b.Used(); now != 0 || peak > 800 || n < 10 {
			t.Errorf("%d results, %d bytes held, %d at most", n, now, peak)
		}
	})
}

// TestResultsHeldWithoutMemory checks that Held has no effect without Memory.
func TestResultsHeldWithoutMemory(t *testing.T) {
	for _, anyOrder := range []bool{false, true} {
		sum := 0
		o := ReadAhead[int]{Most: 2, AnyOrder: anyOrder, Held: true}
		for v, err := range Results(t.Context(), o, slices.Values([]int{1, 2, 3, 4}), func(_ context.Context, n int) (int, error) { return n, nil }) {
			if err != nil {
				t.Fatal(err)
			}
			sum += v
		}
		if sum != 10 {
			t.Errorf("sum %d", sum)
		}
	}
}
