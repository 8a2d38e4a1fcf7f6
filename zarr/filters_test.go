package zarr_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// names returns the codecs in an array's metadata. It marks filters of v2 with a star.
func names(t *testing.T, st store.Store, path string, format int) string {
	t.Helper()
	var out []string
	if format == 3 {
		var doc struct{ Codecs []struct{ Name string } }
		succeed(t, json.Unmarshal(mustGet(t, st, path+"/zarr.json"), &doc))
		for _, c := range doc.Codecs {
			out = append(out, c.Name)
		}
		return strings.Join(out, " ")
	}
	var doc struct {
		Filters    []struct{ ID string }
		Compressor *struct{ ID string }
	}
	succeed(t, json.Unmarshal(mustGet(t, st, path+"/.zarray"), &doc))
	for _, c := range doc.Filters {
		out = append(out, c.ID+"*")
	}
	if doc.Compressor != nil {
		out = append(out, doc.Compressor.ID)
	}
	return strings.Join(out, " ")
}

// ramp returns integers that every filter of these tests preserves.
func ramp(n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(i*i) % 97
	}
	return v
}

// TestFilterPipelines checks that filters precede bytes in v3 and are filters in v2, and that
// arrays are read back whole and in parts.
func TestFilterPipelines(t *testing.T) {
	delta, cast, zstd := codec.Delta(dtype.Int32, nil), codec.AsType(dtype.Int32, dtype.Int16), codec.Zstd(1)
	shuffle := codec.Spec{Name: "numcodecs.shuffle", Config: json.RawMessage(`{"elementsize":4}`)}
	tests := []struct {
		name   string
		spec   zarr.Spec
		v2, v3 string // "" is not tested
	}{
		{"filter", zarr.Spec{Codecs: []codec.Spec{delta, zstd}}, "delta* zstd", "numcodecs.delta bytes zstd"},
		{"two", zarr.Spec{Codecs: []codec.Spec{delta, codec.AsType(dtype.Int32, dtype.Int64)}}, "delta* astype*", "numcodecs.delta numcodecs.astype bytes"},
		{"given last", zarr.Spec{Codecs: []codec.Spec{zstd, cast}}, "", "numcodecs.astype bytes zstd"},
		{"column order", zarr.Spec{Order: "F", Codecs: []codec.Spec{cast, delta16(), zstd}}, "astype* delta* zstd", "transpose numcodecs.astype numcodecs.delta bytes zstd"},
		{"behind shuffle", zarr.Spec{Codecs: []codec.Spec{shuffle, delta, zstd}}, "shuffle* delta* zstd", "numcodecs.delta bytes numcodecs.shuffle zstd"},
		{"bit rounding", zarr.Spec{Codecs: []codec.Spec{codec.BitRound(30)}}, "", "bitround bytes"},
		{"values", zarr.Spec{Codecs: []codec.Spec{codec.ScaleOffset(-3, 2), codec.CastValue(codec.CastValueOptions{Type: dtype.Int16}), codec.Reshape(-1)}}, "", "scale_offset cast_value reshape bytes"},
		{"bits", zarr.Spec{Codecs: []codec.Spec{{Name: "packbits", Config: json.RawMessage(`{"first_bit":0,"last_bit":7}`)}}}, "", "packbits"},
		{"shards", zarr.Spec{Shards: []int{8, 6}, Codecs: []codec.Spec{delta, cast, zstd}}, "", "sharding_indexed"},
	}
	shape, want := []int{13, 9}, ramp(13*9)
	for _, tt := range tests {
		for format, listed := range map[int]string{2: tt.v2, 3: tt.v3} {
			if listed == "" {
				continue
			}
			t.Run(fmt.Sprintf("%s v%d", tt.name, format), func(t *testing.T) {
				st := mem.New()
				s := tt.spec
				s.Format, s.Shape, s.Chunks, s.DType, s.Fill = format, shape, []int{4, 3}, dtype.Int32, 7
				a, err := zarr.Create(t.Context(), st, "a", s)
				if err != nil {
					t.Fatal(err)
				}
				if got := names(t, st, "a", format); got != listed {
					t.Errorf("metadata has %q, want %q", got, listed)
				}
				succeed(t, zarr.Write(t.Context(), a, want))
				part := ramp(6)
				succeed(t, zarr.Write(t.Context(), a, part, zarr.Range(3, 5), zarr.Range(2, 5)))
				want := slices.Clone(want)
				for i, v := range part {
					want[(3+i/3)*9+2+i%3] = v
				}
				if a, err = zarr.OpenArray(t.Context(), st, "a"); err != nil {
					t.Fatal(err)
				}
				got := make([]int32, len(want))
				if err := zarr.ReadInto(t.Context(), a, got); err != nil || !slices.Equal(got, want) {
					t.Errorf("read %v, want %v (%v)", got, want, err)
				}
				got = got[:4]
				if err := zarr.ReadInto(t.Context(), a, got, zarr.Range(4, 8).By(2), zarr.Range(2, 4)); err != nil ||
					!slices.Equal(got, []int32{want[4*9+2], want[4*9+3], want[6*9+2], want[6*9+3]}) {
					t.Errorf("part %v (%v)", got, err)
				}
			})
		}
	}
}

