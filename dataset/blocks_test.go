package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestBlocks checks that blocks put together equal one read of the variable, and that the
// coordinates of a block are those of its elements.
func TestBlocks(t *testing.T) {
	for rank := range 4 {
		shape, chunks, dims := []int{7, 5, 6}[:rank], []int{2, 3, 4}[:rank], []string{"z", "y", "x"}[:rank]
		n := 1
		for _, s := range shape {
			n *= s
		}
		numbers, texts := make([]int16, n), make([]string, n)
		for i := range n {
			numbers[i], texts[i] = int16(i), fmt.Sprint("text ", i)
		}
		st := mem.New()
		d, err := dataset.Create(t.Context(), st, "", dataset.Spec{Vars: []dataset.VarSpec{
			{Name: "number", Spec: zarr.Spec{Shape: shape, Chunks: chunks, Dims: dims, DType: dtype.Int16, Attrs: map[string]any{"scale_factor": 0.5}}},
			{Name: "text", Spec: zarr.Spec{Shape: shape, Chunks: chunks, Dims: dims, DType: dtype.String}},
		}}, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		write := func(name string, err error) {
			if err != nil {
				t.Fatal(name, err)
			}
		}
		number, err := d.Var("number")
		write("number", err)
		text, err := d.Var("text")
		write("text", err)
		write("number", zarr.Write(t.Context(), number.Array(), numbers))
		write("text", zarr.Write(t.Context(), text.Array(), texts))
		queries := [][]dataset.Query{nil}
		if rank > 0 {
			queries = append(queries, []dataset.Query{dataset.Slice("z", 1, 7).By(2)}, []dataset.Query{dataset.At("z", []int{5, 0, 0, 6, 1})}, []dataset.Query{dataset.Slice("z", 3, 3)})
		}
		if rank > 1 {
			queries = append(queries, []dataset.Query{dataset.Pointwise("p", dataset.At("z", []int{4, 1, 1}), dataset.At("y", []int{0, 3, 2}))})
		}
		for _, q := range queries {
			for _, bytes := range []int64{1, 10, 100, 0} {
				sameBlocks(t, number, q, bytes, dataset.Read[float64])
				sameBlocks(t, text, q, bytes, func(ctx context.Context, v *dataset.Variable) ([]string, error) { return v.Strings(ctx) })
			}
		}
	}
}

// sameBlocks compares the blocks of a selection with one read of it.
func sameBlocks[T any](t *testing.T, v *dataset.Variable, q []dataset.Query, bytes int64, read func(context.Context, *dataset.Variable) ([]T, error)) {
	t.Helper()
	v, err := v.Sel(q...)
	if err != nil {
		t.Fatal(err)
	}
	want, err := read(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	got, seen := make([]T, len(want)), 0
	for b, err := range dataset.Blocks(t.Context(), v, bytes, read) {
		if err != nil {
			t.Fatal(err)
		}
		shape := b.Shape()
		for i, x := range b.Values {
			at, each := 0, 1
			for k := len(shape) - 1; k >= 0; k-- {
				at += (b.At[k] + i%shape[k]) * each
				i /= shape[k]
				each *= v.Shape()[k]
			}
			got[at] = x
			seen++
		}
	}
	if seen != len(want) || !reflect.DeepEqual(got, want) {
		t.Errorf("%s %v in blocks of %d bytes: %v, want %v", v.Name(), v.Dims(), bytes, got, want)
	}
}

// TestBlocksEnd checks the error of a block, and of a variable that cannot be read.
func TestBlocksEnd(t *testing.T) {
	a, err := zarr.Create(t.Context(), mem.New(), "", zarr.Spec{Shape: []int{9}, Chunks: []int{3}, DType: dtype.Int8})
	if err != nil {
		t.Fatal(err)
	}
	v, err := dataset.OpenArray(a, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bad := errors.New("bad")
	var got []error
	for _, err := range dataset.Blocks(t.Context(), v, 3, func(_ context.Context, part *dataset.Variable) (int, error) {
		if part.Selection()[0] != zarr.Range(0, 3) {
			return 0, bad
		}
		return 0, nil
	}) {
		got = append(got, err)
	}
	if !slices.Equal(got, []error{nil, bad}) {
		t.Errorf("%v", got)
	}
	for _, err := range dataset.Blocks(t.Context(), nil, 0, dataset.Read[float64]) {
		if err == nil {
			t.Error("blocks of no variable")
		}
	}
}

// TestBlocksOf reads three variables in the same blocks: two with different chunks, of which one is
// transposed, and one along a single dimension.
func TestBlocksOf(t *testing.T) {
	at := map[string][]string{"a": {"y", "x"}, "b": {"x", "y"}, "c": {"x"}}
	spec, length := dataset.Spec{}, map[string]int{"y": 12, "x": 20}
	chunks := map[string][]int{"a": {2, 5}, "b": {4, 3}, "c": {6}}
	for _, name := range []string{"a", "b", "c"} {
		var shape []int
		for _, dim := range at[name] {
			shape = append(shape, length[dim])
		}
		spec.Vars = append(spec.Vars, dataset.VarSpec{Name: name, Spec: zarr.Spec{Shape: shape, Chunks: chunks[name], Dims: at[name], DType: dtype.Int32}})
	}
	st := &gets{Store: mem.New(), n: map[string]int{}}
	d, err := dataset.Create(t.Context(), st, "", spec, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(n int) []int32 {
		out := make([]int32, n)
		for i := range out {
			out[i] = int32(i)
		}
		return out
	}
	if d, err = d.Write(t.Context(), dataset.Stored("a", numbers(240)), dataset.Stored("b", numbers(240)), dataset.Stored("c", numbers(20))); err != nil {
		t.Fatal(err)
	}
	clear(st.n)
	vars, seen := d.Vars(), 0
	for b, err := range dataset.BlocksOf(t.Context(), vars, 5*20*12, func(ctx context.Context, parts []*dataset.Variable) (out [3][]float64, err error) {
		for i, p := range parts {
			if out[i], err = dataset.Read[float64](ctx, p); err != nil {
				return out, err
			}
		}
		return out, nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		h, w := b.Shape()[0], b.Shape()[1]
		for i := range h * w {
			y, x := b.At[0]+i/w, b.At[1]+i%w
			got := [3]float64{b.Values[0][i], b.Values[1][i%w*h+i/w], b.Values[2][i%w]}
			if want := [3]float64{float64(y*20 + x), float64(x*12 + y), float64(x)}; got != want {
				t.Fatalf("(%d, %d): %v, want %v", y, x, got, want)
			}
			seen++
		}
	}
	for key, n := range st.n {
		if n != 1 && !strings.HasPrefix(key, "c/") {
			t.Errorf("%d gets of %s", n, key)
		}
	}
	if seen != 240 || len(st.n) < 24+20+4 {
		t.Errorf("%d elements from %d objects", seen, len(st.n))
	}
	for _, bad := range [][]*dataset.Variable{nil, {vars[2], vars[0]}} {
		for _, err := range dataset.BlocksOf(t.Context(), bad, 0, func(context.Context, []*dataset.Variable) (int, error) { return 0, nil }) {
			if !errors.Is(err, zarr.ErrSelection) {
				t.Error(err)
			}
		}
	}
}

// gets counts the gets of each key.
type gets struct {
	store.Store
	mu sync.Mutex
	n  map[string]int
}

func (g *gets) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	g.mu.Lock()
	g.n[key]++
	g.mu.Unlock()
	return g.Store.Get(ctx, key, o, buf)
}
