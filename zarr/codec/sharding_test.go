package codec_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/codectest"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

var plainIndex = []codec.Spec{little}

// ramp returns the numbers 1 to n as uint16.
func ramp(n int) []byte {
	var b []byte
	for i := range n {
		b = binary.LittleEndian.AppendUint16(b, uint16(i+1))
	}
	return b
}

func TestShardingConforms(t *testing.T) {
	in := codec.Repr{Shape: []int{4, 6}, Type: dtype.Uint16, Fill: []byte{7, 0}}
	for _, o := range []codec.ShardingOptions{
		{Chunk: []int{2, 3}, Codecs: []codec.Spec{little}},
		// Sharding with the index at the start is not tested here. Bytes after its last inner chunk
		// are unused space, but the suite expects an error for them.
		{Chunk: []int{1, 6}, Codecs: []codec.Spec{little, codec.Gzip(1), codec.CRC32C()}},
		{Chunk: []int{4, 1}, Codecs: []codec.Spec{codec.Transpose(1, 0), codec.Bytes(dtype.Big)}},
		{Chunk: []int{2, 6}, Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{1, 2}, Codecs: []codec.Spec{little}, AtStart: true})}},
	} {
		s := codec.Sharding(o)
		t.Run(s.String(), func(t *testing.T) { codectest.Run(t, codec.Builtin(), s, in) })
	}
}

// TestShardBytes compares encoded shards with the specification, byte for byte.
func TestShardBytes(t *testing.T) {
	in := codec.Repr{Shape: []int{2, 4}, Type: dtype.Uint16, Fill: []byte{0, 0}}
	elems := []byte{1, 0, 2, 0, 0, 0, 0, 0, 5, 0, 6, 0, 0, 0, 8, 0} // 1 2 0 0 / 5 6 0 8; inner chunk 0,1 is 0 0
	pair := func(off, n uint64) []byte {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, off), n)
	}
	missing := pair(math.MaxUint64, math.MaxUint64)
	data := []byte{1, 0, 2, 0, 5, 0, 6, 0, 0, 0, 8, 0}
	tests := []struct {
		name    string
		atStart bool
		want    []byte
	}{
		{"end", false, slices.Concat(data, pair(0, 4), missing, pair(4, 4), pair(8, 4))},
		{"start", true, slices.Concat(pair(64, 4), missing, pair(68, 4), pair(72, 4), data)},
	}
	for _, tt := range tests {
		c := mustChain(t, in, codec.Sharding(codec.ShardingOptions{Chunk: []int{1, 2}, Codecs: plainIndex, Index: plainIndex, AtStart: tt.atStart}))
		got, err := c.Encode([]byte("before"), codec.Block{Bytes: elems}, nil)
		if err != nil || !bytes.Equal(got, append([]byte("before"), tt.want...)) {
			t.Errorf("%s: %x, %v", tt.name, got, err)
		}
		back := make([]byte, len(elems))
		if err := c.Decode(codec.Block{Bytes: back}, tt.want, nil); err != nil || !bytes.Equal(back, elems) {
			t.Errorf("%s: decoded %x, %v", tt.name, back, err)
		}
		if n, atStart := c.Shards().IndexSize(); n != 64 || atStart != tt.atStart || c.EncodedSize() != -1 {
			t.Errorf("%s: index of %d bytes at start: %v; size %d", tt.name, n, atStart, c.EncodedSize())
		}
		// Other index codecs have other sizes.
		c = mustChain(t, in, codec.Sharding(codec.ShardingOptions{Chunk: []int{1, 2}, Codecs: plainIndex, AtStart: tt.atStart,
			Index: []codec.Spec{codec.Bytes(dtype.Big), codec.CRC32C(), codec.CRC32C()}}))
		if n, _ := c.Shards().IndexSize(); n != 72 {
			t.Errorf("%s: index of %d bytes with two checksums", tt.name, n)
		}
	}
}

