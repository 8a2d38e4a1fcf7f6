package zarr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// twice creates an array of 64 uint8 with checksums, all 1, and returns it with its stored shard,
// which contains four shards of four chunks of 4.
func twice(t *testing.T, st store.Store, outer, inner bool) (a *zarr.Array, shard []byte) {
	t.Helper()
	within := codec.Sharding(codec.ShardingOptions{Chunk: []int{4}, Codecs: []codec.Spec{codec.Bytes(0), codec.CRC32C()}, AtStart: inner})
	a = mustCreate(t, st, "x", zarr.Spec{Shape: []int{64}, Chunks: []int{64}, DType: dtype.Uint8,
		Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{16}, Codecs: []codec.Spec{within}, AtStart: outer})}})
	succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{1}, 64)))
	return a, stored(t, st)
}

// reopen opens the array of twice through a store that records its requests in tr and merges reads
// as gap and longest specify.
func reopen(t *testing.T, st store.Store, tr *transcript, gap, longest int64, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	a := mustOpen(t, tuned{store.Observe(st, tr.Record), gap, longest}, "x", opts...)
	tr.Lines = nil
	return a
}

// TestTornNestedShards truncates stored shards that contain shards, and flips their bits. Every
// damage is an error that names the key, and is never read as fill values.
func TestTornNestedShards(t *testing.T) {
	for _, starts := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
		backing := mem.New()
		_, shard := twice(t, backing, starts[0], starts[1])
		if len(shard) != 4*(4*8+4*16+4)+4*16+4 {
			t.Fatalf("a shard of %d bytes", len(shard))
		}
		broken := map[string][]byte{"empty": {}, "one byte short": shard[:len(shard)-1], "cut in the middle": shard[:len(shard)/2]}
		step := 1
		if race.Enabled {
			step = 7 // some bytes of every part: concurrency is the same for all bytes of a part
		}
		for i := 0; i < len(shard); i += step {
			b := bytes.Clone(shard)
			b[i] ^= 0x10
			broken[fmt.Sprintf("bit %d", i)] = b
		}
		for name, b := range broken {
			replaceShard(t, backing, b)
			for _, numbers := range [][2]int64{{-1, 30}, {0, 100}, {1 << 20, 1 << 20}} {
				a := reopen(t, backing, &transcript{}, numbers[0], numbers[1])
				got, err := zarr.Read[uint8](t.Context(), a)
				var ce *zarr.ChunkError
				if !errors.Is(err, zarr.ErrCorrupt) || !errors.As(err, &ce) || ce.Key != "x/c/0" {
					t.Errorf("%s, merging %v: %v, %v", name, numbers, got, err)
				}
			}
		}
	}
}

