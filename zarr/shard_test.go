package zarr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// tuned is a store with replaced settings.
type tuned struct {
	store.Store
	gap, longest int64
}

func (s tuned) Provide(target any) bool {
	t, ok := target.(*store.Tuning)
	if ok {
		*t = store.Local()
		t.RangeGap, t.RangeMax = s.gap, s.longest
	}
	return ok
}

// hooked calls before at the start of each Get.
type hooked struct {
	store.Store
	before func(key string, o store.GetOptions)
}

func (s hooked) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	s.before(key, o)
	return s.Store.Get(ctx, key, o, buf)
}

// shardSpecs returns specs of arrays of 11 × 13 in shards of 8 × 6, with different layouts.
func shardSpecs() map[string]zarr.Spec {
	base := zarr.Spec{Shape: []int{11, 13}, DType: dtype.Float32, Fill: -1}
	with := func(chunks, shards []int, codecs ...codec.Spec) zarr.Spec {
		s := base
		s.Chunks, s.Shards, s.Codecs = chunks, shards, codecs
		return s
	}
	sharding := func(o codec.ShardingOptions) codec.Spec { return codec.Sharding(o) }
	turned := with([]int{8, 6}, nil, codec.Transpose(1, 0), sharding(codec.ShardingOptions{Chunk: []int{3, 4}, Codecs: []codec.Spec{codec.Bytes(0), codec.Zstd(1)}}))
	fortran := with([]int{4, 3}, []int{8, 6}, codec.Gzip(1))
	fortran.Order = "F"
	return map[string]zarr.Spec{
		"plain":                   with([]int{4, 3}, []int{8, 6}, []codec.Spec{}...),
		"compressed":              with([]int{2, 2}, []int{8, 6}, codec.Zstd(1), codec.CRC32C()),
		"one inner chunk":         with([]int{8, 6}, []int{8, 6}, codec.Gzip(1)),
		"inner chunks of one":     with([]int{1, 1}, []int{8, 6}, codec.Bytes(dtype.Big)),
		"index at start":          with([]int{8, 6}, nil, sharding(codec.ShardingOptions{Chunk: []int{2, 3}, AtStart: true})),
		"index without checksum":  with([]int{8, 6}, nil, sharding(codec.ShardingOptions{Chunk: []int{2, 3}, Index: []codec.Spec{codec.Bytes(dtype.Big)}})),
		"nested":                  with([]int{8, 6}, nil, sharding(codec.ShardingOptions{Chunk: []int{4, 6}, Codecs: []codec.Spec{sharding(codec.ShardingOptions{Chunk: []int{2, 2}, AtStart: true})}})),
		"transposed before":       turned,
		"transposed inner chunks": fortran,
		"compressed after":        with([]int{8, 6}, nil, sharding(codec.ShardingOptions{Chunk: []int{2, 3}}), codec.Zstd(1)),
		"checksum after":          with([]int{8, 6}, nil, sharding(codec.ShardingOptions{Chunk: []int{2, 3}}), codec.CRC32C()),
	}
}

