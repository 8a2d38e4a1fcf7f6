package zarr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"math"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestShardWriter writes each shard in pieces from many goroutines, and checks that its elements
// and its length are those of a shard that is written in one call. The last shards extend beyond
// the array.
func TestShardWriter(t *testing.T) {
	shape := []int{21, 13}
	spec := zarr.Spec{Shape: shape, Chunks: []int{3, 2}, Shards: []int{9, 6}}
	t.Run("float32", func(t *testing.T) {
		spec := spec
		spec.DType = dtype.Float32
		values := make([]float32, 21*13)
		for i := range values {
			values[i] = float32(i)
		}
		clear(values[:13*3])
		inPieces(t, spec, values, zarr.WriteShard)
		inPieces(t, spec, values, func(ctx context.Context, w *zarr.ShardWriter, src []float32, sel ...zarr.Selection) error {
			var b []byte
			for _, v := range src {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
			}
			return w.WriteBytes(ctx, b, sel...)
		})
	})
	t.Run("string", func(t *testing.T) {
		spec := spec
		spec.DType = dtype.String
		values := make([]string, 21*13)
		for i := range values {
			values[i] = fmt.Sprint("value ", i)
		}
		inPieces(t, spec, values, zarr.WriteShard)
		inPieces(t, spec, values, func(ctx context.Context, w *zarr.ShardWriter, src []string, sel ...zarr.Selection) error {
			items := make([][]byte, len(src))
			for i, s := range src {
				items[i] = []byte(s)
			}
			return w.WriteItems(ctx, items, sel...)
		})
	})
}

