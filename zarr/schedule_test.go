package zarr_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// slow is a store whose chunk requests take a minute and can be cancelled.
type slow struct {
	store.Store
	now, peak, total atomic.Int64
	fail             func(key string) error
}

func (s *slow) wait(ctx context.Context, key string) error {
	if key[len(key)-1] < '0' || key[len(key)-1] > '9' {
		return nil // metadata
	}
	s.total.Add(1)
	n := s.now.Add(1)
	defer s.now.Add(-1)
	for p := s.peak.Load(); n > p && !s.peak.CompareAndSwap(p, n); p = s.peak.Load() {
	}
	if s.fail != nil {
		if err := s.fail(key); err != nil {
			return err
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Minute):
		return nil
	}
}

func (s *slow) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := s.wait(ctx, key); err != nil {
		return store.Value{}, &zarr.KeyError{Op: "get", Key: key, Err: err}
	}
	return s.Store.Get(ctx, key, o, buf)
}

func (s *slow) Put(ctx context.Context, key string, b []byte, o store.PutOptions) (store.Version, error) {
	if err := s.wait(ctx, key); err != nil {
		return "", &zarr.KeyError{Op: "put", Key: key, Err: err}
	}
	return s.Store.Put(ctx, key, b, o)
}

// own returns limits that no other test uses and that belong to the synctest bubble.
func own(budget int64) zarr.Option {
	return zarr.Limit(zarr.Limits{Shared: &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(budget)}})
}

func TestManyChunksAreInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &slow{Store: mem.New()}
		a := mustCreate(t, st, "", zarr.Spec{Shape: []int{64}, Chunks: []int{1}, DType: dtype.Float32, Codecs: []codec.Spec{}}, own(1<<20), zarr.Limit(zarr.Limits{InFlight: 16}))
		begin := time.Now()
		succeed(t, zarr.Write(t.Context(), a, count(64)))
		got, err := zarr.Read[float32](t.Context(), a)
		if err != nil || !slices.Equal(got, count(64)) {
			t.Errorf("read %v, %v", got, err)
		}
		if st.peak.Load() != 16 || time.Since(begin) != 8*time.Minute {
			t.Errorf("%d in flight, took %v", st.peak.Load(), time.Since(begin))
		}
	})
}

func TestBudgetBoundsBytesInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &slow{Store: mem.New()}
		// Chunks have 400 bytes, for which 416 are reserved. Chunks may use 1750 bytes of the
		// budget of 2000.
		limits := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(2000)}
		a := mustCreate(t, st, "", zarr.Spec{Shape: []int{4000}, Chunks: []int{100}, DType: dtype.Float32, Codecs: []codec.Spec{}}, zarr.Limit(zarr.Limits{Shared: limits, InFlight: 40}))
		want := func(name string, in int64, err error) {
			t.Helper()
			if p := st.peak.Swap(0); p != in || err != nil {
				t.Errorf("%s: %d in flight, %v", name, p, err)
			}
			if now, peak := limits.Bytes.Used(); now != 0 || peak > 2000 {
				t.Errorf("%s: %d bytes held, %d at most", name, now, peak)
			}
		}
		want("write", 4, zarr.Write(t.Context(), a, count(4000)))
		_, err := zarr.Read[float32](t.Context(), a, zarr.Range(0, 4000).By(2))
		want("read of every other element", 4, err)
		_, err = zarr.Read[float32](t.Context(), a)
		want("read into place", 40, err) // the caller's memory needs no reservation
	})
}

