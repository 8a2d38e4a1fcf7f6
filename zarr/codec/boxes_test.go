package codec_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/codectest"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// boxed returns chains that together decode boxes in all ways: row by row, from scratch buffers, by
// moving elements, and in place.
func boxed(tb testing.TB) []*codec.Chain {
	tb.Helper()
	pair := pairs(tb)
	big, none := codec.Bytes(dtype.Big), codec.Bytes(dtype.NoOrder)
	blosc := func(cname, shuffle string, block, size int) codec.Spec {
		return codec.Blosc(codec.BloscOptions{Cname: cname, Shuffle: shuffle, BlockSize: block, TypeSize: size})
	}
	shards := func(chunk ...int) func(codecs ...codec.Spec) codec.Spec {
		return func(codecs ...codec.Spec) codec.Spec {
			return codec.Sharding(codec.ShardingOptions{Chunk: chunk, Codecs: codecs})
		}
	}
	cast := codec.Spec{Name: "cast_value", Config: json.RawMessage(`{"data_type":"float64"}`)}
	reshape := codec.Spec{Name: "reshape", Config: json.RawMessage(`{"shape":[-1,2]}`)}
	var chains []*codec.Chain
	add := func(typ dtype.Type, specs ...codec.Spec) {
		for _, shape := range [][]int{{6, 20, 34}, {1, 4, 1, 64}, {300}} {
			three := func(s codec.Spec) bool { return s.Name == "transpose" || s.Name == "sharding_indexed" }
			if len(shape) != 3 && slices.ContainsFunc(specs, three) {
				continue
			}
			c, err := codec.Builtin().Chain(specs, codec.Repr{Shape: shape, Type: typ, Fill: make([]byte, typ.Size())})
			if err != nil {
				tb.Fatal(specs, err)
			}
			chains = append(chains, c)
		}
	}
	for _, typ := range []dtype.Type{dtype.Uint8, dtype.Int16, dtype.Float32, dtype.Float64, dtype.Complex128, dtype.V(3)} {
		order := codec.Bytes(dtype.Little)
		if !typ.HasOrder() {
			order = none
		}
		add(typ, order)
		add(typ, codec.Transpose(2, 0, 1), order)
		add(typ, order, codec.Zstd(1))
		for _, shuffle := range []string{"noshuffle", "shuffle", "bitshuffle"} {
			add(typ, order, blosc("lz4", shuffle, 256, typ.Size()))
		}
		add(typ, codec.Transpose(1, 2, 0), order, blosc("zstd", "shuffle", 500, 3), codec.CRC32C())
		add(typ, shards(3, 5, 17)(order, blosc("lz4", "shuffle", 0, 0)))
		add(typ, codec.Transpose(2, 1, 0), shards(17, 10, 2)(codec.Transpose(0, 2, 1), order))
		add(typ, reshape, order, codec.Gzip(1))
	}
	add(dtype.Float32, big)
	add(dtype.Float32, big, blosc("blosclz", "shuffle", 300, 4))
	add(dtype.Float64, codec.Transpose(1, 0, 2), big, codec.Zstd(1), codec.Zstd(1))
	add(dtype.Int32, cast, codec.Transpose(2, 0, 1), reshape, codec.Bytes(dtype.Little))
	add(dtype.Int32, codec.Transpose(2, 0, 1), cast, big, codec.Shuffle(8), codec.Gzip(1))
	add(dtype.Int64, codec.Bytes(dtype.Little), codec.AsType(dtype.Int64, dtype.Int32), codec.Delta(dtype.Int32, nil), codec.Zstd(1))
	add(dtype.Bool, none)
	add(dtype.Bool, none, blosc("lz4", "shuffle", 128, 1))
	add(dtype.Bool, codec.Spec{Name: "packbits"})
	add(pair, codec.Bytes(dtype.Little))
	add(pair, big, blosc("lz4", "shuffle", 0, 0))
	add(pair, shards(2, 20, 17)(big))
	return chains
}