// TestShardsAgainstOracle writes and reads random regions of sharded arrays: through an array that
// also writes, through one that only reads and whose indexes become stale, and through a newly
// opened one. The settings merge few, many, or no ranges.
func TestShardsAgainstOracle(t *testing.T) {
	for name, spec := range shardSpecs() {
		for _, numbers := range [][2]int64{{-1, 0}, {0, 100}, {20, 1 << 20}, {1 << 20, 1 << 20}} {
			t.Run(fmt.Sprint(name, numbers), func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, uint64(numbers[1])))
				st := tuned{mem.New(), numbers[0], numbers[1]}
				writer := mustCreate(t, st, "x", spec)
				reader := mustOpen(t, st, "x")
				oracle := make([]float32, 11*13)
				for i := range oracle {
					oracle[i] = -1
				}
				for step := range 12 {
					sel, index := randomRegion(r, 11, 13)
					values := make([]float32, len(index))
					same := r.IntN(3) == 0 // only fill values
					for i := range values {
						if values[i] = float32(r.IntN(3) - 1); same {
							values[i] = -1
						}
					}
					succeed(t, zarr.Write(t.Context(), writer, values, sel...))
					for i, at := range index {
						oracle[at] = values[i]
					}
					fresh := mustOpen(t, st, "x")
					for who, a := range map[string]*zarr.Array{"writer": writer, "reader": reader, "fresh": fresh} {
						// First a part that may be in a shard whose index the reader does not know
						// yet.
						sel, index := randomRegion(r, 11, 13)
						part, err := zarr.Read[float32](t.Context(), a, sel...)
						if err != nil {
							t.Fatalf("step %d: %s %v: %v", step, who, sel, err)
						}
						for i, at := range index {
							if part[i] != oracle[at] {
								t.Fatalf("step %d: the %s has %v in %v, want %v", step, who, part[i], sel, oracle[at])
							}
						}
						got, err := zarr.Read[float32](t.Context(), a)
						if err != nil || !slices.Equal(got, oracle) {
							t.Fatalf("step %d: the %s has %v, %v, want %v", step, who, got, err, oracle)
						}
					}
				}
			})
		}
	}
}

// randomRegion returns a selection of a matrix, and the indexes of its elements in order.
func randomRegion(r *rand.Rand, rows, cols int) (sel []zarr.Selection, index []int) {
	axis := func(n int) (zarr.Selection, []int) {
		if r.IntN(5) == 0 {
			list := r.Perm(n)[:1+r.IntN(n)]
			return zarr.Index(list...), list
		}
		lo := r.IntN(n)
		hi := lo + 1 + r.IntN(n-lo)
		step := 1 + r.IntN(4)
		var at []int
		for i := lo; i < hi; i += step {
			at = append(at, i)
		}
		return zarr.Range(lo, hi).By(step), at
	}
	a, is := axis(rows)
	b, js := axis(cols)
	for _, i := range is {
		for _, j := range js {
			index = append(index, i*cols+j)
		}
	}
	return []zarr.Selection{a, b}, index
}

func TestShardedArrays(t *testing.T) {
	for name, spec := range shardSpecs() {
		a := mustCreate(t, mem.New(), "x", spec)
		chunks, shards := a.Chunks(), a.Shards()
		after := strings.HasSuffix(name, " after")
		if after && (shards != nil || !slices.Equal(chunks, []int{8, 6})) || !after && (!slices.Equal(shards, []int{8, 6}) || 8%chunks[0]+6%chunks[1] != 0) {
			t.Errorf("%s: chunks %v, shards %v", name, chunks, shards)
		}
	}
	a := mustCreate(t, mem.New(), "x", shardSpecs()["transposed before"])
	if got := a.Chunks(); !slices.Equal(got, []int{4, 3}) {
		t.Errorf("transposed before: chunks %v", got)
	}
	if s := a.String(); !strings.Contains(s, "chunks [4 3] in shards [8 6]") {
		t.Errorf("prints as %s", s)
	}
	chosen := mustCreate(t, mem.New(), "x", zarr.Spec{Shape: []int{1000, 1000}, Shards: []int{350, 500}, DType: dtype.Int8, Layout: zarr.Layout{Elements: 10000}})
	if c, s := chosen.Chunks(), chosen.Shards(); !slices.Equal(c, []int{70, 100}) || !slices.Equal(s, []int{350, 500}) {
		t.Errorf("chosen: chunks %v, shards %v", c, s)
	}
	if got, err := a.Selected(zarr.Chunks(1, 3), zarr.Chunks(4, zarr.End)); err != nil || !slices.Equal(got, []int{7, 1}) {
		t.Errorf("blocks: %v, %v", got, err)
	}
	scalar := mustCreate(t, mem.New(), "x", zarr.Spec{Shape: []int{}, Chunks: []int{}, Shards: []int{}, DType: dtype.Int8})
	if err := zarr.Write(t.Context(), scalar, []int8{7}); err != nil {
		t.Error(err)
	}
	if got, err := zarr.Read[int8](t.Context(), scalar); err != nil || got[0] != 7 || scalar.Shards() == nil {
		t.Errorf("scalar: %v, %v", got, err)
	}
	for name, s := range map[string]zarr.Spec{
		"v2":          {Format: 2, Chunks: []int{2}, Shards: []int{4}},
		"no multiple": {Chunks: []int{3}, Shards: []int{4}},
		"smaller":     {Chunks: []int{4}, Shards: []int{2}},
		"zero":        {Chunks: []int{2}, Shards: []int{0}},
		"rank":        {Chunks: []int{2}, Shards: []int{4, 4}},
		"chunk rank":  {Chunks: []int{2, 2}, Shards: []int{4}},
	} {
		s.Shape, s.DType = []int{8}, dtype.Int8
		if _, err := zarr.Create(t.Context(), mem.New(), "", s); !errors.Is(err, zarr.ErrMetadata) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sharded makes an array of 64 stored chunks of 16 uint8 in one shard, in a store that merges no
// ranges.
func sharded(t *testing.T, st store.Store) *zarr.Array {
	t.Helper()
	a := mustCreate(t, st, "x", zarr.Spec{Shape: []int{1024}, Chunks: []int{16}, Shards: []int{1024}, DType: dtype.Uint8, Codecs: []codec.Spec{}})
	succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{1}, 1024)))
	return a
}

