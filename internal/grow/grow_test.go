package grow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// created returns an array of n elements 1, 2, … in chunks of 4.
func created(t *testing.T, n int) *array.Array {
	t.Helper()
	var o array.Options
	o.Table, o.MaxMetadata, o.Limits = codec.Builtin(), 1<<20, concurrency.Default()
	o.Chunks.ChunkLimit, o.Chunks.IndexLimit = 1<<20, 1<<20
	at := &node.Node{Store: written.Around(mem.New()), Path: "a", Cfg: o.Options}
	at, err := at.CreateArray(t.Context(), spec.Spec{Format: 3, Shape: []int{n}, Chunks: []int{4}, DType: dtype.Uint8})
	if err != nil {
		t.Fatal(err)
	}
	a := array.New(at, o)
	if err := a.Write(t.Context(), numbers(1, n), grid.Whole([]int{n})); err != nil {
		t.Fatal(err)
	}
	return a
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
		got := make([]byte, a.Meta.Shape[0])
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
	a, at := created(t, 5), 4
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

// TestResize checks which elements remain when an array is longer again.
func TestResize(t *testing.T) {
	for name, c := range map[string]struct {
		outside grow.Outside
		want    []byte
	}{
		"objects outside the shape are deleted": {grow.Outside{}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 0, 0}},
		"all objects remain":                    {grow.Outside{Keep: true}, numbers(1, 10)},
		"elements outside the shape are fill":   {grow.Outside{Clear: true}, []byte{1, 2, 3, 4, 5, 0, 0, 0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			a := created(t, 10)
			for _, n := range []int{5, 10} {
				b, err := grow.Resize(t.Context(), a, []int{n}, c.outside, grow.Options{})
				if err != nil {
					t.Fatal(err)
				}
				a = b
			}
			has(t, a, c.want)
		})
	}
	a := created(t, 10)
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
	a := created(t, 10)
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
	a := created(t, 3)
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
