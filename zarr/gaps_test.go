package zarr_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// gaps makes an array of 64 uint8 in four chunks of one shard. All elements are 1, except for the
// third chunk, which is missing. The unused space between the chunks makes the shard longer than
// any encoder does.
func gaps(t *testing.T, st store.Store, nested bool) *zarr.Array {
	t.Helper()
	var within []codec.Spec
	if nested {
		within = []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{16}, Codecs: []codec.Spec{codec.Bytes(0), codec.CRC32C()}})}
	} else {
		within = []codec.Spec{codec.Bytes(0), codec.CRC32C()}
	}
	plain := []codec.Spec{codec.Bytes(dtype.Little)}
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{64}, Chunks: []int{64}, DType: dtype.Uint8, Fill: 9,
		Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{16}, Codecs: within, Index: plain})}})
	succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{1}, 64)))
	shard := stored(t, st)
	n := (len(shard) - 64) / 4
	space := 1 << 20
	if nested {
		space = 4 << 20
	}
	var wide, index []byte
	for i := range 4 {
		if i == 2 {
			index = append(index, bytes.Repeat([]byte{0xff}, 16)...)
			continue
		}
		index = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(index, uint64(len(wide))), uint64(n))
		wide = append(append(wide, shard[i*n:(i+1)*n]...), make([]byte, space)...)
	}
	replaceShard(t, st, append(wide, index...))
	return a
}

// gapped returns the shard that gaps stores.
func gapped() []byte {
	return slices.Concat(bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{9}, 16), bytes.Repeat([]byte{1}, 16))
}

// TestWritesToShardsWithUnusedSpace writes part of a shard of gaps, and checks that the other
// chunks keep their elements and that the unused space is removed without being read.
func TestWritesToShardsWithUnusedSpace(t *testing.T) {
	for _, nested := range []bool{false, true} {
		backing := mem.New()
		gaps(t, backing, nested)
		var tr transcript
		var r zarr.Report
		a := reopen(t, backing, &tr, 4096, 1<<20, zarr.WithReport(&r))
		r.BytesRead.Store(0)
		succeed(t, zarr.Write(t.Context(), a, []byte{7}, zarr.At(3)))
		want := gapped()
		want[3] = 7
		if n := len(stored(t, backing)); n > 400 || r.BytesRead.Load() > 400 || r.Chunks.Load() != 2 {
			t.Errorf("nested %v: %d bytes are stored now, %v", nested, n, &r)
		}
		// A failed read of the whole shard, its index, three chunks, and the new shard.
		if len(tr.Lines) != 1+1+3+1 {
			t.Errorf("nested %v: %q", nested, tr.Lines)
		}
		for _, numbers := range [][2]int64{{-1, 0}, {1 << 20, 1 << 20}} {
			a := reopen(t, backing, &tr, numbers[0], numbers[1])
			if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !bytes.Equal(got, want) {
				t.Errorf("nested %v: %v, %v", nested, got, err)
			}
		}
	}
}