// TestShardReplacedBetweenIndexAndChunks checks that a read of a shard returns elements of one
// version, here the new one.
func TestShardReplacedBetweenIndexAndChunks(t *testing.T) {
	backing := mem.New()
	writer := sharded(t, backing)
	for name, replace := range map[string]func() error{
		"replaced": func() error { return zarr.Write(t.Context(), writer, bytes.Repeat([]byte{2}, 1024)) },
		"smaller": func() error {
			return zarr.Write(t.Context(), writer, slices.Concat(make([]byte, 1000), bytes.Repeat([]byte{2}, 24)))
		},
		"deleted": func() error { return zarr.Write(t.Context(), writer, make([]byte, 1024)) },
	} {
		succeed(t, zarr.Write(t.Context(), writer, bytes.Repeat([]byte{1}, 1024)))
		var once sync.Once
		var r zarr.Report
		st := hooked{backing, func(_ string, o store.GetOptions) {
			if _, _, ok := o.Range.IsWithin(); ok {
				once.Do(func() {
					if err := replace(); err != nil {
						t.Error(err)
					}
				})
			}
		}}
		a := mustOpen(t, tuned{st, 0, 64}, "x", zarr.Limit(zarr.Limits{InFlight: 4}), zarr.WithReport(&r))
		want, err := zarr.Read[uint8](t.Context(), a, zarr.Range(900, 1020))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		now, err := zarr.Read[uint8](t.Context(), writer, zarr.Range(900, 1020))
		if err != nil || !slices.Equal(want, now) || now[0] == 1 {
			t.Errorf("%s: read %v, want %v, %v", name, want, now, err)
		}
		if r.Chunks.Load() != 8 {
			t.Errorf("%s: %v", name, &r)
		}
	}
}

// TestShardThatIsNeverTheSame checks that reads fail in a store whose versions always differ.
func TestShardThatIsNeverTheSame(t *testing.T) {
	backing := mem.New()
	sharded(t, backing)
	gets := 0
	st := tuned{answered{backing, func(key string, o store.GetOptions) error {
		if o.IfVersion != "" {
			gets++
			return zarr.ErrConflict
		}
		return nil
	}}, 0, 64}
	a := mustOpen(t, st, "x", zarr.Limit(zarr.Limits{InFlight: 1}))
	if _, err := zarr.Read[uint8](t.Context(), a, zarr.At(3)); !errors.Is(err, zarr.ErrConflict) || gets < 2 || gets > 1000 {
		t.Errorf("%v after %d tries", err, gets)
	}
}

