package zarr_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestMoreThanMemory reads empty arrays that are larger than any memory.
func TestMoreThanMemory(t *testing.T) {
	n := math.MaxInt / 4
	for _, typ := range []dtype.Type{dtype.String, dtype.Bytes} {
		a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{n}, Chunks: []int{1000}, DType: typ})
		for name, err := range map[string]error{
			"ReadItems":      second(a.ReadItems(t.Context())),
			"ReadPacked":     second(a.ReadPacked(t.Context())),
			"Read or ReadAs": second(zarr.ReadAs[string](t.Context(), a)),
			"ReadAs or Read": second(zarr.ReadAs[[]byte](t.Context(), a)),
		} {
			if !errors.Is(err, zarr.ErrLimit) {
				t.Errorf("%v, %s: %v", typ, name, err)
			}
		}
	}
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{n}, Chunks: []int{1000}, DType: dtype.Uint8})
	for name, err := range map[string]error{
		"Read":   second(zarr.Read[uint8](t.Context(), a)),
		"ReadAs": second(zarr.ReadAs[float64](t.Context(), a)),
	} {
		if !errors.Is(err, zarr.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestResultsCount checks that the memory limit of a read applies to its result, and not only to
// the elements in the data type of the array.
func TestResultsCount(t *testing.T) {
	const limit = 1 << 30 // enough not to change the frequency of garbage collections
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{limit/9 + 1}, Chunks: []int{1000}, DType: dtype.Uint8})
	if _, err := zarr.ReadAs[float64](t.Context(), a); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("uint8 as float64: %v", err)
	}
	type pair struct {
		A int32 `zarr:"a"`
	}
	typ, err := dtype.Of[pair]()
	if err != nil {
		t.Fatal(err)
	}
	b := mustCreate(t, mem.New(), "b", zarr.Spec{Shape: []int{limit/8 + 1}, Chunks: []int{1000}, DType: typ})
	if _, err := zarr.Read[pair](t.Context(), b); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("structures: %v", err)
	}
	c := mustCreate(t, mem.New(), "c", zarr.Spec{Shape: []int{limit/24 + 1}, Chunks: []int{1000}, DType: dtype.String})
	if _, err := zarr.Read[string](t.Context(), c); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("texts: %v", err)
	}
	// Elements of more bytes than that, in chunks that are each within the limit.
	debug.SetMemoryLimit(64 << 20)
	labels := []string{strings.Repeat("x", 1<<20), strings.Repeat("y", 1<<20)}
	d := mustCreate(t, mem.New(), "d", zarr.Spec{Format: 2, Shape: []int{100}, Chunks: []int{4}, DType: dtype.String, Codecs: []codec.Spec{codec.Categorize(dtype.String, dtype.Uint8, labels...)}})
	succeed(t, zarr.Write(t.Context(), d, slices.Repeat(labels, 50)))
	if _, err := zarr.Read[string](t.Context(), d); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("100 MiB of text: %v", err)
	}
	if got, err := zarr.Read[string](t.Context(), d, zarr.Range(0, 2)); err != nil || !slices.Equal(got, labels) {
		t.Errorf("%d texts, %v", len(got), err)
	}
}

// TestPacked reads elements that are the fill value, equal to the previous one, empty, and
// different.
func TestPacked(t *testing.T) {
	want := []string{"fill", "fill", "a", "a", "", "", "fill", "b", "a", "a long one: " + strings.Repeat("é", 1000), "fill", "fill"}
	for name, spec := range map[string]zarr.Spec{
		"chunks": {Chunks: []int{5}},
		"shards": {Chunks: []int{2}, Shards: []int{6}},
	} {
		spec.Shape, spec.DType, spec.Fill = []int{len(want)}, dtype.String, "fill"
		a := mustCreate(t, mem.New(), "a", spec)
		succeed(t, zarr.Write(t.Context(), a, want))
		p, err := a.ReadPacked(t.Context())
		if err != nil || p.Len() != len(want) {
			t.Fatalf("%s: %v, %v", name, p, err)
		}
		for i, text := range want {
			if string(p.At(i)) != text || p.Same(i) && (i == 0 || text != want[i-1]) {
				t.Errorf("%s: element %d is %q, %v", name, i, p.At(i), p.Same(i))
			}
		}
		for _, step := range []int{1, 2, -1} {
			sel := zarr.Range(0, len(want)).By(step)
			texts, err := zarr.Read[string](t.Context(), a, sel)
			items, err2 := a.ReadItems(t.Context(), sel)
			raw, err3 := zarr.ReadAs[[]byte](t.Context(), a, sel)
			succeed(t, errors.Join(err, err2, err3))
			for i, text := range texts {
				from := i * step
				if step < 0 {
					from = len(want) - 1 - i
				}
				if text != want[from] || string(items[i]) != text || string(raw[i]) != text || items[i] == nil {
					t.Errorf("%s, by %d: element %d is %q, %q, %q, want %q", name, step, i, text, items[i], raw[i], want[from])
				}
			}
		}
		if err := a.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestItemsCanBeAppendedTo checks that an append to an element overwrites neither the next one in
// its block of memory nor the fill value.
func TestItemsCanBeAppendedTo(t *testing.T) {
	want := [][]byte{{1}, {2, 3}, {7}, {4}}
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{4}, DType: dtype.Bytes, Fill: []byte{7}})
	succeed(t, zarr.Write(t.Context(), a, want))
	for range 2 {
		items, err := a.ReadItems(t.Context())
		if err != nil || !slices.EqualFunc(items, want, bytes.Equal) {
			t.Fatalf("%x, %v", items, err)
		}
		for i := range items {
			_ = append(items[i], 9, 9)
		}
		if !slices.EqualFunc(items, want, bytes.Equal) {
			t.Errorf("%x after appending", items)
		}
		for i := range items { // all are different
			clear(items[i])
		}
	}
}

