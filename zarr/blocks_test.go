package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// lay copies a block into memory with the given shape.
func lay[T any](dst []T, shape []int, b zarr.Block[T]) {
	at := make([]int, len(shape))
	for _, v := range b.Values {
		k := 0
		for i, n := range shape {
			k = k*n + b.At[i] + at[i]
		}
		dst[k] = v
		for i := len(at) - 1; i >= 0; i-- {
			if at[i]++; at[i] < b.Shape[i] {
				break
			}
			at[i] = 0
		}
	}
}

// TestBlocks checks that the blocks of random selections add up to the result of Read, that each is
// within its objects, and that they are in C order.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		shape, chunks := []int{1 + r.IntN(40), 1 + r.IntN(40)}, []int{1 + r.IntN(9), 1 + r.IntN(9)}
		spec := zarr.Spec{Shape: shape, Chunks: chunks, DType: dtype.Int32}
		if r.IntN(2) == 0 {
			spec.Shards = []int{chunks[0] * (1 + r.IntN(3)), chunks[1] * (1 + r.IntN(3))}
		}
		a := mustCreate(t, mem.New(), "", spec)
		src := make([]int32, shape[0]*shape[1])
		for i := range src {
			src[i] = int32(i + 1)
		}
		succeed(t, zarr.Write(t.Context(), a, src))
		sel := make([]zarr.Selection, 2)
		for k, n := range shape {
			lo := r.IntN(n)
			switch hi := lo + 1 + r.IntN(n-lo); r.IntN(4) {
			case 0:
				sel[k] = zarr.All
			case 1:
				sel[k] = zarr.Range(lo, hi).By(1 + r.IntN(3))
			case 2:
				sel[k] = zarr.Range(lo, hi).By(-1 - r.IntN(3))
			default:
				list := []int{}
				for range r.IntN(12) {
					list = append(list, r.IntN(n))
				}
				sel[k] = zarr.Index(list...)
			}
		}
		want := mustRead[int32](t, a, sel...)
		whole, err := a.Selected(sel...)
		if err != nil {
			t.Fatal(err)
		}
		o := zarr.BlockOptions{Ahead: r.IntN(5) - 1, AnyOrder: r.IntN(2) == 0, Reuse: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			o.Objects = []int{1 + r.IntN(3), 1 + r.IntN(3)}
		}
		got := make([]int32, len(want))
		var before []int
		var kept []zarr.Block[int32]
		for b, err := range zarr.Blocks[int32](t.Context(), a, o, sel...) {
			if err != nil {
				t.Fatal(err)
			}
			if !o.AnyOrder && before != nil && slices.Compare(before, b.At) >= 0 {
				t.Fatalf("case %d: block %v after %v", i, b.At, before)
			}
			if len(b.Values) != b.Shape[0]*b.Shape[1] || len(b.Values) == 0 {
				t.Fatalf("case %d: %d values of shape %v", i, len(b.Values), b.Shape)
			}
			before = b.At
			if !o.Reuse {
				kept = append(kept, b)
				continue
			}
			lay(got, whole, b)
			clear(b.Values) // the loop body owns the values
		}
		for _, b := range kept {
			lay(got, whole, b)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("case %d: %v of %v in %v by %+v: %v, want %v", i, sel, shape, chunks, o, got, want)
		}
	}
}

// TestBlocksOfStrings checks that reused memory has only elements of the current block.
func TestBlocksOfStrings(t *testing.T) {
	a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: []int{10}, Chunks: []int{3}, DType: dtype.String})
	src := []string{"a", "bb", "", "dddd", "e", "ff", "g", "hhh", "i", "jj"}
	succeed(t, zarr.Write(t.Context(), a, src))
	var got []string
	for b, err := range zarr.Blocks[string](t.Context(), a, zarr.BlockOptions{Reuse: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, b.Values...)
	}
	if !slices.Equal(got, src) {
		t.Errorf("%q, want %q", got, src)
	}
}