// TestHostileNestedIndexes reads shards whose indexes have correct checksums and wrong entries.
func TestHostileNestedIndexes(t *testing.T) {
	const no = 1<<64 - 1
	plain := []codec.Spec{codec.Bytes(dtype.Little)}
	const inner = 16 + 4*16 // bytes of an inner shard
	tests := []struct {
		name         string
		outer, inner [2]uint64 // entries of the first inner shard, and of its first chunk
		fact         string    // text that the error must contain; "" if there is no error
		first        byte
	}{
		{"right", [2]uint64{0, inner}, [2]uint64{0, 4}, "", 1},
		{"chunk missing", [2]uint64{0, inner}, [2]uint64{no, no}, "", 9},
		{"inner shard missing", [2]uint64{no, no}, [2]uint64{0, 4}, "", 9},
		{"another inner shard twice", [2]uint64{inner, inner}, [2]uint64{0, 0}, "", 1},
		{"chunk in the index", [2]uint64{0, inner}, [2]uint64{16, 4}, "", 0},
		{"chunk beyond the inner shard", [2]uint64{0, inner}, [2]uint64{inner, 4}, "a shard of 80", 0},
		{"chunk over its end", [2]uint64{0, inner}, [2]uint64{inner - 2, 4}, "a shard of 80", 0},
		{"chunk half missing", [2]uint64{0, inner}, [2]uint64{no, 4}, "a shard of 80", 0},
		{"chunk of nothing", [2]uint64{0, inner}, [2]uint64{0, 0}, "a shard of 80", 0},
		{"chunk overflows", [2]uint64{0, inner}, [2]uint64{no - 3, 8}, "a shard of 80", 0},
		{"chunk too long for its codecs", [2]uint64{0, inner}, [2]uint64{0, 40}, "at most 4", 0},
		{"inner shard shorter than its index", [2]uint64{0, 63}, [2]uint64{0, 4}, "fewer than the 64 of its index", 0},
		{"inner shard beyond the shard", [2]uint64{5 * inner, inner}, [2]uint64{0, 4}, "a shard of", 0},
		{"inner shard over its end", [2]uint64{0, 1 << 40}, [2]uint64{0, 4}, "a shard of", 0},
		{"inner shard half missing", [2]uint64{0, no}, [2]uint64{0, 4}, "a shard of", 0},
	}
	for _, tt := range tests {
		backing := mem.New()
		mustCreate(t, backing, "x", zarr.Spec{Shape: []int{64}, Chunks: []int{64}, DType: dtype.Uint8, Fill: 9, Codecs: []codec.Spec{codec.Sharding(
			codec.ShardingOptions{Chunk: []int{16}, Index: plain, Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{4}, Index: plain})}})}})
		var shard, index []byte
		pair := func(b []byte, p [2]uint64) []byte {
			return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, p[0]), p[1])
		}
		for i := range uint64(4) {
			shard = append(shard, bytes.Repeat([]byte{1}, 16)...)
			for k := range uint64(4) {
				p := [2]uint64{4 * k, 4}
				if i == 0 && k == 0 {
					p = tt.inner
				}
				shard = pair(shard, p)
			}
			p := [2]uint64{inner * i, inner}
			if i == 0 {
				p = tt.outer
			}
			index = pair(index, p)
		}
		replaceShard(t, backing, append(shard, index...))
		for _, numbers := range [][2]int64{{-1, 30}, {0, 200}, {1 << 20, 1 << 20}} {
			a := reopen(t, backing, &transcript{}, numbers[0], numbers[1])
			for _, sel := range []zarr.Selection{zarr.All, zarr.Range(0, 4)} {
				got, err := zarr.Read[uint8](t.Context(), a, sel)
				if tt.fact == "" {
					if err != nil || tt.first != 0 && got[0] != tt.first {
						t.Errorf("%s, merging %v: %v, %v", tt.name, numbers, got, err)
					}
					continue
				}
				var ce *zarr.ChunkError
				if !errors.Is(err, zarr.ErrCorrupt) || !errors.As(err, &ce) || ce.Key != "x/c/0" || !strings.Contains(err.Error(), tt.fact) {
					t.Errorf("%s, merging %v: %v, %v", tt.name, numbers, got, err)
				}
			}
			// Other inner chunks remain readable.
			if got, err := zarr.Read[uint8](t.Context(), a, zarr.At(20)); err != nil || got[0] != 1 {
				t.Errorf("%s, merging %v, beside it: %v, %v", tt.name, numbers, got, err)
			}
		}
	}
}

// TestNestedReplaced checks that a read returns the elements of one version of a shard if the shard
// is replaced between any two of its requests.
func TestNestedReplaced(t *testing.T) {
	for pinned := 1; pinned <= 4; pinned++ {
		for name, now := range map[string][]byte{"replaced": bytes.Repeat([]byte{2}, 64), "smaller": append(make([]byte, 40), bytes.Repeat([]byte{2}, 24)...), "deleted": make([]byte, 64)} {
			backing := mem.New()
			writer, _ := twice(t, backing, false, true)
			n, done := 0, false
			st := hooked{backing, func(_ string, o store.GetOptions) {
				if o.IfVersion == "" {
					return
				}
				if n++; n == pinned {
					done = true
					if err := zarr.Write(t.Context(), writer, now); err != nil {
						t.Error(err)
					}
				}
			}}
			a := mustOpen(t, tuned{st, -1, 0}, "x", zarr.Limit(zarr.Limits{InFlight: 1}))
			// The range is in two inner shards, with one chunk of each: two indexes and two chunks.
			if got, err := zarr.Read[uint8](t.Context(), a, zarr.Range(44, 52)); err != nil || !bytes.Equal(got, now[44:52]) || !done {
				t.Errorf("%s before request %d: %v, %v, want %v", name, pinned, got, err, now[44:52])
			}
		}
	}
}

