package zarr_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// checked creates an array of four chunks of 16 uint8 with checksums in one shard, all 1, and
// returns it with the stored bytes.
func checked(t *testing.T, st store.Store) (a *zarr.Array, shard []byte) {
	t.Helper()
	a = mustCreate(t, st, "x", zarr.Spec{Shape: []int{64}, Chunks: []int{16}, Shards: []int{64}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.CRC32C()}})
	succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{1}, 64)))
	return a, stored(t, st)
}

func stored(t *testing.T, st store.Store) []byte {
	t.Helper()
	v := mustGet(t, st, "x/c/0")
	return v
}

func replaceShard(t *testing.T, st store.Store, b []byte) {
	t.Helper()
	succeed(t, second(st.Put(t.Context(), "x/c/0", b, store.PutOptions{})))
}

// TestUntouchedInnerChunksKeepTheirBytes checks that a write does not decode the other inner
// chunks: a broken one remains broken until it is written whole.
func TestUntouchedInnerChunksKeepTheirBytes(t *testing.T) {
	st := mem.New()
	a, shard := checked(t, st)
	shard = bytes.Clone(shard)
	shard[20] ^= 1 // in the second inner chunk
	replaceShard(t, st, shard)
	succeed(t, zarr.Write(t.Context(), a, []uint8{7}, zarr.At(60)))
	now := stored(t, st)
	if !bytes.Equal(now[:60], shard[:60]) || bytes.Equal(now[60:80], shard[60:80]) {
		t.Errorf("stored %x, was %x", now, shard)
	}
	if got, err := zarr.Read[uint8](t.Context(), a, zarr.At(60)); err != nil || got[0] != 7 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := zarr.Read[uint8](t.Context(), a, zarr.At(20)); !errors.Is(err, zarr.ErrCorrupt) {
		t.Errorf("the broken one: %v", err)
	}
	if err := zarr.Write(t.Context(), a, []uint8{7}, zarr.At(20)); !errors.Is(err, zarr.ErrCorrupt) || !bytes.Equal(now, stored(t, st)) {
		t.Errorf("a part of the broken one: %v", err)
	}
	if err := zarr.Write(t.Context(), a, bytes.Repeat([]byte{3}, 16), zarr.Range(16, 32)); err != nil {
		t.Errorf("all of the broken one: %v", err)
	}
	want := slices.Concat(bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{3}, 16), bytes.Repeat([]byte{1}, 28), []byte{7}, bytes.Repeat([]byte{1}, 3))
	if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestRaggedInnerChunksAreWrittenUnread checks that a write of all elements of the array in the
// last inner chunk is a write of the whole chunk.
func TestRaggedInnerChunksAreWrittenUnread(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{60}, Chunks: []int{16}, Shards: []int{64}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.CRC32C()}})
	succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{1}, 60)))
	shard := bytes.Clone(stored(t, st))
	shard[62] ^= 1 // in the last inner chunk
	replaceShard(t, st, shard)
	if err := zarr.Write(t.Context(), a, bytes.Repeat([]byte{2}, 11), zarr.Range(49, 60)); !errors.Is(err, zarr.ErrCorrupt) {
		t.Errorf("a part of it: %v", err)
	}
	if err := zarr.Write(t.Context(), a, bytes.Repeat([]byte{2}, 12), zarr.Range(48, 60)); err != nil {
		t.Errorf("all of it: %v", err)
	}
	if got, err := zarr.Read[uint8](t.Context(), a, zarr.Range(40, 60)); err != nil || got[0] != 1 || got[8] != 2 || got[19] != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestWritesToTornShards checks that a write of a part of a torn shard is refused and changes