// TestFiltersOfOtherElements checks that a filter which views elements as another type can be
// stored in v2, but not in v3, where other implementations could not read it.
func TestFiltersOfOtherElements(t *testing.T) {
	narrow := codec.Delta(dtype.Int16, nil)
	for _, tt := range []struct {
		name   string
		dt     dtype.Type
		codecs []codec.Spec
	}{
		{"narrow", dtype.Float32, []codec.Spec{narrow, codec.Zstd(1)}},
		{"after a cast", dtype.Int32, []codec.Spec{codec.AsType(dtype.Int32, dtype.Int64), codec.Delta(dtype.Int32, nil)}},
		{"bits of bytes", dtype.Uint8, []codec.Spec{codec.PackBools()}},
	} {
		spec := zarr.Spec{Format: 2, Shape: []int{4}, DType: tt.dt, Codecs: tt.codecs}
		if _, err := zarr.Create(t.Context(), mem.New(), "a", spec); err != nil {
			t.Errorf("%s: v2: %v", tt.name, err)
		}
		for _, spec.Format = range []int{3, 0} {
			if _, err := zarr.Create(t.Context(), mem.New(), "a", spec); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "numcodecs.") {
				t.Errorf("%s: v3: %v", tt.name, err)
			}
		}
	}
	own := codec.Builtin().With("example.com.either", func(json.RawMessage, codec.Repr) (any, error) { return codec.Either{Bytes: unchanged{}}, nil })
	if _, err := zarr.Create(t.Context(), mem.New(), "a", zarr.Spec{Shape: []int{4}, DType: dtype.Int8, Codecs: []codec.Spec{{Name: "example.com.either"}}}, zarr.Extensions(own, nil)); err != nil {
		t.Errorf("a codec of bytes of one's own: %v", err)
	}
}

// unchanged is a user's codec.
type unchanged struct{}

func (unchanged) EncodedSize(n int64) int64              { return n }
func (unchanged) Worst(n int64) int64                    { return n }
func (unchanged) Encode(dst, src []byte) ([]byte, error) { return append(dst, src...), nil }
func (unchanged) Decode(dst, src []byte, _ int) ([]byte, error) {
	return append(dst, src...), nil
}

func delta16() codec.Spec { return codec.Delta(dtype.Int16, nil) }