// TestSmallPartOfAChunk checks that reading one text of a chunk does not keep all others in memory.
func TestSmallPartOfAChunk(t *testing.T) {
	texts := make([]string, 4000)
	for i := range texts {
		texts[i] = fmt.Sprintf("%0100d", i)
	}
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{4000}, DType: dtype.String})
	succeed(t, zarr.Write(t.Context(), a, texts))
	items, err := a.ReadItems(t.Context(), zarr.Range(100, 102))
	if err != nil || string(items[1]) != texts[101] || cap(items[1]) > 200 {
		t.Errorf("%q, %v", items, err)
	}
	if got, err := zarr.Read[string](t.Context(), a, zarr.At(3999)); err != nil || got[0] != texts[3999] {
		t.Errorf("%q, %v", got, err)
	}
}

// TestShardsOfManyInnerChunks checks that a shard whose index is too long is refused before any
// request.
func TestShardsOfManyInnerChunks(t *testing.T) {
	var r zarr.Report
	spec := zarr.Spec{Shape: []int{1e8}, Chunks: []int{1}, Shards: []int{1e8}, DType: dtype.Uint8}
	a, err := zarr.Create(t.Context(), mem.New(), "a", spec)
	if err != nil {
		t.Fatal(err)
	}
	if a, err = a.With(zarr.WithReport(&r)); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a part":    zarr.Write(t.Context(), a, []uint8{1, 2, 3}, zarr.Range(0, 3)),
		"read":      second(zarr.Read[uint8](t.Context(), a, zarr.Range(0, 3))),
		"check":     a.Check(t.Context(), zarr.Range(0, 3)),
		"all of it": zarr.Write(t.Context(), a, make([]uint8, 1e8)),
	} {
		if !errors.Is(err, zarr.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := r.Gets.Load() + r.Puts.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
	// With a codec after sharding, the shard is encoded as one chunk.
	b := mustCreate(t, mem.New(), "b", zarr.Spec{Shape: []int{1e8}, Chunks: []int{1e8}, DType: dtype.Uint8,
		Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{1}}), codec.Zstd(1)}})
	if err := zarr.Write(t.Context(), b, []uint8{1, 2, 3}, zarr.Range(0, 3)); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("before another codec: %v", err)
	}
	// Within the limit, and within another limit.
	spec.Shape, spec.Shards = []int{1 << 16}, []int{1 << 16}
	b = mustCreate(t, mem.New(), "b", spec)
	if err := zarr.Write(t.Context(), b, []uint8{1, 2, 3}, zarr.Range(0, 3)); err != nil {
		t.Error(err)
	}
	small, err := b.With(zarr.Limit(zarr.Limits{Chunk: 1 << 16}))
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), small, []uint8{1, 2, 3}, zarr.Range(0, 3)); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("an index of 1 MiB with ChunkLimit(64 KiB): %v", err)
	}
}