// nothing, and that a write of the whole shard does not read it.
func TestWritesToTornShards(t *testing.T) {
	st := mem.New()
	a, shard := checked(t, st)
	for _, n := range []int{0, 1, 67, len(shard) - 1} {
		replaceShard(t, st, shard[:n])
		if err := zarr.Write(t.Context(), a, []uint8{7}, zarr.At(60)); !errors.Is(err, zarr.ErrCorrupt) || len(stored(t, st)) != n {
			t.Errorf("cut to %d: %v", n, err)
		}
		// Whole inner chunks, but not the whole shard.
		if err := zarr.Write(t.Context(), a, make([]uint8, 32), zarr.Range(0, 32)); !errors.Is(err, zarr.ErrCorrupt) || len(stored(t, st)) != n {
			t.Errorf("cut to %d: half of it: %v", n, err)
		}
	}
	// A well-formed index whose entries are beyond the end of the shard.
	replaceShard(t, st, shard[72:])
	if err := zarr.Write(t.Context(), a, []uint8{7}, zarr.At(0)); !errors.Is(err, zarr.ErrCorrupt) {
		t.Errorf("with a wrong index: %v", err)
	}
	if err := zarr.Write(t.Context(), a, bytes.Repeat([]byte{1}, 64)); err != nil || !bytes.Equal(stored(t, st), shard) {
		t.Errorf("all of it: %v", err)
	}
}

// TestFillInShards checks that inner chunks that contain only fill values are not stored, nor are
// shards of such chunks.
func TestFillInShards(t *testing.T) {
	st := mem.New()
	a, shard := checked(t, st)
	succeed(t, zarr.Write(t.Context(), a, make([]uint8, 40), zarr.Range(0, 40)))
	if n := len(stored(t, st)); n != len(shard)-2*20 {
		t.Errorf("%d bytes after two of four chunks are gone, there were %d", n, len(shard))
	}
	succeed(t, zarr.Write(t.Context(), a, make([]uint8, 24), zarr.Range(40, 64)))
	if got := keys(t, st); !slices.Equal(got, []string{"x/zarr.json", "zarr.json"}) {
		t.Errorf("keys %v", got)
	}
	if err := zarr.Write(t.Context(), a, []uint8{0}, zarr.At(3)); err != nil || len(keys(t, st)) != 2 {
		t.Errorf("fill values over nothing: %v, keys %v", err, keys(t, st))
	}
	all, err := a.With(zarr.StoreFill())
	if err != nil {
		t.Fatal(err)
	}
	for n, sel := range map[int]zarr.Selection{68 + 20: zarr.At(3), len(shard): zarr.All} {
		succeed(t, st.Delete(t.Context(), "x/c/0", store.DeleteOptions{}))
		values := mustRead[uint8](t, a, sel)
		if err := zarr.Write(t.Context(), all, values, sel); err != nil || len(stored(t, st)) != n {
			t.Errorf("StoreFill: %v, %d bytes, want %d", err, len(stored(t, st)), n)
		}
	}
}

// TestShardLimits checks that sizes which metadata declares are not allocated beyond the limit.
func TestShardLimits(t *testing.T) {
	st := mem.New()
	huge := mustCreate(t, st, "x", zarr.Spec{Shape: []int{1 << 24}, Chunks: []int{1}, Shards: []int{1 << 24}, DType: dtype.Int8}, zarr.Limit(zarr.Limits{Chunk: 1 << 20}))
	if _, err := zarr.Read[int8](t.Context(), huge, zarr.At(3)); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("reading of a huge index: %v", err)
	}
	if err := zarr.Write(t.Context(), huge, []int8{1}, zarr.At(3)); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("writing of a huge index: %v", err)
	}
	wide := mustCreate(t, st, "y", zarr.Spec{Shape: []int{1 << 22}, Chunks: []int{1 << 21}, Shards: []int{1 << 22}, DType: dtype.Int8}, zarr.Limit(zarr.Limits{Chunk: 1 << 20}))
	if err := zarr.Write(t.Context(), wide, []int8{1}, zarr.At(3)); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("a part of a huge inner chunk: %v", err)
	}
}
