package grow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/engine"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/grow"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// created returns an array of a shape with the elements 1, 2, … in chunks of length 4.
func created(t *testing.T, format int, shape ...int) *array.Array {
	t.Helper()
	var o array.Options
	o.Table, o.MaxMetadata, o.Limits = codec.Builtin(), 1<<20, concurrency.Default()
	o.Chunks.ChunkLimit, o.Chunks.IndexLimit = 1<<20, 1<<20
	at := &node.Node{Store: written.Around(mem.New()), Path: "a", Cfg: o.Options}
	at, err := at.CreateArray(t.Context(), spec.Spec{Format: format, Shape: shape, Chunks: slices.Repeat([]int{4}, len(shape)), DType: dtype.Uint8})
	if err != nil {
		t.Fatal(err)
	}
	a := array.New(at, o)
	if err := a.Write(t.Context(), numbers(1, elements(shape)), grid.Whole(shape)); err != nil {
		t.Fatal(err)
	}
	return a
}

func elements(shape []int) int {
	n, _ := grid.Whole(shape).Len()
	return n
}

// numbers returns n numbers from the first one on.
func numbers(first, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(first + i)
	}
	return b
}

// has checks the elements of an array that was opened before, and of the stored one.
func has(t *testing.T, a *array.Array, want []byte) {
	t.Helper()
	b, err := a.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*array.Array{a, b} {
		got := make([]byte, elements(a.Meta.Shape))
		if err := a.Read(t.Context(), got, grid.Whole(a.Meta.Shape)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("read %v, %v; want %v", got, err, want)
		}
	}
	if c, err := node.ClaimIn(b.At.Doc); err != nil || c.Under() {
		t.Errorf("the document has the claim %+v, %v", c, err)
	}
}

// rows returns a Write of consecutive numbers.
func rows(n int) grow.Write {
	return func(ctx context.Context, view *array.Array, from int) error {
		return view.Write(ctx, numbers(from+1, n), grid.Region{{Start: from, Step: 1, Count: n}})
	}
}