// TestFilterBeforeShards checks that shards are read through codecs before the sharding codec, and
// that inner chunks of the transformed fill value are not stored.
func TestFilterBeforeShards(t *testing.T) {
	st := mem.New()
	a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Shape: []int{16, 6}, Chunks: []int{8, 6}, DType: dtype.Float32, Fill: 7, Codecs: []codec.Spec{
		codec.ScaleOffset(5, 2), codec.CastValue(codec.CastValueOptions{Type: dtype.Int8}), codec.Reshape([]int{0, 1}),
		codec.Sharding(codec.ShardingOptions{Chunk: []int{12}, Codecs: []codec.Spec{codec.Bytes(dtype.NoOrder)}}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float32, 16*6)
	for i := range want {
		want[i] = 7
	}
	want[50] = 1.5
	succeed(t, zarr.Write(t.Context(), a, want))
	if all := chunks(t, st); len(all) != 1 || len(all["a/c/1/0"]) != 12+4*16+4 {
		t.Errorf("stored %d shards, %d bytes: one inner chunk differs from the fill value", len(all), len(all["a/c/1/0"]))
	}
	got := make([]float32, len(want))
	if err := zarr.ReadInto(t.Context(), a, got); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v (%v)", got, err)
	}
	if err := zarr.ReadInto(t.Context(), a, got[:3], zarr.Range(8, 9), zarr.Range(1, 4)); err != nil || !slices.Equal(got[:3], []float32{7, 1.5, 7}) {
		t.Errorf("part %v (%v)", got[:3], err)
	}
}

// TestLossyFill checks that a chunk is not stored only if it was all fill value before a lossy
// filter, and that it reads as the fill value.
func TestLossyFill(t *testing.T) {
	st := mem.New()
	a := mustCreate(t, st, "a", zarr.Spec{Shape: []int{8}, Chunks: []int{4}, DType: dtype.Float64, Fill: 0.3, Codecs: []codec.Spec{codec.Quantize(0, dtype.Float64, nil)}})
	succeed(t, zarr.Write(t.Context(), a, []float64{0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.4, 0.3}))
	got := make([]float64, 8)
	if err := zarr.ReadInto(t.Context(), a, got); err != nil || !slices.Equal(got, []float64{0.3, 0.3, 0.3, 0.3, 0, 0, 0, 0}) || len(chunks(t, st)) != 1 {
		t.Errorf("read %v from %d chunks (%v)", got, len(chunks(t, st)), err)
	}
}

// chunks returns all keys that are not metadata, with their values.
func chunks(t *testing.T, st store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, key := range keys(t, st) {
		name := key[strings.LastIndexByte(key, '/')+1:]
		if strings.HasPrefix(name, ".z") || name == "zarr.json" || name == "meta" || name == "attrs" {
			continue
		}
		all[key] = get(t, st, key)
	}
	return all
}

// TestMigrateFilters checks that v3 metadata has the filters of v2 before bytes, and that the
// chunks read the same.
func TestMigrateFilters(t *testing.T) {
	st, want := mem.New(), ramp(10)
	spec := zarr.Spec{Format: 2, Shape: []int{10}, Chunks: []int{4}, DType: dtype.Int32, Codecs: []codec.Spec{
		codec.Bytes(dtype.Big), codec.FromNumcodecs("delta", json.RawMessage(`{"dtype":">i4","astype":">i2"}`)), codec.Gzip(1),
	}}
	a, err := zarr.Create(t.Context(), st, "a", spec)
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, zarr.Write(t.Context(), a, want))
	before := chunks(t, st)
	if _, err := upkeep.Migrate(t.Context(), a, upkeep.MigrateOptions{Remove: true}); err != nil {
		t.Fatal(err)
	}
	if got := names(t, st, "a", 3); got != "numcodecs.delta bytes gzip" {
		t.Errorf("codecs %q", got)
	}
	if !bytes.Contains(mustGet(t, st, "a/zarr.json"), []byte(`"endian": "big"`)) {
		t.Error("the differences are big-endian")
	}
	if a, err = zarr.OpenArray(t.Context(), st, "a"); err != nil {
		t.Fatal(err)
	}
	got := make([]int32, 10)
	if err := zarr.ReadInto(t.Context(), a, got); err != nil || !slices.Equal(got, want) || a.Format() != 3 || len(chunks(t, st)) != len(before) {
		t.Errorf("v%d: %v (%v)", a.Format(), got, err)
	}

	// v3 does not support a filter that views big-endian numbers as another type.
	spec.Codecs[1] = codec.FromNumcodecs("delta", json.RawMessage(`{"dtype":"<i4"}`))
	if a, err = zarr.Create(t.Context(), st, "b", spec); err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.Migrate(t.Context(), a, upkeep.MigrateOptions{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("migrated: %v", err)
	}
}