// TestNestedMissingIsAskedAgain checks that chunks which are missing in cached indexes are
// requested again, because they may exist now.
func TestNestedMissingIsAskedAgain(t *testing.T) {
	backing := mem.New()
	writer, _ := twice(t, backing, false, false)
	if err := zarr.Write(t.Context(), writer, make([]byte, 4)); err == nil {
		t.Fatal("wrote 4 elements for 64")
	}
	succeed(t, zarr.Write(t.Context(), writer, make([]byte, 4), zarr.Range(0, 4)))
	var tr transcript
	a := reopen(t, backing, &tr, -1, 0)
	for i, want := range []int{2, 1} {
		tr.Lines = nil
		if got, err := zarr.Read[uint8](t.Context(), a, zarr.Range(0, 4)); err != nil || !bytes.Equal(got, make([]byte, 4)) || len(tr.Lines) != want {
			t.Errorf("read %d: %v, %v, %q", i, got, err, tr.Lines)
		}
	}
	succeed(t, zarr.Write(t.Context(), writer, []byte{5}, zarr.At(2)))
	if got, err := zarr.Read[uint8](t.Context(), a, zarr.Range(0, 4)); err != nil || !bytes.Equal(got, []byte{0, 0, 5, 0}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestManyReadersOfOneInnerShard checks that concurrent readers share one read of the index.
func TestManyReadersOfOneInnerShard(t *testing.T) {
	backing := mem.New()
	twice(t, backing, false, false)
	synctest.Test(t, func(t *testing.T) {
		var gets sync.Map
		st := hooked{backing, func(key string, o store.GetOptions) {
			n, _ := gets.LoadOrStore(o.Range.String(), new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
			time.Sleep(time.Second)
		}}
		a, err := zarr.OpenArray(t.Context(), tuned{st, -1, 0}, "x", zarr.Format(3), bubble())
		if err != nil {
			t.Fatal(err)
		}
		err = concurrency.EachN(t.Context(), 32, 32, func(ctx context.Context, i int) error {
			lo := 16 + i%4*4
			got, err := zarr.Read[uint8](ctx, a, zarr.Range(lo, lo+4))
			if err == nil && !bytes.Equal(got, bytes.Repeat([]byte{1}, 4)) {
				return fmt.Errorf("%d: %v", i, got)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		// The inner shard has 100 bytes at offset 100. Its index is the last 68 of them.
		for what, want := range map[string]int64{"132+68": 1, "last 68": 1, "100+8": 8, "108+8": 8} {
			n, ok := gets.Load(what)
			if !ok || n.(*atomic.Int64).Load() != want {
				t.Errorf("%s was asked for other than %d times: %v", what, want, ok)
			}
		}
	})
}

// TestNestedReport checks that a report counts the innermost chunks, and all bytes.
func TestNestedReport(t *testing.T) {
	backing := mem.New()
	writer, _ := twice(t, backing, false, false)
	// Remove the second inner shard and the first chunk of the third.
	succeed(t, zarr.Write(t.Context(), writer, make([]byte, 20), zarr.Range(16, 36)))
	for _, numbers := range [][2]int64{{-1, 0}, {1 << 20, 1 << 20}} {
		var r zarr.Report
		a := reopen(t, backing, &transcript{}, numbers[0], numbers[1])
		a, err := a.With(zarr.WithReport(&r))
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, second(zarr.Read[uint8](t.Context(), a, zarr.Range(8, 40))))
		if r.Chunks.Load() != 8 || r.Missing.Load() != 5 {
			t.Errorf("merging %v: %v", numbers, &r)
		}
		// Without merging, these are the outer index, the indexes of two inner shards, two chunks
		// of the first and one of the third.
		if numbers[0] < 0 && (r.Gets.Load() != 1+2+2+1 || r.BytesRead.Load() != 68+2*68+3*8) {
			t.Errorf("merging %v: %v", numbers, &r)
		}
	}
}