// TestOneShardOfManyInnerChunks checks that among shards of different shapes only the one whose
// index is too long is refused.
func TestOneShardOfManyInnerChunks(t *testing.T) {
	a := mustCreate(t, mem.New(), "a", zarr.Spec{Shape: []int{4 + 1<<17}, Chunks: []int{2}, ShardEdges: [][]int{{4, 1 << 17}}, DType: dtype.Uint8}, zarr.Limit(zarr.Limits{Chunk: 1 << 16}))
	for name, sel := range map[string]zarr.Selection{"the short one": zarr.Range(1, 4), "the long one": zarr.Range(5, 8), "both": zarr.Range(3, 6)} {
		want := error(nil)
		if name != "the short one" {
			want = zarr.ErrLimit
		}
		for op, err := range map[string]error{
			"write": zarr.Write(t.Context(), a, []uint8{1, 2, 3}, sel),
			"read":  second(zarr.Read[uint8](t.Context(), a, sel)),
			"check": a.Check(t.Context(), sel),
		} {
			var chunk *zarr.ChunkError
			if !errors.Is(err, want) || want != nil && (!errors.As(err, &chunk) || chunk.Key != "a/c/1") {
				t.Errorf("%s of %s: %v", op, name, err)
			}
		}
	}
}

// TestCheck decodes chunks of all kinds and finds the damaged one.
func TestCheck(t *testing.T) {
	for name, spec := range map[string]zarr.Spec{
		"numbers":  {DType: dtype.Uint16, Chunks: []int{3}},
		"sharded":  {DType: dtype.Uint16, Chunks: []int{2}, Shards: []int{4}},
		"gzip":     {DType: dtype.Float64, Chunks: []int{3}, Codecs: []codec.Spec{codec.Gzip(1)}},
		"texts":    {DType: dtype.String, Chunks: []int{3}},
		"in shard": {DType: dtype.String, Chunks: []int{2}, Shards: []int{4}},
	} {
		t.Run(name, func(t *testing.T) {
			spec.Shape = []int{10}
			st := mem.New()
			a := mustCreate(t, st, "a", spec)
			if err := a.Check(t.Context()); err != nil {
				t.Errorf("nothing is stored: %v", err)
			}
			var err error
			switch spec.DType {
			case dtype.String:
				err = zarr.Write(t.Context(), a, strings.Split("abcdefghij", ""))
			default:
				err = a.WriteBytes(t.Context(), bytes.Repeat([]byte{1}, 10*spec.DType.Size()))
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, sel := range []zarr.Selection{zarr.All, zarr.Range(1, 9).By(3), zarr.Index(9, 0)} {
				if err := a.Check(t.Context(), sel); err != nil {
					t.Errorf("%v: %v", sel, err)
				}
			}
			succeed(t, second(st.Put(t.Context(), "a/c/1", []byte("junk"), store.PutOptions{})))
			if err := a.Check(t.Context()); !errors.Is(err, zarr.ErrCorrupt) {
				t.Errorf("junk: %v", err)
			}
			if err := a.Check(t.Context(), zarr.At(0)); err != nil {
				t.Errorf("another chunk: %v", err)
			}
		})
	}
}

// TestMembersWithLongDocuments checks that nodes with documents of more than 1 MiB are yielded in
// order, with one more request each.
func TestMembersWithLongDocuments(t *testing.T) {
	every := 7
	if race.Enabled {
		every = 49 // the race detector makes the scan of 1 MiB slow
	}
	st := mem.New()
	want := []string{}
	for i := range 200 {
		attrs := map[string]any{"i": i}
		if i%every == 3 {
			attrs["long"] = strings.Repeat("x", 1<<20)
		}
		name := fmt.Sprintf("g%03d", i)
		succeed(t, second(zarr.CreateGroup(t.Context(), st, name, zarr.Spec{Attrs: attrs})))
		want = append(want, name)
	}
	var r zarr.Report
	g, err := zarr.OpenGroup(t.Context(), st, "", zarr.IgnoreConsolidated(), zarr.WithReport(&r))
	if err != nil {
		t.Fatal(err)
	}
	before := r.Gets.Load()
	var got []string
	for n, err := range g.Members(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		i, ok, err := zarr.Attr[int](n, "i")
		if !ok || err != nil || i != len(got) {
			t.Errorf("%s: %d, %v", n.Path(), i, err)
		}
		got = append(got, n.Path())
	}
	if long := int64((len(want)-4)/every + 1); !slices.Equal(got, want) || r.Gets.Load()-before != int64(len(want))+long {
		t.Errorf("%d requests for %d nodes, %d of them long: %q", r.Gets.Load()-before, len(want), long, got)
	}
	small, err := g.With(zarr.Limit(zarr.Limits{Metadata: 1000}))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range small.Members(t.Context()) {
		if err != nil && !errors.Is(err, zarr.ErrLimit) {
			t.Error(err)
		}
	}
}