// TestBlocksAreOneCall checks that a loop sends the requests of one Read, with its counts and
// limits.
func TestBlocksAreOneCall(t *testing.T) {
	m := mem.New()
	mustCreate(t, m, "", zarr.Spec{Shape: []int{64}, Chunks: []int{4}, DType: dtype.Int32, Fill: 7})
	for _, tt := range []struct {
		most   int
		gets   int64
		blocks int
		kind   error
	}{{1000, 16, 16, nil}, {16, 16, 16, nil}, {15, 0, 0, fault.Limit}} {
		var report zarr.Report
		a := mustOpen(t, m, "", zarr.WithReport(&report), zarr.Limit(zarr.Limits{Requests: tt.most}))
		before := report.Gets.Load()
		n := 0
		var failed error
		for _, err := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{}) {
			if err != nil {
				failed = err
				continue
			}
			n++
		}
		if got := report.Gets.Load() - before; got != tt.gets || n != tt.blocks || !errors.Is(failed, tt.kind) {
			t.Errorf("at most %d: %d gets, %d blocks, %v; want %d, %d, %v", tt.most, got, n, failed, tt.gets, tt.blocks, tt.kind)
		}
	}
}

// TestBlocksEnd checks that leaving the loop ends the requests in flight, and that an error ends
// the loop.
func TestBlocksEnd(t *testing.T) {
	m := mem.New()
	a := mustCreate(t, m, "", zarr.Spec{Shape: []int{640}, Chunks: []int{4}, DType: dtype.Int32})
	succeed(t, second(m.Put(t.Context(), "c/9", []byte("short"), store.PutOptions{})))
	n := 0
	for b, err := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{}) {
		if err != nil {
			var chunk *zarr.ChunkError
			if n != 9 || !errors.Is(err, fault.Corrupt) || !errors.As(err, &chunk) || chunk.Key != "c/9" || b.Values != nil {
				t.Errorf("after %d blocks: %v, %v", n, b, err)
			}
			continue
		}
		n++
	}
	if n != 9 {
		t.Errorf("%d blocks", n)
	}
	limits := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 10)}
	of, err := a.With(zarr.Limit(zarr.Limits{Shared: limits}))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range zarr.Blocks[int32](t.Context(), of, zarr.BlockOptions{AnyOrder: true, Ahead: math.MaxInt}) {
		if err != nil && !errors.Is(err, fault.Corrupt) {
			t.Error(err)
		}
		break
	}
	if now, _ := limits.Bytes.Used(); now != 0 {
		t.Errorf("%d bytes are held after the loop", now)
	}
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	n = 0
	for _, err := range zarr.Blocks[int32](ctx, a, zarr.BlockOptions{Ahead: -1}) {
		if n++; n == 3 {
			cancel(cause)
		}
		if n == 4 && !errors.Is(err, cause) || n > 4 {
			t.Errorf("block %d: %v", n, err)
		}
	}
}

// TestBlocksOfLargeArrays checks that a loop takes memory only for its current blocks, and refuses
// a block that is too large.
func TestBlocksOfLargeArrays(t *testing.T) {
	m := mem.New()
	mustCreate(t, m, "", zarr.Spec{Shape: []int{math.MaxInt32, 1 << 20}, Chunks: []int{1, 2}, DType: dtype.Int32, Fill: 7})
	limits := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 10)}
	a := mustOpen(t, m, "", zarr.Limit(zarr.Limits{Shared: limits}))
	n := 0
	for b, err := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{Ahead: math.MaxInt}) {
		if err != nil || !slices.Equal(b.At, []int{0, 2 * n}) || !slices.Equal(b.Values, []int32{7, 7}) {
			t.Fatalf("%+v, %v", b, err)
		}
		if n++; n == 5 {
			break
		}
	}
	for _, err := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{Objects: []int{math.MaxInt, math.MaxInt}}) {
		if !errors.Is(err, fault.Limit) {
			t.Errorf("all in one block: %v", err)
		}
	}
}

// TestBlocksOfOneElement checks that an array without dimensions has one block.
func TestBlocksOfOneElement(t *testing.T) {
	a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: []int{}, Chunks: []int{}, DType: dtype.Int32, Fill: 7})
	n := 0
	for b, err := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{}) {
		if n++; err != nil || len(b.At) != 0 || len(b.Shape) != 0 || !slices.Equal(b.Values, []int32{7}) {
			t.Errorf("%+v, %v", b, err)
		}
	}
	if n != 1 {
		t.Errorf("%d blocks", n)
	}
}

