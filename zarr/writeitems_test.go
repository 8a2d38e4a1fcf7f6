package zarr_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestWriteItems writes the items that ReadItems returns, whole and in part, in chunks and in
// shards.
func TestWriteItems(t *testing.T) {
	ragged, err := dtype.RaggedOf(dtype.Float32, dtype.Big)
	if err != nil {
		t.Fatal(err)
	}
	array := func(values ...float32) []byte {
		b, _, err := dtype.Value(ragged, values)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for name, tt := range map[string]struct {
		spec  zarr.Spec
		items [][]byte
	}{
		"text":    {zarr.Spec{DType: dtype.String, Fill: "-"}, [][]byte{[]byte("a"), nil, []byte("-"), []byte("größer"), {}, []byte("last")}},
		"bytes":   {zarr.Spec{DType: dtype.Bytes}, [][]byte{{0}, {}, {255, 0}, {1, 2, 3}, nil, bytes.Repeat([]byte{9}, 300)}},
		"sharded": {zarr.Spec{DType: dtype.String, Chunks: []int{1, 3}, Shards: []int{2, 3}}, [][]byte{[]byte("a"), nil, []byte("b"), []byte("c"), {}, []byte("d")}},
		"objects": {zarr.Spec{Format: 2, DType: dtype.JSON}, [][]byte{[]byte(`{"a":[1,2.5]}`), []byte(`"x"`), []byte("null"), []byte("1"), []byte("true"), []byte(`{"é":null}`)}},
		"packed":  {zarr.Spec{Format: 2, DType: dtype.JSON, Codecs: []codec.Spec{codec.MsgPack2()}}, [][]byte{[]byte(`{"a":[1,2.5]}`), []byte(`"x"`), []byte("null"), []byte("1"), []byte("true"), []byte(`{"b64":"AP8="}`)}},
		"arrays":  {zarr.Spec{Format: 2, DType: ragged, Fill: zarr.NoFill}, [][]byte{array(1, 2.5), nil, array(-1), array(0, 0), {}, array(7)}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if tt.spec.Shape = []int{2, 3}; tt.spec.Chunks == nil {
				tt.spec.Chunks = []int{2, 2}
			}
			a := mustCreate(t, mem.New(), "", tt.spec)
			given := slices.Clone(tt.items)
			for i := range given {
				given[i] = bytes.Clone(given[i])
			}
			same := func(what string, want [][]byte) {
				t.Helper()
				got, err := a.ReadItems(ctx)
				if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
					t.Errorf("%s: %q, %v, want %q", what, got, err, want)
				}
			}
			succeed(t, a.WriteItems(ctx, given))
			same("whole", tt.items)
			want := slices.Clone(tt.items)
			want[1], want[4] = tt.items[5], tt.items[0]
			succeed(t, a.WriteItems(ctx, [][]byte{given[5], given[0]}, zarr.All, zarr.At(1)))
			same("in part", want)
			if !slices.EqualFunc(given, tt.items, bytes.Equal) {
				t.Errorf("the caller's items are %q now", given)
			}
			for _, b := range given {
				clear(b)
			}
			same("after the caller changed them", want)

			if err := a.WriteItems(ctx, given[:5]); !errors.Is(err, zarr.ErrSelection) {
				t.Errorf("five of six: %v", err)
			}
			if err := a.WriteItems(ctx, nil, zarr.Range(1, 1)); err != nil {
				t.Errorf("none: %v", err)
			}
		})
	}
}

func TestWriteItemsRefuses(t *testing.T) {
	ctx := t.Context()
	ragged, err := dtype.RaggedOf(dtype.Int32, dtype.Little)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		spec zarr.Spec
		item []byte
		kind error
	}{
		"no UTF-8":           {zarr.Spec{DType: dtype.String}, []byte("\xff"), zarr.ErrType},
		"no JSON":            {zarr.Spec{Format: 2, DType: dtype.JSON}, []byte("{"), zarr.ErrType},
		"no JSON at all":     {zarr.Spec{Format: 2, DType: dtype.JSON}, nil, zarr.ErrType},
		"part of an element": {zarr.Spec{Format: 2, DType: ragged, Fill: zarr.NoFill}, []byte{1, 2, 3}, zarr.ErrType},
		"a fixed size":       {zarr.Spec{DType: dtype.Int32}, []byte{1, 2, 3, 4}, zarr.ErrType},
		"too long":           {zarr.Spec{DType: dtype.Bytes}, make([]byte, 1<<12+1), zarr.ErrLimit},
	} {
		t.Run(name, func(t *testing.T) {
			tt.spec.Shape, tt.spec.Chunks = []int{2}, []int{1}
			st := mem.New()
			a := mustCreate(t, st, "", tt.spec, zarr.Limit(zarr.Limits{Chunk: 1 << 12}))
			before := keys(t, st)
			good := []byte("1234")
			err := a.WriteItems(ctx, [][]byte{good, tt.item})
			if !errors.Is(err, tt.kind) || tt.spec.DType.Size() == 0 && !strings.Contains(err.Error(), "element 1") {
				t.Errorf("%v", err)
			}
			if after := keys(t, st); len(after) != len(before) {
				t.Errorf("stored %q", after)
			}
		})
	}
}

func ExampleArray_WriteItems() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "log", zarr.Spec{Format: 2, Shape: []int{3}, DType: dtype.JSON})
	if err != nil {
		fmt.Println(err)
		return
	}
	// WriteItems accepts the items that ReadItems returns, whatever their data type.
	fmt.Println(a.WriteItems(ctx, [][]byte{json.RawMessage(`{"level": "info"}`), json.RawMessage(`[1, 2]`)}, zarr.Range(0, 2)))
	items, err := a.ReadItems(ctx)
	fmt.Printf("%s %v\n", items, err)
	// Output:
	// <nil>
	// [{"level":"info"} [1,2] null] <nil>
}