// TestUnusedSpaceMeetsConflicts checks that no element is lost if another writer replaces or
// deletes the shard between the reads of its index and its chunks.
func TestUnusedSpaceMeetsConflicts(t *testing.T) {
	for name, values := range map[string][]byte{"replaced": bytes.Repeat([]byte{5}, 64), "deleted": bytes.Repeat([]byte{9}, 64)} {
		backing := mem.New()
		other := gaps(t, backing, false)
		done := false
		var once sync.Once // inner chunks are read concurrently
		st := hooked{backing, func(_ string, o store.GetOptions) {
			if o.IfVersion != "" {
				once.Do(func() {
					done = true
					if err := zarr.Write(t.Context(), other, values); err != nil {
						t.Error(err)
					}
				})
			}
		}}
		a := mustOpen(t, st, "x", zarr.Limit(zarr.Limits{InFlight: 1}))
		if err := zarr.Write(t.Context(), a, []byte{7}, zarr.At(3)); err != nil || !done {
			t.Fatal(name, err, done)
		}
		values[3] = 7
		if got, err := zarr.Read[uint8](t.Context(), other); err != nil || !bytes.Equal(got, values) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// TestUnusedSpaceInBareStores checks that a store which cannot read parts returns the whole shard,
// up to ChunkLimit.
func TestUnusedSpaceInBareStores(t *testing.T) {
	for _, noTail := range []bool{false, true} {
		backing := mem.New()
		gaps(t, backing, false)
		a := mustOpen(t, bare{backing, noTail}, "x", zarr.SingleWriter())
		for range 2 {
			if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !bytes.Equal(got, gapped()) {
				t.Errorf("without tail %v: %v, %v", noTail, got, err)
			}
		}
		small := mustOpen(t, bare{backing, noTail}, "x", zarr.SingleWriter(), zarr.Limit(zarr.Limits{Chunk: 1 << 21}))
		for range 2 {
			if _, err := zarr.Read[uint8](t.Context(), small); !errors.Is(err, zarr.ErrLimit) || errors.Is(err, zarr.ErrCorrupt) {
				t.Errorf("without tail %v: over its limit: %v", noTail, err)
			}
		}
		if err := zarr.Write(t.Context(), small, []byte{7}, zarr.At(3)); !errors.Is(err, zarr.ErrLimit) {
			t.Errorf("without tail %v: writing over its limit: %v", noTail, err)
		}
		if err := zarr.Write(t.Context(), a, []byte{7}, zarr.At(3)); err != nil {
			t.Errorf("without tail %v: %v", noTail, err)
		}
		want := gapped()
		want[3] = 7
		if got, err := zarr.Read[uint8](t.Context(), a); err != nil || !bytes.Equal(got, want) || len(stored(t, backing)) > 200 {
			t.Errorf("without tail %v: %v, %v", noTail, got, err)
		}
	}
}

// TestHostileUnusedSpace checks that a write refuses a shard that is too long if its index declares
// more bytes than memory may hold, or missing bytes, and that the shard remains.
func TestHostileUnusedSpace(t *testing.T) {
	plain := []codec.Spec{codec.Bytes(dtype.Little)}
	for name, tt := range map[string]struct {
		off, n [2]uint64
		kind   error
	}{
		"beyond the shard":           {[2]uint64{0, 1 << 40}, [2]uint64{100, 100}, zarr.ErrCorrupt},
		"all of it twice":            {[2]uint64{0, 0}, [2]uint64{8 << 20, 8 << 20}, zarr.ErrLimit},
		"nothing":                    {[2]uint64{0, 0}, [2]uint64{100, 0}, zarr.ErrCorrupt},
		"so much that a sum goes on": {[2]uint64{0, 1}, [2]uint64{3 << 20, 1<<64 - 2}, zarr.ErrCorrupt},
	} {
		backing := mem.New()
		mustCreate(t, backing, "x", zarr.Spec{Shape: []int{64}, Chunks: []int{64}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.Sharding(
			codec.ShardingOptions{Chunk: []int{32}, Index: plain, Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{16}, Index: plain})}})}})
		b := make([]byte, 12<<20)
		for i := range 2 {
			b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, tt.off[i]), tt.n[i])
		}
		replaceShard(t, backing, b)
		a := reopen(t, backing, &transcript{}, 4096, 1<<20, zarr.Limit(zarr.Limits{Chunk: 12 << 20}))
		if err := zarr.Write(t.Context(), a, []byte{7}, zarr.At(3)); !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), "x/c/0") || len(stored(t, backing)) != len(b) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// All inner chunks share the same bytes. The length of the new shard is limited, also for a
	// shard of typical length.
	for _, size := range []int{8 << 20, 16 << 10} {
		backing := mem.New()
		mustCreate(t, backing, "x", zarr.Spec{Shape: []int{1024}, Chunks: []int{1024}, DType: dtype.Uint8, Codecs: []codec.Spec{codec.Sharding(
			codec.ShardingOptions{Chunk: []int{2}, Index: plain, Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{1}, Index: plain})}})}})
		b := make([]byte, size)
		for range 512 {
			b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, 0), uint64(size))
		}
		replaceShard(t, backing, b)
		a := reopen(t, backing, &transcript{}, 4096, 1<<20, zarr.Limit(zarr.Limits{Chunk: 1 << 20}))
		if err := zarr.Write(t.Context(), a, []byte{7, 7}, zarr.Range(0, 2)); !errors.Is(err, zarr.ErrLimit) || len(stored(t, backing)) != len(b) {
			t.Errorf("%d bytes shared by all: %v", size, err)
		}
	}
}

// TestMaxRequests checks that a call sends at most MaxRequests requests, and none if it is known
// before the first one that it needs more.
func TestMaxRequests(t *testing.T) {
	backing := mem.New()
	twice(t, backing, false, false)
	plain := mustCreate(t, backing, "plain", zarr.Spec{Shape: []int{8}, Chunks: []int{2}, DType: dtype.Uint8})
	succeed(t, zarr.Write(t.Context(), plain, []byte{1, 2, 3, 4, 5, 6, 7, 8}))
	read := func(a *zarr.Array) error { _, err := zarr.Read[uint8](t.Context(), a); return err }
	readPart := func(a *zarr.Array) error { _, err := zarr.Read[uint8](t.Context(), a, zarr.Range(3, 5)); return err }
	write := func(a *zarr.Array) error { return zarr.Write(t.Context(), a, make([]byte, 8), zarr.Range(0, 8)) }
	writePart := func(a *zarr.Array) error { return zarr.Write(t.Context(), a, []byte{9}, zarr.At(3)) }
	tests := []struct {
		name, path string
		gap        int64
		do         func(*zarr.Array) error
		needs      int // requests that the call needs
		known      int // requests that are known before the first one
	}{
		{"chunks", "plain", 0, read, 4, 4},
		{"whole chunks written", "plain", 0, write, 4, 4},
		{"a part of a chunk", "plain", 0, writePart, 2, 2},
		{"two chunks of a shard in a shard", "x", -1, readPart, 1 + 1 + 2, 1},
		{"the same in a row", "x", 0, readPart, 1 + 1 + 2, 1},
		{"all of it one by one", "x", -1, read, 1 + 4 + 16, 1},
		{"a whole shard", "x", 1 << 20, read, 1, 1},
		{"a part of a shard", "x", 1 << 20, writePart, 2, 2},
	}
	for _, tt := range tests {
		for n := 1; n <= tt.needs+1; n++ {
			var tr transcript
			a, err := zarr.OpenArray(t.Context(), tuned{store.Observe(backing, tr.Record), tt.gap, 1 << 20 * (tt.gap + 1) / (1 << 20)}, tt.path, zarr.Limit(zarr.Limits{Requests: n, InFlight: 1}))
			if err != nil {
				t.Fatal(err)
			}
			tr.Lines = nil
			err = tt.do(a)
			if n >= tt.needs && err != nil || n < tt.needs && !errors.Is(err, zarr.ErrLimit) || len(tr.Lines) > n {
				t.Errorf("%s, MaxRequests(%d): %v after %q", tt.name, n, err, tr.Lines)
			}
			if n >= tt.needs && len(tr.Lines) != tt.needs || n < tt.known && len(tr.Lines) > 0 {
				t.Errorf("%s, MaxRequests(%d): %q", tt.name, n, tr.Lines)
			}
		}
	}
}