// pairs returns a struct type.
func pairs(tb testing.TB) *dtype.Struct {
	tb.Helper()
	typ, err := dtype.Parse(`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int16"},{"name":"b","data_type":"float64"},{"name":"c","data_type":"bool"}]}}`)
	if err != nil {
		tb.Fatal(err)
	}
	return typ.(*dtype.Struct)
}

// TestFieldBoxes checks that boxes of one field of structures are decoded.
func TestFieldBoxes(t *testing.T) {
	typ := pairs(t)
	shape := []int{7, 5, 6}
	chunk := make([]byte, 7*5*6*typ.Size())
	for i := range chunk {
		chunk[i] = byte(i * 7 >> 2)
	}
	typ.Canon(chunk)
	for _, specs := range [][]codec.Spec{{codec.Bytes(dtype.Big)}, {codec.Transpose(2, 0, 1), codec.Bytes(dtype.Little), codec.Zstd(1)}} {
		stored, err := mustChain(t, codec.Repr{Shape: shape, Type: typ}, specs...).Encode(nil, codec.Block{Bytes: chunk}, nil)
		must(t, err)
		for _, name := range []string{"a", "b", "c"} {
			f, ok := codec.NewField(typ, nil, name)
			if !ok {
				t.Fatal(name)
			}
			table := codec.Builtin().With(f.Name, f.Factory)
			c, err := table.Chain(append([]codec.Spec{{Name: f.Name}}, specs...), codec.Repr{Shape: append(shape, f.Shape()...), Type: f.Type()})
			must(t, err)
			values := make([]byte, 7*5*6*f.Type().Size())
			f.Extract(values, chunk)
			if err := codectest.Boxes(c, stored, codec.Block{Bytes: values}, 50, 1); err != nil {
				t.Errorf("%v, %s: %v", specs, name, err)
			}
		}
	}
}

// TestBoxes checks that every chain decodes random boxes as it decodes the whole chunk, and
// modifies nothing else.
func TestBoxes(t *testing.T) {
	for i, c := range boxed(t) {
		if err := boxOf(c, uint64(i), 20); err != nil {
			t.Errorf("%v of %v %v: %v", c.Specs(), c.In().Type, c.In().Shape, err)
		}
	}
}

// boxOf encodes a random chunk, decodes n boxes of it and compares them with the whole chunk.
func boxOf(c *codec.Chain, seed uint64, n int) error {
	r := rand.New(rand.NewPCG(seed, 1))
	size, err := c.In().Bytes()
	if err != nil {
		return err
	}
	chunk := make([]byte, size)
	for i := range chunk {
		if chunk[i] = byte(r.Uint32()); seed%2 == 0 { // compressible chunks
			chunk[i] = byte(i >> 3 & 7)
		}
	}
	if c.In().Type == dtype.Float32 || c.In().Type == dtype.Int32 {
		for i := 0; i < len(chunk); i += 4 { // numbers that casts preserve
			chunk[i+3] = 0
		}
	}
	if c.In().Type == dtype.Int64 {
		for i := 0; i < len(chunk); i += 8 {
			clear(chunk[i+3 : i+8])
		}
	}
	c.In().Type.Canon(chunk)
	stored, err := c.Encode(nil, codec.Block{Bytes: chunk}, nil)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return codectest.Boxes(c, stored, codec.Block{Bytes: chunk}, n, seed)
}

// FuzzBoxes runs TestBoxes with more boxes.
func FuzzBoxes(f *testing.F) {
	chains := boxed(f)
	f.Add(uint64(1), uint16(3))
	f.Fuzz(func(t *testing.T, seed uint64, chain uint16) {
		c := chains[int(chain)%len(chains)]
		if err := boxOf(c, seed, 3); err != nil {
			t.Errorf("%v of %v %v: %v", c.Specs(), c.In().Type, c.In().Shape, err)
		}
	})
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