// TestShardLayouts checks that layouts that other writers may produce are decoded: gaps, other
// orders, shared and overlapping ranges.
func TestShardLayouts(t *testing.T) {
	in := codec.Repr{Shape: []int{4}, Type: dtype.Uint16, Fill: []byte{9, 0}}
	c := mustChain(t, in, codec.Sharding(codec.ShardingOptions{Chunk: []int{1}, Codecs: plainIndex, Index: plainIndex}))
	const no = math.MaxUint64
	tests := []struct {
		name  string
		pairs [4][2]uint64
		want  []byte // nil means corrupt data
	}{
		{"in order", [4][2]uint64{{0, 2}, {2, 2}, {4, 2}, {6, 2}}, []byte{1, 2, 3, 4}},
		{"backwards", [4][2]uint64{{6, 2}, {4, 2}, {2, 2}, {0, 2}}, []byte{4, 3, 2, 1}},
		{"gaps and missing", [4][2]uint64{{no, no}, {6, 2}, {no, no}, {0, 2}}, []byte{9, 4, 9, 1}},
		{"shared", [4][2]uint64{{2, 2}, {2, 2}, {2, 2}, {2, 2}}, []byte{2, 2, 2, 2}},
		{"all missing", [4][2]uint64{{no, no}, {no, no}, {no, no}, {no, no}}, []byte{9, 9, 9, 9}},
		{"into the index", [4][2]uint64{{8, 2}, {0, 2}, {0, 2}, {0, 2}}, []byte{8, 1, 1, 1}},
		{"half missing", [4][2]uint64{{no, 2}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"other half missing", [4][2]uint64{{0, no}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"nothing", [4][2]uint64{{0, 0}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"beyond", [4][2]uint64{{72, 2}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"over the end", [4][2]uint64{{71, 2}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"sum overflows", [4][2]uint64{{no - 1, 2}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"sum overflows to a place within", [4][2]uint64{{no - 7, 12}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"end overflows to a place within", [4][2]uint64{{16, no - 7}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"2^63", [4][2]uint64{{1 << 63, 2}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"too short", [4][2]uint64{{0, 1}, {0, 2}, {0, 2}, {0, 2}}, nil},
		{"too long", [4][2]uint64{{0, 3}, {0, 2}, {0, 2}, {0, 2}}, nil},
	}
	for _, tt := range tests {
		shard := []byte{1, 0, 2, 0, 3, 0, 4, 0}
		for _, p := range tt.pairs {
			shard = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(shard, p[0]), p[1])
		}
		got := make([]byte, 8)
		err := c.Decode(codec.Block{Bytes: got}, shard, nil)
		if tt.want == nil {
			if !errors.Is(err, fault.Corrupt) {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		for i, w := range tt.want {
			if err != nil || got[2*i] != w {
				t.Errorf("%s: %x, %v", tt.name, got, err)
				break
			}
		}
	}
	for n := range 64 {
		if err := c.Decode(codec.Block{Bytes: make([]byte, 8)}, make([]byte, n), nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("a shard of %d bytes: %v", n, err)
		}
	}
}

func TestShardingConfiguration(t *testing.T) {
	const end = `,"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`
	nested := func(n int) string {
		text := `{"name":"bytes"}`
		for range n {
			text = fmt.Sprintf(`{"name":"sharding_indexed","configuration":{"chunk_shape":[4,6],"codecs":[%s],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}`, text)
		}
		return strings.TrimSuffix(strings.TrimPrefix(text, `{"name":"sharding_indexed","configuration":`), "}")
	}
	tests := []struct {
		name, config string
		kind         error // nil means valid
	}{
		{"plain", `{"chunk_shape":[2,3]` + end, nil},
		{"short names", `{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"big"}},"crc32c"],"index_location":"start"}`, nil},
		{"lengths with a fraction of nothing", `{"chunk_shape":[2.0,3]` + end, nil},
		{"without index codecs, as before they were required", `{"chunk_shape":[2,3],"codecs":[{"name":"bytes"}]}`, nil},
		{"eight in each other", nested(8), nil},
		{"nine in each other", nested(9), fault.Limit},
		{"nothing", ``, fault.Metadata},
		{"no chunk shape", `{"codecs":["bytes"],"index_codecs":["bytes"]}`, fault.Metadata},
		{"chunk shape of null", `{"chunk_shape":null` + end, fault.Metadata},
		{"chunk shape with a fraction", `{"chunk_shape":[2,1.5]` + end, fault.Metadata},
		{"chunk shape of text", `{"chunk_shape":["2","3"]` + end, fault.Metadata},
		{"zero", `{"chunk_shape":[0,3]` + end, fault.Metadata},
		{"negative", `{"chunk_shape":[-2,3]` + end, fault.Metadata},
		{"huge", `{"chunk_shape":[2,1e300]` + end, fault.Metadata},
		{"no divisor", `{"chunk_shape":[2,4]` + end, fault.Metadata},
		{"longer than the shard", `{"chunk_shape":[2,12]` + end, fault.Metadata},
		{"rank", `{"chunk_shape":[2]` + end, fault.Metadata},
		{"no codecs", `{"chunk_shape":[2,3],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`, fault.Metadata},
		{"empty codecs", `{"chunk_shape":[2,3],"codecs":[],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`, fault.Metadata},
		{"codecs that are none", `{"chunk_shape":[2,3],"codecs":[7]}`, fault.Metadata},
		{"codec without name", `{"chunk_shape":[2,3],"codecs":[{}]}`, fault.Metadata},
		{"codec of v2", `{"chunk_shape":[2,3],"codecs":["bytes",{"id":"zlib","level":1}]}`, fault.Metadata},
		{"codec that need not be understood", `{"chunk_shape":[2,3],"codecs":["bytes",{"name":"crc32c","must_understand":false}]}`, nil},
		{"must_understand is no bool", `{"chunk_shape":[2,3],"codecs":["bytes",{"name":"crc32c","must_understand":null}]}`, fault.Metadata},
		{"unknown codec", `{"chunk_shape":[2,3],"codecs":["bytes","nosuchcodec"]}`, errors.ErrUnsupported},
		{"unknown codec named by a URI", `{"chunk_shape":[2,3],"codecs":["bytes",{"name":"https://example.org/codec"}]}`, errors.ErrUnsupported},
		{"index compressed", `{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"gzip","configuration":{"level":1}}]}`, fault.Metadata},
		{"index without order", `{"chunk_shape":[2,3],"codecs":["bytes"],"index_codecs":["bytes"]}`, nil},
		{"codecs of a draft", `{"chunk_shape":[2,3],"codecs":["endian"],"index_codecs":[{"name":"endian","configuration":{"endian":"little"}},"crc32c"]}`, nil},
		{"index in the middle", `{"chunk_shape":[2,3],"codecs":["bytes"],"index_location":"middle"}`, fault.Metadata},
		{"unknown member", `{"chunk_shape":[2,3],"order":"C"` + end, fault.Metadata},
	}
	in := codec.Repr{Shape: []int{4, 6}, Type: dtype.Uint8, Fill: []byte{0}}
	for _, tt := range tests {
		_, err := codec.Builtin().Chain([]codec.Spec{{Name: "sharding_indexed", Config: json.RawMessage(tt.config)}}, in)
		if tt.kind == nil && err != nil || tt.kind != nil && !errors.Is(err, tt.kind) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.kind)
		}
	}
	if err := mustNotChain(codec.Repr{Shape: []int{0}, Type: dtype.Uint8}, codec.Sharding(codec.ShardingOptions{Chunk: []int{1}})); !errors.Is(err, fault.Metadata) {
		t.Errorf("a shard of nothing: %v", err)
	}
	if err := mustNotChain(in, codec.Sharding(codec.ShardingOptions{Chunk: []int{2, 3}, Codecs: []codec.Spec{{Name: "bytes", Config: json.RawMessage("{")}}})); !errors.Is(err, fault.Metadata) {
		t.Errorf("a configuration that is no JSON: %v", err)
	}
}

func mustNotChain(in codec.Repr, specs ...codec.Spec) error {
	_, err := codec.Builtin().Chain(specs, in)
	return err
}

// TestShardingNormal checks that Normalize completes inner codecs like those of an array, and
// writes members in zarr-python's order.
func TestShardingNormal(t *testing.T) {
	in := codec.Repr{Shape: []int{4, 6}, Type: dtype.Float32, Fill: make([]byte, 4)}
	inner := codec.Sharding(codec.ShardingOptions{Chunk: []int{1, 3}, AtStart: true, Codecs: []codec.Spec{codec.Bytes(dtype.NoOrder), codec.Blosc(codec.BloscOptions{Cname: "lz4"})}})
	got, err := codec.Builtin().Normalize([]codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{2, 6}, Codecs: []codec.Spec{codec.Transpose(0, 1), inner}})}, in)
	if err != nil {
		t.Fatal(err)
	}
	const index = `"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]`
	want := `{"chunk_shape":[2,6],"codecs":[{"name":"transpose","configuration":{"order":[0,1]}},{"name":"sharding_indexed","configuration":` +
		`{"chunk_shape":[1,3],"codecs":[{"name":"bytes","configuration":{"endian":"little"}},` +
		`{"name":"blosc","configuration":{"typesize":4,"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0}}],` + index + `,"index_location":"start"}}],` + index + `,"index_location":"end"}`
	if got[0].Name != "sharding_indexed" || string(got[0].Config) != want {
		t.Errorf("%s\n%s\nwant\n%s", got[0].Name, got[0].Config, want)
	}
	for _, bad := range []codec.Spec{
		codec.Sharding(codec.ShardingOptions{Chunk: []int{3, 6}}),
		codec.Sharding(codec.ShardingOptions{Chunk: []int{3}}),
		codec.Sharding(codec.ShardingOptions{Chunk: []int{8, 6}}),
		codec.Sharding(codec.ShardingOptions{}),
		{Name: "sharding_indexed", Config: json.RawMessage(`{"chunk_shape":[2,6],"codecs":[]}`)},
		{Name: "sharding_indexed", Config: json.RawMessage(`{"chunk_shape":[2,6],"codecs":["bytes"],"index_codecs":[]}`)},
		{Name: "sharding_indexed"},
	} {
		if _, err := codec.Builtin().Normalize([]codec.Spec{bad}, in); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if !slices.Contains(codec.Builtin().Names(), "sharding_indexed") {
		t.Error("the table does not name it")
	}
	mine := codec.Builtin().With("sharding_indexed", func(json.RawMessage, codec.Repr) (any, error) { return nil, errors.New("mine") })
	if _, err := mine.Bind(got[0], in); err == nil || !strings.Contains(err.Error(), "mine") {
		t.Errorf("one's own: %v", err)
	}
}

// TestShards checks that inner chunks can be read one by one by their byte ranges.
func TestShards(t *testing.T) {
	in := codec.Repr{Shape: []int{4, 6, 2}, Type: dtype.Uint16, Fill: []byte{0, 0}}
	o := codec.ShardingOptions{Chunk: []int{2, 3, 1}, Codecs: []codec.Spec{little}}
	turned := o
	turned.Chunk = []int{1, 2, 3} // the shard has the shape 2, 4, 6
	tests := []struct {
		name  string
		specs []codec.Spec
	}{
		{"alone", []codec.Spec{codec.Sharding(o)}},
		{"transposed before", []codec.Spec{codec.Transpose(2, 0, 1), codec.Sharding(turned)}},
		{"transposed twice", []codec.Spec{codec.Transpose(1, 2, 0), codec.Transpose(1, 2, 0), codec.Sharding(turned)}},
	}
	elems := ramp(4 * 6 * 2)
	for _, tt := range tests {
		c := mustChain(t, in, tt.specs...)
		s := c.Shards()
		if s == nil || !slices.Equal(s.Chunk, []int{2, 3, 1}) || !slices.Equal(s.Grid, []int{2, 2, 2}) || s.Len() != 8 {
			t.Fatalf("%s: %+v", tt.name, s)
		}
		shard, err := c.Encode(nil, codec.Block{Bytes: elems}, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, err := s.IndexOf(shard)
		if err != nil || x.Len() != 8 || x.Bytes() != 128 || x.Size() != int64(len(shard)) {
			t.Fatalf("%s: %+v, %v", tt.name, x, err)
		}
		for i := range 8 {
			at := []int{i / 4, i / 2 % 2, i % 2}
			off, n, ok, err := x.At(s.Position(at))
			if err != nil || !ok {
				t.Fatalf("%s: %v, %v", tt.name, ok, err)
			}
			got := make([]byte, 12)
			succeed(t, s.Inner.Decode(codec.Block{Bytes: got}, shard[off:off+n], nil))
			first := (at[0]*2*6+at[1]*3)*2 + at[2] + 1
			want := []int{first, first + 2, first + 4, first + 12, first + 14, first + 16}
			for j, w := range want {
				if v := int(binary.LittleEndian.Uint16(got[2*j:])); v != w {
					t.Errorf("%s: element %d of inner chunk %v is %d, want %d", tt.name, j, at, v, w)
				}
			}
		}
		again := s.Pack([]byte("before"))
		for i := range 8 {
			off, n, _, err := x.At(i)
			if err != nil {
				t.Fatal(err)
			}
			again.Add(i, shard[off:off+n])
		}
		if got, err := again.End(); err != nil || again.Stored != 8 || string(got) != "before"+string(shard) {
			t.Errorf("%s: packed again: %d stored, %v", tt.name, again.Stored, err)
		}
		none := s.Pack(nil)
		if got, err := none.End(); err != nil || none.Stored != 0 || int64(len(got)) != 132 {
			t.Errorf("%s: packed nothing: %d bytes, %d stored, %v", tt.name, len(got), none.Stored, err)
		}
	}
	if mustChain(t, in, codec.Sharding(o), codec.CRC32C()).Shards() != nil || mustChain(t, in, little).Shards() != nil {
		t.Error("parts of what can only be read as a whole")
	}
}

// FuzzShard decodes hostile shards with indexes at both ends and nested shards.
func FuzzShard(f *testing.F) {
	in := codec.Repr{Shape: []int{4, 4}, Type: dtype.Uint16, Fill: []byte{1, 0}}
	var chains []*codec.Chain
	for _, o := range []codec.ShardingOptions{
		{Chunk: []int{2, 2}, Codecs: []codec.Spec{little}, Index: plainIndex},
		{Chunk: []int{2, 4}, Codecs: []codec.Spec{little, codec.Zstd(1)}, Index: plainIndex, AtStart: true},
		{Chunk: []int{4, 2}, Codecs: []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{1, 1}, Codecs: plainIndex, Index: plainIndex})}, Index: plainIndex},
	} {
		c := mustChain(f, in, codec.Sharding(o))
		chains = append(chains, c)
		for _, b := range [][]byte{ramp(16), bytes.Repeat([]byte{1, 0}, 16)} {
			shard, err := c.Encode(nil, codec.Block{Bytes: b}, nil)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(shard)
			f.Add(shard[1:])
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, c := range chains {
			dst := make([]byte, 32, 48)
			guard := dst[32:48]
			for i := range guard {
				guard[i] = 0xa5
			}
			err := c.Decode(codec.Block{Bytes: dst}, b, nil)
			if err != nil && !errors.Is(err, fault.Corrupt) {
				t.Errorf("%v", err)
			}
			if !bytes.Equal(guard, bytes.Repeat([]byte{0xa5}, 16)) {
				t.Error("wrote beyond the chunk")
			}
			s := c.Shards()
			x, err := s.IndexOf(b)
			if err != nil {
				continue
			}
			for i := range x.Len() {
				if off, n, ok, err := x.At(i); err == nil && ok && (off < 0 || n < 1 || off+n > int64(len(b)) || off+n < off) {
					t.Errorf("inner chunk %d is %d bytes at %d of %d", i, n, off, len(b))
				}
			}
		}
	})
}

// TestLongInnerChunks checks the maximum length of an inner chunk. It decodes a shard with one gzip
// chunk that has many empty blocks before a block of 2 bytes.
func TestLongInnerChunks(t *testing.T) {
	in := codec.Repr{Shape: []int{1}, Type: dtype.Uint16}
	c := mustChain(t, in, codec.Sharding(codec.ShardingOptions{Chunk: []int{1}, Codecs: []codec.Spec{little, codec.Gzip(1)}, Index: plainIndex}))
	for _, tt := range []struct {
		name    string
		nothing int // number of empty blocks, of 5 bytes each
		want    error
	}{
		{"long", 12000, nil},
		{"longer than any", 15000, fault.Corrupt},
	} {
		shard := append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}, bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, tt.nothing)...)
		shard = append(shard, 1, 2, 0, 0xfd, 0xff, 7, 0)
		shard = binary.LittleEndian.AppendUint32(shard, crc32.ChecksumIEEE([]byte{7, 0}))
		shard = binary.LittleEndian.AppendUint32(shard, 2)
		n := uint64(len(shard))
		shard = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(shard, 0), n)
		got := make([]byte, 2)
		if err := c.Decode(codec.Block{Bytes: got}, shard, nil); !errors.Is(err, tt.want) || err == nil && got[0] != 7 {
			t.Errorf("%s: %x, %v", tt.name, got, err)
		}
	}
}