func inPieces[T comparable](t *testing.T, spec zarr.Spec, values []T, write func(context.Context, *zarr.ShardWriter, []T, ...zarr.Selection) error) {
	t.Helper()
	once, pieces := mem.New(), mem.New()
	a, b := mustCreate(t, once, "x", spec), mustCreate(t, pieces, "x", spec)
	succeed(t, zarr.Write(t.Context(), a, values))
	for r := range b.ObjectRegions() {
		w, err := b.OpenShard(t.Context(), r.Coord...)
		if err != nil {
			t.Fatal(err)
		}
		inside, err := a.Selected(r.Select()...)
		if err != nil {
			t.Fatal(err)
		}
		err = concurrency.EachN(t.Context(), 8, (inside[0]+2)/3, func(ctx context.Context, i int) error {
			sel := r.Select()
			sel[0] = zarr.Range(r.Start[0]+3*i, min(r.Start[0]+3*i+3, r.Start[0]+inside[0]))
			piece, err := zarr.Read[T](ctx, a, sel...)
			if err != nil {
				return err
			}
			return write(ctx, w, piece, sel...)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pieces.Get(t.Context(), b.ChunkKey(r.Coord...), store.GetOptions{}, nil); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("before Commit: %v", err)
		}
		succeed(t, w.Commit(t.Context()))
		if err := w.Abort(t.Context()); err != nil {
			t.Errorf("Abort after Commit: %v", err)
		}
		x, errX := once.Get(t.Context(), b.ChunkKey(r.Coord...), store.GetOptions{}, nil)
		y, errY := pieces.Get(t.Context(), b.ChunkKey(r.Coord...), store.GetOptions{}, nil)
		if (errX == nil) != (errY == nil) || len(x.Bytes) != len(y.Bytes) {
			t.Errorf("shard %v has %d bytes, %v, want %d, %v", r.Coord, len(y.Bytes), errY, len(x.Bytes), errX)
		}
	}
	if got, err := zarr.Read[T](t.Context(), b); err != nil || !slices.Equal(got, values) {
		t.Errorf("other values are read than written: %v", err)
	}
}

// TestShardWriterReplaces checks that Commit replaces the existing shard, also if nothing was
// written, and that Abort keeps it.
func TestShardWriterReplaces(t *testing.T) {
	st := mem.New()
	a, was := checked(t, st)
	w, err := a.OpenShard(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.WriteShard(t.Context(), w, make([]uint8, 16), zarr.Range(0, 16)))
	succeed(t, w.Abort(t.Context()))
	if !bytes.Equal(stored(t, st), was) {
		t.Error("Abort changed the shard")
	}
	if w, err = a.OpenShard(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.WriteShard(t.Context(), w, bytes.Repeat([]byte{9}, 16), zarr.Range(16, 32)))
	succeed(t, w.Commit(t.Context()))
	want := slices.Concat(make([]uint8, 16), bytes.Repeat([]byte{9}, 16), make([]uint8, 32))
	if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if w, err = a.OpenShard(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	succeed(t, w.Commit(t.Context()))
	if _, err := st.Get(t.Context(), "x/c/0", store.GetOptions{}, nil); !errors.Is(err, zarr.ErrNotFound) {
		t.Errorf("a shard without inner chunks is there: %v", err)
	}
}

// TestShardWriterRefuses checks that only whole inner chunks of one shard can be written, each
// once.
func TestShardWriterRefuses(t *testing.T) {
	st := mem.New()
	plain := mustCreate(t, st, "plain", zarr.Spec{Shape: []int{64}, Chunks: []int{16}, DType: dtype.Uint8})
	if _, err := plain.OpenShard(t.Context(), 0); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("chunks: %v", err)
	}
	a := mustCreate(t, st, "a", zarr.Spec{Shape: []int{60}, Chunks: []int{8}, Shards: []int{32}, DType: dtype.Uint8})
	for _, coord := range [][]int{nil, {2}, {-1}, {0, 0}} {
		if _, err := a.OpenShard(t.Context(), coord...); !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("%v: %v", coord, err)
		}
	}
	for name, tt := range map[string]struct {
		lo, hi, n int
	}{
		"part of an inner chunk": {32, 36, 4}, "of another shard": {24, 40, 16}, "too few elements": {32, 40, 7}, "beyond the array": {56, 64, 8},
	} {
		w, err := a.OpenShard(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := zarr.WriteShard(t.Context(), w, make([]uint8, tt.n), zarr.Range(tt.lo, tt.hi)); !errors.Is(err, zarr.ErrSelection) {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.Abort(t.Context()); err != nil {
			t.Error(err)
		}
	}
	w, err := a.OpenShard(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.WriteShard(t.Context(), w, []float64{1}, zarr.At(33)); !errors.Is(err, zarr.ErrType) {
		t.Errorf("another type: %v", err)
	}
	for _, want := range []error{nil, zarr.ErrSelection} {
		if err := zarr.WriteShard(t.Context(), w, []uint8{1, 2, 3, 4}, zarr.Range(56, 60)); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if err := w.Commit(t.Context()); !errors.Is(err, zarr.ErrSelection) {
		t.Errorf("Commit after an error: %v", err)
	}
}

// TestShardWriterOfStructs writes structures, and checks that a single field is refused.
func TestShardWriterOfStructs(t *testing.T) {
	type point struct {
		X, Y int32
	}
	d, err := dtype.NewStruct(dtype.Field{Name: "X", Type: dtype.Int32}, dtype.Field{Name: "Y", Type: dtype.Int32})
	if err != nil {
		t.Fatal(err)
	}
	a := mustCreate(t, mem.New(), "x", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, Shards: []int{4}, DType: d, Codecs: []codec.Spec{codec.Zstd(1)}})
	w, err := a.OpenShard(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []point{{1, 2}, {3, 4}}
	succeed(t, zarr.WriteShard(t.Context(), w, want, zarr.Range(2, 4)))
	succeed(t, w.Commit(t.Context()))
	if got, err := zarr.Read[point](t.Context(), a, zarr.Range(2, 4)); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	x, err := a.Field("X")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.OpenShard(t.Context(), 0); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a field: %v", err)
	}
}

// A shard that is larger than memory is written piece by piece.
func ExampleArray_OpenShard() {
	ctx := context.Background()
	a, err := zarr.Create(ctx, mem.New(), "a", zarr.Spec{Shape: []int{8, 100}, Chunks: []int{2, 100}, Shards: []int{8, 100}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	w, err := a.OpenShard(ctx, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	for from := 0; from < 8; from += 2 {
		rows := make([]float32, 2*100)
		for i := range rows {
			rows[i] = float32(from*100 + i)
		}
		if err := zarr.WriteShard(ctx, w, rows, zarr.Range(from, from+2)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	v, err := zarr.Read[float32](ctx, a, zarr.At(7), zarr.At(99))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	// Output: [799]
}