// TestWritersOfOneProcessTakeTurns checks that partial writes of one chunk, through an opened array
// and its views, have no conflicts.
func TestWritersOfOneProcessTakeTurns(t *testing.T) {
	for name, spec := range map[string]zarr.Spec{"chunk": {Chunks: []int{16}}, "shard": {Chunks: []int{2}, Shards: []int{16}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				spec.Shape, spec.DType, spec.Codecs = []int{16}, dtype.Float32, []codec.Spec{}
				var r zarr.Report
				a := mustCreate(t, &slow{Store: mem.New()}, "", spec, own(1<<20), zarr.WithReport(&r))
				view, err := a.With(zarr.Limit(zarr.Limits{InFlight: 1}))
				if err != nil {
					t.Fatal(err)
				}
				before := r.Puts.Load()
				err = concurrency.EachN(t.Context(), 16, 16, func(ctx context.Context, i int) error {
					return zarr.Write(ctx, []*zarr.Array{a, view}[i%2], []float32{float32(i + 1)}, zarr.At(i))
				})
				if err != nil {
					t.Fatal(err)
				}
				if got, err := zarr.Read[float32](t.Context(), a); err != nil || !slices.Equal(got, count(16)) {
					t.Errorf("%v, %v", got, err)
				}
				if n := r.Puts.Load() - before; n != 16 || r.Conflicts.Load() != 0 {
					t.Errorf("%d puts, %d conflicts", n, r.Conflicts.Load())
				}
			})
		})
	}
}

func TestFirstErrorStopsTheRest(t *testing.T) {
	boom := errors.New("boom")
	for _, op := range []string{"read", "write"} {
		t.Run(op, func(t *testing.T) {
			before := runtime.NumGoroutine()
			synctest.Test(t, func(t *testing.T) {
				st := &slow{Store: mem.New(), fail: func(key string) error {
					if key == "c/5" {
						return boom
					}
					return nil
				}}
				a := mustCreate(t, st, "", zarr.Spec{Shape: []int{1000}, Chunks: []int{1}, DType: dtype.Float32}, own(1<<20), zarr.Limit(zarr.Limits{InFlight: 8}))
				begin := time.Now()
				var err error
				if op == "read" {
					_, err = zarr.Read[float32](t.Context(), a)
				} else {
					err = zarr.Write(t.Context(), a, count(1000))
				}
				if !errors.Is(err, boom) || time.Since(begin) != 0 || st.total.Load() > 10 {
					t.Errorf("%v after %v and %d requests", err, time.Since(begin), st.total.Load())
				}
			})
			settle(t, before)
		})
	}
}

// settle waits until the number of goroutines is at most before. A goroutine that has ended its
// work is counted until it exits.
func settle(t *testing.T, before int) {
	t.Helper()
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestCancellationIsPrompt(t *testing.T) {
	for _, op := range []string{"read", "write", "partial write"} {
		t.Run(op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &slow{Store: mem.New()}
				a := mustCreate(t, st, "", zarr.Spec{Shape: []int{1000}, Chunks: []int{2}, DType: dtype.Float32}, own(64), zarr.Limit(zarr.Limits{InFlight: 8}))
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				begin := time.Now()
				var err error
				switch op {
				case "read":
					_, err = zarr.Read[float32](ctx, a)
				case "write":
					err = zarr.Write(ctx, a, count(1000))
				default:
					err = zarr.Write(ctx, a, count(500), zarr.Range(0, 1000).By(2))
				}
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 30*time.Second {
					t.Errorf("%v after %v", err, time.Since(begin))
				}
			})
		})
	}
}

// TestLimitsAreGivenBack reads, fails and is cancelled many times with the same limits, and checks
// that all of them are released.
func TestLimitsAreGivenBack(t *testing.T) {
	l := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(100)}
	st := mem.New()
	a := mustCreate(t, st, "", zarr.Spec{Shape: []int{50}, Chunks: []int{5}, DType: dtype.Float32}, zarr.Limit(zarr.Limits{Shared: l}))
	for i := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		if i%3 == 0 {
			cancel()
		}
		err := zarr.Write(ctx, a, count(48), zarr.Range(1, 49))
		if (err != nil) != (i%3 == 0) {
			t.Errorf("write %d: %v", i, err)
		}
		if i%5 == 0 {
			succeed(t, second(st.Put(t.Context(), "c/3", []byte("broken"), store.PutOptions{})))
			if _, err := zarr.Read[float32](t.Context(), a); !errors.Is(err, zarr.ErrCorrupt) {
				t.Errorf("read %d: %v", i, err)
			}
			succeed(t, st.Delete(t.Context(), "c/3", store.DeleteOptions{}))
		}
		cancel()
	}
	if used, _ := l.Bytes.Used(); used != 0 {
		t.Errorf("%d bytes are still reserved", used)
	}
	for range 2 {
		if _, err := l.CPU.Acquire(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