// TestBlocksOfShards checks that a block is a shard, which is read with one request.
func TestBlocksOfShards(t *testing.T) {
	m := mem.New()
	a := mustCreate(t, m, "", zarr.Spec{Shape: []int{64}, Chunks: []int{4}, Shards: []int{16}, DType: dtype.Int32})
	succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int32{5}, 64)))
	var report zarr.Report
	a, err := zarr.OpenArray(t.Context(), m, "", zarr.WithReport(&report))
	if err != nil {
		t.Fatal(err)
	}
	before, n := report.Gets.Load(), 0
	for b, err := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{}) {
		if n++; err != nil || len(b.Values) != 16 {
			t.Errorf("%+v, %v", b, err)
		}
	}
	if got := report.Gets.Load() - before; n != 4 || got != 4 {
		t.Errorf("%d blocks, %d requests, want 4 of each", n, got)
	}
}

// TestBlocksRefused checks selections that have no blocks.
func TestBlocksRefused(t *testing.T) {
	a := mustCreate(t, mem.New(), "", zarr.Spec{Shape: []int{8, 8}, Chunks: []int{4, 4}, DType: dtype.Int32})
	for name, tt := range map[string]struct {
		o    zarr.BlockOptions
		sel  []zarr.Selection
		want error
	}{
		"points":         {sel: []zarr.Selection{zarr.Points([]int{1, 2}, []int{3, 4})}, want: fault.Selection},
		"outside":        {sel: []zarr.Selection{zarr.At(8)}, want: fault.Selection},
		"one dimension":  {o: zarr.BlockOptions{Objects: []int{1}}, want: fault.Selection},
		"no objects":     {o: zarr.BlockOptions{Objects: []int{1, 0}}, want: fault.Selection},
		"nothing at all": {sel: []zarr.Selection{zarr.Range(3, 3)}},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for _, err := range zarr.Blocks[int32](t.Context(), a, tt.o, tt.sel...) {
				n++
				if !errors.Is(err, tt.want) {
					t.Errorf("%v, want %v", err, tt.want)
				}
			}
			if want := map[bool]int{true: 0, false: 1}[tt.want == nil]; n != want {
				t.Errorf("%d turns of the loop, want %d", n, want)
			}
		})
	}
	for _, err := range zarr.Blocks[string](t.Context(), a, zarr.BlockOptions{}) {
		if !errors.Is(err, fault.Type) {
			t.Error(err)
		}
	}
}

// TestNestedBlocks nests loops within a budget of four blocks.
func TestNestedBlocks(t *testing.T) {
	limits := &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(4 * 16)}
	m := mem.New()
	mustCreate(t, m, "", zarr.Spec{Shape: []int{40}, Chunks: []int{4}, DType: dtype.Int32, Fill: 1})
	a := mustOpen(t, m, "", zarr.Limit(zarr.Limits{Shared: limits}))
	n := 0
	for x, err := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{}) {
		for y, err2 := range zarr.Blocks[int32](t.Context(), a, zarr.BlockOptions{AnyOrder: true}) {
			succeed(t, errors.Join(err, err2))
			n += len(x.Values) * len(y.Values)
		}
	}
	if now, _ := limits.Bytes.Used(); n != 40*40 || now != 0 {
		t.Errorf("%d pairs, %d bytes held", n, now)
	}
}

func ExampleBlocks() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "", zarr.Spec{Shape: []int{6, 4}, Chunks: []int{3, 4}, DType: dtype.Int32})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := zarr.Write(ctx, a, make([]int32, 24)); err != nil {
		fmt.Println(err)
		return
	}
	for b, err := range zarr.Blocks[int32](ctx, a, zarr.BlockOptions{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(b.At, b.Shape, len(b.Values))
	}
	// Output:
	// [0 0] [3 4] 12
	// [3 0] [3 4] 12
}