// answered is a store whose Gets may fail.
type answered struct {
	store.Store
	answer func(key string, o store.GetOptions) error
}

func (s answered) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if err := s.answer(key, o); err != nil {
		return store.Value{}, &zarr.KeyError{Op: "get", Key: key, Kind: err}
	}
	return s.Store.Get(ctx, key, o, buf)
}

// TestOnlyProvenAbsenceOfShardsIsFill checks that only an absent shard, or an inner chunk that the
// index declares missing, reads as the fill value.
func TestOnlyProvenAbsenceOfShardsIsFill(t *testing.T) {
	for _, kind := range []error{zarr.ErrRefused, zarr.ErrThrottled, zarr.ErrUnavailable, zarr.ErrCorrupt, fault.Unchanged, zarr.ErrLimit, zarr.ErrNotFound, context.DeadlineExceeded, errors.New("odd")} {
		for _, at := range []string{"index", "chunks", "index again"} {
			backing := mem.New()
			writer := sharded(t, backing)
			succeed(t, zarr.Write(t.Context(), writer, make([]byte, 16), zarr.Range(0, 16)))
			var now atomic.Value
			now.Store("")
			st := tuned{answered{backing, func(_ string, o store.GetOptions) error {
				what := "whole"
				switch _, isIndex := o.Range.IsSuffix(); {
				case isIndex && o.IfNotVersion != "":
					what = "index again"
				case isIndex:
					what = "index"
				case o.IfVersion != "":
					what = "chunks"
				}
				if what == now.Load() {
					return kind
				}
				return nil
			}}, 0, 64}
			a := mustOpen(t, st, "x")
			if at == "index again" {
				if _, err := zarr.Read[uint8](t.Context(), a, zarr.At(40)); err != nil {
					t.Fatal(err) // the index is now known
				}
			}
			now.Store(at)
			element := 40
			if at == "index again" {
				element = 3 // missing
			}
			got, err := zarr.Read[uint8](t.Context(), a, zarr.At(element))
			switch {
			case kind == zarr.ErrNotFound && at != "chunks", kind == fault.Unchanged && at == "index again":
				if err != nil || got[0] != 0 {
					t.Errorf("%v of the %s: %v, %v", kind, at, got, err)
				}
			case kind == zarr.ErrNotFound:
				if !errors.Is(err, zarr.ErrConflict) || errors.Is(err, zarr.ErrNotFound) {
					t.Errorf("%v of the %s: %v", kind, at, err)
				}
			default:
				var ce *zarr.ChunkError
				if !errors.Is(err, kind) || !errors.As(err, &ce) || ce.Key != "x/c/0" {
					t.Errorf("%v of the %s: %v, %v", kind, at, got, err)
				}
			}
		}
	}
}

// TestTornShards truncates and damages stored shards, and checks that reads in parts and whole
// reads return an error and never the fill value.
func TestTornShards(t *testing.T) {
	for _, atStart := range []bool{false, true} {
		backing := mem.New()
		a := mustCreate(t, backing, "x", zarr.Spec{Shape: []int{64}, Chunks: []int{64}, DType: dtype.Uint8,
			Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{16}, Codecs: []codec.Spec{codec.Bytes(0), codec.CRC32C()}, AtStart: atStart})}})
		succeed(t, zarr.Write(t.Context(), a, bytes.Repeat([]byte{1}, 64)))
		v, err := backing.Get(t.Context(), "x/c/0", store.GetOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		shard := v.Bytes
		index := 4*16 + 4
		if len(shard) != 4*20+index {
			t.Fatalf("a shard of %d bytes", len(shard))
		}
		broken := map[string][]byte{"empty": {}, "shorter than its index": shard[:index-1], "one byte short": shard[:len(shard)-1], "only an index": shard[:index]}
		for i := range shard {
			b := bytes.Clone(shard)
			b[i] ^= 0x10
			broken[fmt.Sprintf("bit %d", i)] = b
		}
		for name, b := range broken {
			succeed(t, second(backing.Put(t.Context(), "x/c/0", b, store.PutOptions{})))
			for _, numbers := range [][2]int64{{0, 30}, {1 << 20, 1 << 20}} {
				a := mustOpen(t, tuned{backing, numbers[0], numbers[1]}, "x")
				if got, err := zarr.Read[uint8](t.Context(), a); !errors.Is(err, zarr.ErrCorrupt) {
					t.Errorf("%s, merging %v: %v, %v", name, numbers, got, err)
				}
			}
		}
	}
}

