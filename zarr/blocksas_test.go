package zarr_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func blocksArray(t *testing.T, s zarr.Spec) *zarr.Array {
	t.Helper()
	a := mustCreate(t, mem.New(), "a", s)
	return a
}

// TestBlocksAs checks that blocks with Convert are converted as ReadAs does, and that an unsuitable
// type is refused before any request.
func TestBlocksAs(t *testing.T) {
	ctx := t.Context()
	a := blocksArray(t, zarr.Spec{Shape: []int{10}, Chunks: []int{4}, DType: dtype.Float32})
	succeed(t, zarr.Write(ctx, a, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}))
	for _, o := range []zarr.BlockOptions{{}, {Reuse: true}, {Results: concurrency.NewBudget(100)}} {
		var got []float64
		o.Convert = true
		for b, err := range zarr.Blocks[float64](ctx, a, o, zarr.Range(1, 10).By(2)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, b.Values...)
		}
		if !slices.Equal(got, []float64{1, 3, 5, 7, 9}) {
			t.Errorf("%v", got)
		}
	}
	texts := blocksArray(t, zarr.Spec{Shape: []int{3}, Chunks: []int{2}, DType: dtype.String})
	succeed(t, zarr.Write(ctx, texts, []string{"a", "", "ccc"}))
	var all []byte
	for b, err := range zarr.Blocks[[]byte](ctx, texts, zarr.BlockOptions{Convert: true}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, slices.Concat(b.Values...)...)
	}
	if string(all) != "accc" {
		t.Errorf("%q", all)
	}
	var report zarr.Report
	counted, err := a.With(zarr.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range zarr.Blocks[string](ctx, counted, zarr.BlockOptions{Convert: true}) {
		if !errors.Is(err, zarr.ErrType) || report.Gets.Load() > 0 {
			t.Errorf("%v after %d requests", err, report.Gets.Load())
		}
	}
	succeed(t, zarr.Write(ctx, a, []float32{0.5}, zarr.At(9)))
	var last error
	for _, err := range zarr.Blocks[int8](ctx, a, zarr.BlockOptions{Convert: true}) {
		last = err
	}
	if !errors.Is(last, zarr.ErrType) {
		t.Errorf("0.5 as int8: %v", last)
	}
}

// TestBlocksOfOneBudget checks that concurrent loops together hold no more results than their
// shared budget allows, and that all of them finish, also if reads use that budget.
func TestBlocksOfOneBudget(t *testing.T) {
	ctx := t.Context()
	a := blocksArray(t, zarr.Spec{Shape: []int{64, 1000}, Chunks: []int{1, 1000}, DType: dtype.Uint8, Fill: 1})
	const size = 8 * 20_000
	budget := concurrency.NewBudget(size)
	reads, err := a.With(zarr.Limit(zarr.Limits{Shared: &concurrency.Limits{CPU: concurrency.NewCPU(1), Bytes: budget}}))
	if err != nil {
		t.Fatal(err)
	}
	var now, most, sum atomic.Int64
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			for b, err := range zarr.Blocks[float64](ctx, []*zarr.Array{a, reads}[i%2], zarr.BlockOptions{Convert: true, Results: budget}) {
				if err != nil {
					t.Error(err)
					return
				}
				n := now.Add(int64(8 * len(b.Values)))
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				for _, v := range b.Values {
					sum.Add(int64(v))
				}
				now.Add(-int64(8 * len(b.Values)))
			}
		})
	}
	wg.Wait()
	if most.Load() > size || sum.Load() != 40*64_000 {
		t.Errorf("%d bytes at once of %d, sum %d", most.Load(), size, sum.Load())
	}
	if used, _ := budget.Used(); used != 0 {
		t.Errorf("%d bytes are still held", used)
	}
	for _, err := range zarr.Blocks[uint8](ctx, a, zarr.BlockOptions{Results: concurrency.NewBudget(10)}) { // a block is larger than the budget
		if err != nil {
			t.Error(err)
		}
		break
	}
}

// TestMaxBytes checks that a call which reads more than Limits.Bytes returns ErrLimit, and that
// each call is counted separately.
func TestMaxBytes(t *testing.T) {
	ctx := t.Context()
	a := blocksArray(t, zarr.Spec{Shape: []int{1000}, Chunks: []int{10}, DType: dtype.Uint8, Codecs: []codec.Spec{}})
	succeed(t, zarr.Write(ctx, a, slices.Repeat([]uint8{1}, 1000)))
	a, err := a.With(zarr.Limit(zarr.Limits{Bytes: 100, InFlight: 1}))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := zarr.Read[uint8](ctx, a, zarr.Range(0, 100)); err != nil {
			t.Error(err)
		}
	}
	if _, err := zarr.Read[uint8](ctx, a, zarr.Range(0, 200)); !errors.Is(err, zarr.ErrLimit) {
		t.Error(err)
	}
	if err := zarr.Write(ctx, a, make([]uint8, 1000)); err != nil && !errors.Is(err, zarr.ErrLimit) {
		t.Error(err)
	}
	if _, err := a.With(zarr.Limit(zarr.Limits{Bytes: -1})); !errors.Is(err, zarr.ErrSelection) {
		t.Error(err)
	}
	if s := zarr.Limit(zarr.Limits{Bytes: math.MaxInt64}).String(); s != "Limit({Bytes: 9223372036854775807})" {
		t.Error(s)
	}
}
