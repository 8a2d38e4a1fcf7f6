package array_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/array"
	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// create creates an array of 10 elements in chunks of 4.
func create(t *testing.T, st store.Store, typ dtype.Type, fill any) *array.Array {
	t.Helper()
	var o array.Options
	o.Table, o.MaxMetadata, o.Limits = codec.Builtin(), 1<<20, concurrency.Default()
	o.Chunks.ChunkLimit, o.Chunks.IndexLimit = 1<<20, 1<<20
	at := &node.Node{Store: written.Around(st), Path: "a", Cfg: o.Options}
	at, err := at.CreateArray(t.Context(), spec.Spec{Format: 3, Shape: []int{10}, Chunks: []int{4}, DType: typ, Fill: fill})
	if err != nil {
		t.Fatal(err)
	}
	return array.New(at, o)
}

func read(t *testing.T, a *array.Array) []byte {
	t.Helper()
	got := make([]byte, 10)
	succeed(t, a.Read(t.Context(), got, grid.Whole(a.Meta.Shape)))
	return got
}

// hold puts a claim and a record into the document of an array.
func hold(t *testing.T, a *array.Array, r claim.Record) *node.Held {
	t.Helper()
	s := a.At
	held, err := s.Hold(t.Context(), s.Doc, node.TakeOver{}, func(node.Text) (node.Change, error) {
		return node.Change{Claim: claim.New(claim.Append), Record: r}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func keys(t *testing.T, st store.Store) (all []string) {
	t.Helper()
	for e, err := range store.ListAll(t.Context(), st, "a/c", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Key)
	}
	slices.Sort(all)
	return all
}

// TestGuarded checks that a write through a guarded array fails when another process has taken over
// the claim, and stores chunks of fill values where a late request may still put an object.
func TestGuarded(t *testing.T) {
	st := mem.New()
	a := create(t, st, dtype.Uint8, nil)
	held := hold(t, a, claim.Record{Left: []claim.Box{{Lo: []int{4}, Hi: []int{5}}}})
	now, err := a.Parse(held.Doc())
	if err != nil {
		t.Fatal(err)
	}
	b, err := now.Guarded(held, claim.Whole([]int{10}))
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 10)
	succeed(t, b.Write(t.Context(), zeros, grid.Whole([]int{10})))
	if got := keys(t, st); len(got) != 3 {
		t.Errorf("stored %q, want 3 chunks", got)
	}
	s := now.At
	other, err := s.Hold(t.Context(), s.Doc, node.TakeOver{May: true, Age: -1}, func(x node.Text) (node.Change, error) {
		return node.Change{Claim: claim.New(claim.Append), Record: x.Record}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Write(t.Context(), bytes.Repeat([]byte{7}, 10), grid.Whole([]int{10})); !errors.Is(err, fault.Conflict) {
		t.Errorf("a write without the claim: %v", err)
	}
	if got := read(t, a); !bytes.Equal(got, zeros) {
		t.Errorf("read %v", got)
	}
	if err := other.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestKeeps checks which writes must leave an object under every key.
func TestKeeps(t *testing.T) {
	st := mem.New()
	a := create(t, st, dtype.Uint8, nil)
	held := hold(t, a, claim.Record{Left: []claim.Box{{Lo: []int{8}, Hi: []int{12}}}, Kept: []claim.Box{{Lo: []int{1}, Hi: []int{2}}}})
	now, err := a.Parse(held.Doc())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a    *array.Array
		s    grid.Slice
		want bool
	}{
		{a, grid.Slice{Start: 0, Step: 1, Count: 10}, false}, // opened before the record was stored
		{now, grid.Slice{Start: 3, Step: 1, Count: 1}, true}, // in the chunk of the element 1
		{now, grid.Slice{Start: 4, Step: 1, Count: 4}, false},
		{now, grid.Slice{Start: 9, Step: -2, Count: 2}, true},
		{now, grid.Slice{Start: 9, Step: 1, Count: 0}, false},
	} {
		if got, err := tt.a.Keeps(grid.Region{tt.s}); got != tt.want || err != nil {
			t.Errorf("%v: %v, %v", tt.s, got, err)
		}
	}
}

// TestFill checks that a box of fill values is stored like any other values.
func TestFill(t *testing.T) {
	st := mem.New()
	a := create(t, st, dtype.Uint8, uint8(3))
	succeed(t, a.Write(t.Context(), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, grid.Whole([]int{10})))
	succeed(t, a.Fill(t.Context(), claim.Box{Lo: []int{2}, Hi: []int{9}}))
	if got, want := read(t, a), []byte{0, 1, 3, 3, 3, 3, 3, 3, 3, 9}; !bytes.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	if got := keys(t, st); len(got) != 2 {
		t.Errorf("stored %q, want 2 chunks", got)
	}
	for _, typ := range []dtype.Type{dtype.String, dtype.Bytes} {
		st := mem.New()
		a := create(t, st, typ, nil)
		held := hold(t, a, claim.Record{Left: []claim.Box{claim.Whole([]int{10})}})
		b, err := a.Parse(held.Doc())
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, b.Fill(t.Context(), claim.Box{Lo: []int{0}, Hi: []int{8}}))
		if got := keys(t, st); len(got) != 2 {
			t.Errorf("%v: stored %q, want 2 chunks", typ, got)
		}
	}
}

// TestParse checks that a document of a group is not an array.
func TestParse(t *testing.T) {
	a := create(t, mem.New(), dtype.Uint8, nil)
	doc := a.At.Doc
	doc.Bytes = []byte(`{"zarr_format":3,"node_type":"group"}`)
	if _, err := a.Parse(doc); !errors.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
}

// TestRefresh checks that an array has the shape that another process has stored since.
func TestRefresh(t *testing.T) {
	st := mem.New()
	a := create(t, st, dtype.Uint8, nil)
	s := a.At
	doc := bytes.Replace(s.Doc.Bytes, []byte("10"), []byte("12"), 1)
	if _, err := s.Swap(context.Background(), s.Doc, doc, ""); err != nil {
		t.Fatal(err)
	}
	if same, err := a.Stored(t.Context()); err != nil || same != a {
		t.Errorf("%v, %v", same, err)
	}
	b, err := a.Refresh(t.Context())
	if err != nil || !slices.Equal(b.Meta.Shape, []int{12}) || b.Engine.Path != "a" {
		t.Fatalf("%v, %v", b.Meta.Shape, err)
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