// TestHostileIndexes reads shards whose index has a valid checksum and invalid entries.
func TestHostileIndexes(t *testing.T) {
	const no = 1<<64 - 1
	tests := []struct {
		name    string
		off, n  uint64
		corrupt bool
	}{
		{"right", 0, 16, false},
		{"shared", 16, 16, false},
		{"overlapping", 8, 16, false},
		{"missing", no, no, false},
		{"half missing", no, 16, true},
		{"other half", 0, no, true},
		{"nothing", 0, 0, true},
		{"beyond", 1 << 20, 16, true},
		{"over the end", 16*4 + 60, 16, true},
		{"too long for its codecs", 0, 64, true},
		{"overflow", no - 7, 16, true},
		{"2^63", 1 << 63, 16, true},
	}
	for _, tt := range tests {
		backing := mem.New()
		mustCreate(t, backing, "x", zarr.Spec{Shape: []int{64}, Chunks: []int{64}, DType: dtype.Uint8, Fill: 9,
			Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{16}, Index: []codec.Spec{codec.Bytes(dtype.Little)}})}})
		shard := bytes.Repeat([]byte{1}, 64)
		for i := range uint64(4) {
			off, n := i*16, uint64(16)
			if i == 0 {
				off, n = tt.off, tt.n
			}
			shard = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(shard, off), n)
		}
		succeed(t, second(backing.Put(t.Context(), "x/c/0", shard, store.PutOptions{})))
		for _, numbers := range [][2]int64{{0, 30}, {1 << 20, 1 << 20}} {
			a := mustOpen(t, tuned{backing, numbers[0], numbers[1]}, "x")
			got, err := zarr.Read[uint8](t.Context(), a)
			if tt.corrupt && !errors.Is(err, zarr.ErrCorrupt) || !tt.corrupt && err != nil {
				t.Errorf("%s, merging %v: %v", tt.name, numbers, err)
			}
			if want := byte(1); err == nil && (got[0] != want && tt.off != no || got[0] != 9 && tt.off == no || got[63] != want) {
				t.Errorf("%s, merging %v: %v", tt.name, numbers, got)
			}
			// Other inner chunks can still be read.
			if got, err := zarr.Read[uint8](t.Context(), a, zarr.At(20)); err != nil || got[0] != 1 {
				t.Errorf("%s, merging %v, beside it: %v, %v", tt.name, numbers, got, err)
			}
		}
	}
}

// TestShardsWithUnusedSpace reads shards with more unused space than data, in parts.
func TestShardsWithUnusedSpace(t *testing.T) {
	backing := mem.New()
	sharded(t, backing)
	v, err := backing.Get(t.Context(), "x/c/0", store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	index := len(v.Bytes) - 1024
	with := slices.Concat(v.Bytes[:1024], make([]byte, 4<<20), v.Bytes[1024:])
	if len(with) != 4<<20+1024+index {
		t.Fatal(len(with))
	}
	succeed(t, second(backing.Put(t.Context(), "x/c/0", with, store.PutOptions{})))
	var r zarr.Report
	a := mustOpen(t, backing, "x", zarr.WithReport(&r))
	r.BytesRead.Store(0)
	got, err := zarr.Read[uint8](t.Context(), a)
	if err != nil || !bytes.Equal(got, bytes.Repeat([]byte{1}, 1024)) || r.BytesRead.Load() > 1<<20 {
		t.Errorf("%v, %v", err, &r)
	}
}

// bare is a store without versions or without suffix ranges.
type bare struct {
	store.Store
	noTail bool
}

func (s bare) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if _, tail := o.Range.IsSuffix(); tail && s.noTail {
		return store.Value{}, &zarr.KeyError{Op: "get", Key: key, Kind: errors.ErrUnsupported}
	}
	v, err := s.Store.Get(ctx, key, o, buf)
	if !s.noTail {
		v.Version = ""
	}
	return v, err
}