// TestAppend appends rows, and checks that a failed append and one at another row change nothing.
func TestAppend(t *testing.T) {
	a, at := created(t, 3, 5), 4
	b, err := grow.Append(t.Context(), a, 0, 6, rows(6), grow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	has(t, b, numbers(1, 11))
	failed := errors.New("failed")
	if _, err := grow.Append(t.Context(), b, 0, 2, func(context.Context, *array.Array, int) error { return failed }, grow.Options{}); !errors.Is(err, failed) {
		t.Error(err)
	}
	for want, at := range map[error]int{fault.Exists: at, fault.Conflict: 12, fault.Selection: -1} {
		if _, err := grow.Append(t.Context(), b, 0, 2, rows(2), grow.Options{At: &at}); !errors.Is(err, want) {
			t.Errorf("at %d: %v, want %v", at, err, want)
		}
	}
	has(t, b, numbers(1, 11))
}

// TestResize checks which elements remain when an array has its first shape again after others.
func TestResize(t *testing.T) {
	deletes, clears := grow.Outside{}, grow.Outside{Clear: true}
	type step struct {
		shape   []int
		outside grow.Outside
	}
	smaller := step{[]int{2, 2}, deletes} // what is outside remains in the only chunk
	for name, c := range map[string]struct {
		shape []int
		steps []step
		want  []byte
	}{
		"objects outside the shape are deleted": {[]int{10}, []step{{[]int{5}, deletes}}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 0, 0}},
		"all objects remain":                    {[]int{10}, []step{{[]int{5}, grow.Outside{Keep: true}}}, numbers(1, 10)},
		"elements outside the shape are fill":   {[]int{10}, []step{{[]int{5}, clears}}, []byte{1, 2, 3, 4, 5, 0, 0, 0, 0, 0}},
		"shrinks":                               {[]int{4, 4}, []step{smaller, {[]int{1, 1}, clears}}, []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		"shrinks one axis":                      {[]int{4, 4}, []step{smaller, {[]int{1, 2}, clears}}, []byte{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		"keeps the shape":                       {[]int{4, 4}, []step{smaller, {[]int{2, 2}, clears}}, []byte{1, 2, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		"grows":                                 {[]int{4, 4}, []step{smaller, {[]int{3, 2}, clears}}, []byte{1, 2, 0, 0, 5, 6, 0, 0, 9, 10, 0, 0, 0, 0, 0, 0}},
		"grows one axis and shrinks one":        {[]int{4, 4}, []step{smaller, {[]int{3, 1}, clears}}, []byte{1, 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0}},
	} {
		for _, format := range []int{2, 3} {
			t.Run(fmt.Sprint(name, " v", format), func(t *testing.T) {
				a := created(t, format, c.shape...)
				for _, s := range append(c.steps, step{c.shape, deletes}) {
					b, err := grow.Resize(t.Context(), a, s.shape, s.outside, grow.Options{})
					if err != nil {
						t.Fatal(err)
					}
					a = b
				}
				has(t, a, c.want)
			})
		}
	}
	a := created(t, 3, 10)
	if _, err := grow.Resize(t.Context(), a, []int{5}, grow.Outside{}, grow.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := grow.Resize(t.Context(), a, []int{7}, grow.Outside{}, grow.Options{}); !errors.Is(err, fault.Conflict) {
		t.Errorf("of an array that has another shape: %v", err)
	}
}

// TestResizeAfterKilled checks that elements outside the shape that a killed resize has stored are
// fill values in an array that is longer again, wherever they are.
func TestResizeAfterKilled(t *testing.T) {
	a := created(t, 3, 10)
	killed := claim.New(claim.Resize)
	killed.Was = []int{10}
	_, err := a.At.Hold(t.Context(), a.At.Doc, node.TakeOver{}, func(node.Text) (node.Change, error) {
		return node.Change{Claim: killed, Edits: node.Edits{"shape": json.RawMessage("[5]")}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, err = a.Refresh(t.Context()); err != nil || !slices.Equal(a.Meta.Shape, []int{5}) {
		t.Fatalf("%v, %v", a.Meta.Shape, err)
	}
	if _, err := grow.Resize(t.Context(), a, []int{7}, grow.Outside{}, grow.Options{}); !errors.Is(err, fault.Conflict) {
		t.Errorf("while another resize is in progress: %v", err)
	}
	b, err := grow.Resize(t.Context(), a, []int{10}, grow.Outside{}, grow.Options{Over: node.TakeOver{IDs: []string{killed.ID}}})
	if err != nil {
		t.Fatal(err)
	}
	has(t, b, []byte{1, 2, 3, 4, 5, 0, 0, 0, 0, 0})
}

// TestWriter checks that rows are readable after each chunk, after Flush and after Close.
func TestWriter(t *testing.T) {
	a := created(t, 3, 3)
	put := func(ctx context.Context, view *array.Array, _ func([]int) *engine.ShardWriter, rows []byte, from, to int) error {
		return view.Write(ctx, rows, grid.Region{{Start: from, Step: 1, Count: to - from}})
	}
	w, err := grow.NewWriter(t.Context(), a, 0, put, grow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	length := func(want int) {
		t.Helper()
		if b, err := a.Refresh(t.Context()); err != nil || b.Meta.Shape[0] != want {
			t.Errorf("%d rows are readable, %v; want %d", b.Meta.Shape[0], err, want)
		}
	}
	for _, step := range []struct{ rows, readable int }{{2, 4}, {1, 4}, {2, 8}} {
		if err := w.Write(t.Context(), numbers(4, 5)[:step.rows]); err != nil {
			t.Fatal(err)
		}
		length(step.readable)
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	length(8)
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	has(t, w.Array(), []byte{1, 2, 3, 4, 5, 4, 4, 5})
}