// TestShardsOfBareStores checks that shards are read whole without versions or suffix ranges, and
// that only the first read tries to read parts.
func TestShardsOfBareStores(t *testing.T) {
	for _, noTail := range []bool{false, true} {
		backing := mem.New()
		sharded(t, backing)
		var tr transcript
		st := tuned{store.Observe(bare{backing, noTail}, tr.Record), 0, 64}
		a := mustOpen(t, st, "x")
		for _, want := range []int{2, 1} {
			tr.Lines = nil
			if got, err := zarr.Read[uint8](t.Context(), a, zarr.At(40)); err != nil || got[0] != 1 || len(tr.Lines) != want {
				t.Errorf("without tail: %v: %v, %v, %v", noTail, got, err, tr.Lines)
			}
		}
	}
}

// TestIndexesThatAreKept checks that an opened array keeps the most recently used indexes, up to 8
// MiB.
func TestIndexesThatAreKept(t *testing.T) {
	const shards, inner = 24, 32 << 10 // an index has 512 KiB
	backing := mem.New()
	a := mustCreate(t, backing, "x", zarr.Spec{Shape: []int{shards * inner}, Chunks: []int{1}, Shards: []int{inner}, DType: dtype.Uint8})
	for i := range shards {
		succeed(t, zarr.Write(t.Context(), a, []uint8{uint8(i + 1)}, zarr.At(i*inner)))
	}
	var tr transcript
	a, err := zarr.OpenArray(t.Context(), tuned{store.Observe(backing, tr.Record), 0, 64}, "x")
	if err != nil {
		t.Fatal(err)
	}
	read := func(shard, want int) {
		t.Helper()
		tr.Lines = nil
		if got, err := zarr.Read[uint8](t.Context(), a, zarr.At(shard*inner)); err != nil || got[0] != uint8(shard+1) || len(tr.Lines) != want {
			t.Errorf("shard %d: %v, %v, %q", shard, got, err, tr.Lines)
		}
	}
	for i := range shards {
		read(i, 2) // the index and an inner chunk
	}
	read(shards-1, 1)
	read(shards-16, 1)
	read(shards-17, 2) // evicted by the index of shards-15
	read(shards-16, 1)
	read(shards-15, 2)
}

// bubble returns limits that belong to a synctest bubble, because the limits of the process must
// not be created in one. Tests in a bubble must not use codecs that keep channels either.
func bubble() zarr.Option {
	return zarr.Limit(zarr.Limits{Shared: &concurrency.Limits{CPU: concurrency.NewCPU(2), Bytes: concurrency.NewBudget(1 << 20)}})
}

// TestManyReadersOfOneShard checks that concurrent readers share one request for the index.
func TestManyReadersOfOneShard(t *testing.T) {
	backing := mem.New()
	sharded(t, backing)
	synctest.Test(t, func(t *testing.T) {
		var indexes, others atomic.Int64
		st := hooked{backing, func(key string, o store.GetOptions) {
			if _, ok := o.Range.IsSuffix(); ok {
				indexes.Add(1)
				time.Sleep(time.Second)
			} else if !strings.HasSuffix(key, "json") {
				others.Add(1)
			}
		}}
		a, err := zarr.OpenArray(t.Context(), tuned{st, 0, 64}, "x", zarr.Format(3), bubble())
		if err != nil {
			t.Fatal(err)
		}
		err = concurrency.EachN(t.Context(), 64, 64, func(ctx context.Context, i int) error {
			got, err := zarr.Read[uint8](ctx, a, zarr.Range(16*i, 16*i+16))
			if err == nil && !bytes.Equal(got, bytes.Repeat([]byte{1}, 16)) {
				return fmt.Errorf("%d: %v", i, got)
			}
			return err
		})
		if err != nil || indexes.Load() != 1 || others.Load() != 64 {
			t.Errorf("%v; %d reads of the index, %d others", err, indexes.Load(), others.Load())
		}
	})
}

// TestReadersAndWritersOfOneShard checks that readers get each inner chunk as some writer stored
// it, while writers replace the shard.
func TestReadersAndWritersOfOneShard(t *testing.T) {
	st := tuned{mem.New(), 0, 64}
	a := sharded(t, st)
	err := concurrency.EachN(t.Context(), 12, 12, func(ctx context.Context, i int) error {
		if i%3 == 0 {
			for v := range 10 {
				if err := zarr.Write(ctx, a, bytes.Repeat([]byte{byte(v + 1)}, 16), zarr.Range(16*i, 16*i+16)); err != nil {
					return err
				}
			}
			return nil
		}
		for range 20 {
			got, err := zarr.Read[uint8](ctx, a, zarr.Range(16*(i-i%3), 16*(i-i%3)+16))
			if err != nil {
				return err
			}
			if got[0] == 0 || !bytes.Equal(got, bytes.Repeat(got[:1], 16)) {
				return fmt.Errorf("%d: %v", i, got)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestShardReport checks the counts of inner chunks and of bytes, including indexes.
func TestShardReport(t *testing.T) {
	var r zarr.Report
	st := tuned{mem.New(), 0, 64}
	sharded(t, st)
	a, err := zarr.OpenArray(t.Context(), st, "x", zarr.Format(3))
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.Write(t.Context(), a, make([]byte, 16), zarr.Range(32, 48)))
	if a, err = a.With(zarr.WithReport(&r)); err != nil {
		t.Fatal(err)
	}
	if _, err := zarr.Read[uint8](t.Context(), a, zarr.Range(0, 64)); err != nil {
		t.Fatal(err)
	}
	// There is one get for the index, and one for the chunks 0, 1 and 3, which are adjacent because
	// chunk 2 is missing.
	if r.Gets.Load() != 2 || r.Chunks.Load() != 4 || r.Missing.Load() != 1 || r.BytesRead.Load() != 64*16+4+48 {
		t.Errorf("%v", &r)
	}
}

// late is a store that responds a minute after it read the value.
type late struct{ store.Store }

func (s late) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	v, err := s.Store.Get(ctx, key, o, buf)
	time.Sleep(time.Minute)
	return v, err
}

// TestJoinedAbsenceIsNotBelieved checks that a read which starts after a write does not use the
// absence that an older read found.
func TestJoinedAbsenceIsNotBelieved(t *testing.T) {
	backing := mem.New()
	mustCreate(t, backing, "x", zarr.Spec{Shape: []int{1024}, Chunks: []int{16}, Shards: []int{1024}, DType: dtype.Uint8, Codecs: []codec.Spec{}})
	synctest.Test(t, func(t *testing.T) {
		writer := mustOpen(t, backing, "x", bubble())
		a := mustOpen(t, tuned{late{backing}, 0, 64}, "x", zarr.Format(3), bubble())
		var wg sync.WaitGroup
		wg.Go(func() {
			if got, err := zarr.Read[uint8](t.Context(), a, zarr.At(3)); err != nil || got[0] != 0 {
				t.Errorf("before the write: %v, %v", got, err)
			}
		})
		synctest.Wait() // the store has read the value and not responded
		succeed(t, zarr.Write(t.Context(), writer, []uint8{5}, zarr.At(3)))
		for range 3 {
			wg.Go(func() {
				if got, err := zarr.Read[uint8](t.Context(), a, zarr.At(3)); err != nil || got[0] != 5 {
					t.Errorf("after the write: %v, %v", got, err)
				}
			})
		}
		wg.Wait()
	})
}
