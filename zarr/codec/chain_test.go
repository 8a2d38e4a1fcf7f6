package codec_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func mustChain(t testing.TB, in codec.Repr, specs ...codec.Spec) *codec.Chain {
	t.Helper()
	c, err := codec.Builtin().Chain(specs, in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// smooth returns n float32 values of a noisy wave, similar to real data.
func smooth(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, 4*n)
	for i := range n {
		v := math.Sin(float64(i)/50) + r.NormFloat64()*0.05
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(math.Round(v*100)/100)))
	}
	return b
}

var (
	little = codec.Bytes(dtype.Little)
	chunk  = codec.Repr{Shape: []int{32, 32}, Type: dtype.Float32}
)

func TestChainOrder(t *testing.T) {
	tests := []struct {
		name  string
		specs []codec.Spec
		kind  error
		says  string
	}{
		{"none", nil, fault.Metadata, "no codec converts"},
		{"gzip alone", []codec.Spec{codec.Gzip(1)}, fault.Metadata, "gzip"},
		{"numcodecs alone", []codec.Spec{codec.Zlib(1)}, fault.Metadata, "zlib"},
		{"transpose alone", []codec.Spec{codec.Transpose(1, 0)}, fault.Metadata, "no codec converts"},
		{"bytes twice", []codec.Spec{little, little}, fault.Metadata, "bytes"},
		{"gzip before bytes", []codec.Spec{codec.Gzip(1), little}, fault.Metadata, "gzip"},
		{"transpose after bytes", []codec.Spec{little, codec.Transpose(1, 0)}, fault.Metadata, "transpose"},
		{"unknown", []codec.Spec{little, {Name: "nosuchcodec"}}, errors.ErrUnsupported, "nosuchcodec"},
		{"unknown numcodecs", []codec.Spec{little, {Name: "numcodecs.pickle"}}, errors.ErrUnsupported, "pickle"},
		{"configuration", []codec.Spec{little, codec.Gzip(42)}, fault.Metadata, "42"},
	}
	for _, tt := range tests {
		if _, err := codec.Builtin().Chain(tt.specs, chunk); !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	huge := codec.Repr{Shape: []int{math.MaxInt, 2}, Type: dtype.Int8}
	if _, err := codec.Builtin().Chain([]codec.Spec{little}, huge); !errors.Is(err, fault.Limit) {
		t.Errorf("huge chunk: %v", err)
	}
	table := codec.Builtin().With("no codec", func(json.RawMessage, codec.Repr) (any, error) { return 7, nil })
	if _, err := table.Chain([]codec.Spec{{Name: "no codec"}}, chunk); err == nil || !strings.Contains(err.Error(), "int") {
		t.Errorf("a factory that makes no codec: %v", err)
	}
}

// plain is a custom codec whose errors have no kind.
type plain struct{}

func (plain) EncodedSize(n int64) int64                   { return n }
func (plain) Worst(n int64) int64                         { return n }
func (plain) Encode(dst, src []byte) ([]byte, error)      { return append(dst, src...), nil }
func (plain) Decode(dst, _ []byte, _ int) ([]byte, error) { return dst, io.ErrUnexpectedEOF }

// TestErrorsWithoutKind checks that an error without a kind from a custom codec is fault.Metadata
// if its Factory returns it, and fault.Corrupt if Decode returns it.
func TestErrorsWithoutKind(t *testing.T) {
	var got json.RawMessage
	table := codec.Builtin().With("plain", func(config json.RawMessage, _ codec.Repr) (any, error) {
		var c struct{ Level int }
		got = config
		return plain{}, json.Unmarshal(config, &c)
	})
	in := codec.Repr{Shape: []int{4}, Type: dtype.Int8}
	c, err := table.Chain([]codec.Spec{codec.Bytes(dtype.NoOrder), {Name: "plain"}}, in)
	if err != nil || string(got) != "{}" {
		t.Fatalf("without a configuration: %v, the factory got %q", err, got)
	}
	if err := c.Decode(codec.Block{Bytes: make([]byte, 4)}, make([]byte, 4), nil); !errors.Is(err, fault.Corrupt) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("decoding gave %v", err)
	}
	bad := codec.Spec{Name: "plain", Config: json.RawMessage(`{"Level":"high"}`)}
	if _, err := table.Bind(bad, in); !errors.Is(err, fault.Metadata) || !strings.Contains(err.Error(), "Level") {
		t.Errorf("a wrong configuration: %v", err)
	}
}

func TestChainSizes(t *testing.T) {
	n := int64(32 * 32 * 4)
	tests := []struct {
		name    string
		specs   []codec.Spec
		size    int64
		most    int64 // lower bound of Worst
		inPlace bool
	}{
		{"bytes", []codec.Spec{little}, n, n, true},
		{"big", []codec.Spec{codec.Bytes(dtype.Big)}, n, n, true},
		{"crc32c", []codec.Spec{little, codec.CRC32C()}, n + 4, n + 4, true},
		{"crc32c twice", []codec.Spec{little, codec.CRC32C(), codec.CRC32C()}, n + 8, n + 8, true},
		{"zstd", []codec.Spec{little, codec.Zstd(1)}, -1, n + 100, true},
		{"zstd crc32c", []codec.Spec{little, codec.Zstd(1), codec.CRC32C()}, -1, n + 100, true},
		{"transpose", []codec.Spec{codec.Transpose(1, 0), little}, n, n, false},
	}
	for _, tt := range tests {
		c := mustChain(t, chunk, tt.specs...)
		if c.EncodedSize() != tt.size || c.Worst() < tt.most || c.Worst() > 4*n+1<<20 || c.InPlace() != tt.inPlace {
			t.Errorf("%s: size %d, most %d, in place %v", tt.name, c.EncodedSize(), c.Worst(), c.InPlace())
		}
		if len(c.Specs()) != len(tt.specs) || fmt.Sprint(c.In().Shape) != "[32 32]" {
			t.Errorf("%s: %v of %v", tt.name, c.Specs(), c.In())
		}
	}
}

// TestChainBounds checks that intermediate lengths stay in proportion to the chunk for any number
// of codecs.
func TestChainBounds(t *testing.T) {
	times := func(n int, s ...codec.Spec) []codec.Spec { return slices.Repeat(s, n) }
	wide := codec.AsType(dtype.Int8, dtype.Complex128)
	text := codec.JSON2()
	within := []codec.Spec{little, codec.Gzip(1)}
	for range 7 {
		within = []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{32, 32}, Codecs: within}), codec.Gzip(1)}
	}
	for name, specs := range map[string][]codec.Spec{
		"compressors":               slices.Concat([]codec.Spec{little}, times(63, codec.Zstd(1))),
		"compressors and checksums": slices.Concat([]codec.Spec{little}, times(31, codec.Gzip(1), codec.CRC32C())),
		"compressed shards":         within,
	} {
		// If every compressor could double the length, the chunk of 4 KiB could take up to 2^75
		// bytes.
		if c := mustChain(t, chunk, specs...); c.Worst() > 2<<20 {
			t.Errorf("%s: %d", name, c.Worst())
		}
	}
	for name, specs := range map[string][]codec.Spec{
		"65 compressors": slices.Concat([]codec.Spec{little}, times(64, codec.Zstd(1))),
		"65 transposes":  slices.Concat(times(64, codec.Transpose(1, 0)), []codec.Spec{little}),
		"casts of casts": slices.Concat([]codec.Spec{little, codec.Gzip(1)}, times(4, wide)),
		"text of text":   slices.Concat([]codec.Spec{little}, times(5, text)),
	} {
		if _, err := codec.Builtin().Chain(specs, chunk); !errors.Is(err, fault.Limit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	small := codec.Repr{Shape: []int{1 << 20}, Type: dtype.Int8}
	if _, err := codec.Builtin().Chain([]codec.Spec{codec.Bytes(dtype.NoOrder), codec.AsType(dtype.Int8, dtype.Float64), text, codec.Zstd(1)}, small); err != nil {
		t.Errorf("bytes as float64 as text: %v", err)
	}
}

// TestChains round-trips chains of several codecs with one Scratch.
func TestChains(t *testing.T) {
	blosc := codec.Blosc(codec.BloscOptions{Cname: "lz4"})
	tests := [][]codec.Spec{
		{little},
		{codec.Bytes(dtype.Big)},
		{codec.Bytes(dtype.Big), codec.Zstd(1)},
		{little, codec.Gzip(1), codec.Zstd(1), codec.CRC32C()},
		{little, codec.CRC32C(), codec.Zstd(1)},
		{little, codec.CRC32C(), codec.CRC32C(), blosc, codec.CRC32C(), codec.Zlib(1)},
		{codec.Transpose(2, 0, 1), little},
		{codec.Transpose(2, 0, 1), codec.Transpose(1, 0, 2), codec.Bytes(dtype.Big), blosc, codec.CRC32C()},
		{codec.Transpose(2, 0, 1), codec.Transpose(1, 0, 2), codec.Transpose(0, 2, 1), little, codec.Gzip(9)},
	}
	var s codec.Scratch
	in := codec.Repr{Shape: []int{7, 16, 9}, Type: dtype.Float32}
	src := smooth(7 * 16 * 9)
	for _, specs := range tests {
		c := mustChain(t, in, specs...)
		stored, err := c.Encode(nil, codec.Block{Bytes: src}, &s)
		if err != nil {
			t.Errorf("%v: %v", specs, err)
			continue
		}
		for _, s := range []*codec.Scratch{&s, nil} {
			dst := make([]byte, len(src))
			if err := c.Decode(codec.Block{Bytes: dst}, stored, s); err != nil || !bytes.Equal(dst, src) {
				t.Errorf("%v: %v", specs, err)
			}
		}
	}
}

// TestErrorsNameTheCodec checks that errors name the codec and the sizes.
func TestErrorsNameTheCodec(t *testing.T) {
	blosc := codec.Blosc(codec.BloscOptions{Cname: "lz4"})
	small := codec.Repr{Shape: []int{32, 31}, Type: dtype.Float32}
	large := codec.Repr{Shape: []int{32, 33}, Type: dtype.Float32}
	for _, spec := range []codec.Spec{blosc, codec.Zstd(1), codec.Gzip(1), codec.Zlib(1), codec.CRC32C()} {
		c := mustChain(t, chunk, little, spec)
		for _, other := range []codec.Repr{small, large} {
			o := mustChain(t, other, little, spec)
			n, err := other.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			stored, err := o.Encode(nil, codec.Block{Bytes: smooth(n / 4)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			err = c.Decode(codec.Block{Bytes: make([]byte, 4096)}, stored, nil)
			if !errors.Is(err, fault.Corrupt) || !strings.HasPrefix(err.Error(), "codec "+spec.Name+": ") || !strings.Contains(err.Error(), "4096") {
				t.Errorf("%v: %v", spec, err)
			}
		}
	}
	c := mustChain(t, chunk, little)
	if err := c.Decode(codec.Block{Bytes: make([]byte, 4096)}, make([]byte, 4090), nil); !errors.Is(err, fault.Corrupt) || err.Error() != "codec bytes: corrupt data: the chunk has 4090 bytes, want 4096" {
		t.Errorf("short chunk: %v", err)
	}
}

func TestBoolBecomesLegal(t *testing.T) {
	c := mustChain(t, codec.Repr{Shape: []int{4}, Type: dtype.Bool}, codec.Bytes(dtype.NoOrder))
	dst := make([]byte, 4)
	if err := c.Decode(codec.Block{Bytes: dst}, []byte{0, 1, 7, 255}, nil); err != nil || !bytes.Equal(dst, []byte{0, 1, 1, 1}) {
		t.Errorf("%v, %v", dst, err)
	}
}

// words is a type of elements of varying length. wordCodec is its codec. It stores each item after
// its length in one byte.
type words struct{ dtype.Type }

func (words) String() string { return "words" }
func (words) Size() int      { return 0 }
func (words) HasOrder() bool { return false }

type wordCodec struct{ n int }

func (wordCodec) EncodedSize() int64 { return -1 }
func (c wordCodec) Worst() int64     { return int64(c.n) * 256 }

func (wordCodec) Encode(dst []byte, src codec.Block) ([]byte, error) {
	for _, w := range src.Items {
		dst = append(append(dst, byte(len(w))), w...)
	}
	return dst, nil
}

func (wordCodec) Decode(dst codec.Block, src []byte) error {
	for i := range dst.Items {
		if len(src) == 0 || int(src[0]) > len(src)-1 {
			return fault.Newf(fault.Corrupt, "truncated in item %d", i)
		}
		n := 1 + int(src[0])
		dst.Items[i], src = bytes.Clone(src[1:n]), src[n:]
	}
	if len(src) > 0 {
		return fault.Newf(fault.Corrupt, "%d bytes follow the last item", len(src))
	}
	return nil
}

func TestItems(t *testing.T) {
	table := codec.Builtin().With("words", func(_ json.RawMessage, in codec.Repr) (any, error) {
		n, err := in.Elems()
		return wordCodec{n}, err
	})
	in := codec.Repr{Shape: []int{2, 3}, Type: words{}}
	c, err := table.Chain([]codec.Spec{codec.Transpose(1, 0), {Name: "words"}, codec.Zstd(1)}, in)
	if err != nil {
		t.Fatal(err)
	}
	src := codec.Block{Items: [][]byte{[]byte("a"), []byte("bc"), nil, []byte("d"), []byte("e"), []byte("fgh")}}
	var s codec.Scratch
	stored, err := c.Encode(nil, src, &s)
	if err != nil {
		t.Fatal(err)
	}
	dst := codec.Block{Items: make([][]byte, 6)}
	if err := c.Decode(dst, stored, &s); err != nil || fmt.Sprintf("%s", dst.Items) != "[a bc  d e fgh]" {
		t.Errorf("%s, %v", dst.Items, err)
	}
	plain, err := mustTable(t, table, in).Encode(nil, src, nil)
	if err != nil || string(plain) != "\x01a\x01d\x02bc\x01e\x00\x03fgh" {
		t.Errorf("%q, %v", plain, err)
	}
	if err := c.Decode(codec.Block{Items: make([][]byte, 5)}, stored, &s); !errors.Is(err, fault.Selection) {
		t.Errorf("room for five: %v", err)
	}
	if _, err := codec.Builtin().Chain([]codec.Spec{codec.Bytes(dtype.NoOrder)}, in); !errors.Is(err, fault.Metadata) {
		t.Errorf("bytes of items: %v", err)
	}
}

func mustTable(t *testing.T, table *codec.Table, in codec.Repr) *codec.Chain {
	t.Helper()
	c, err := table.Chain([]codec.Spec{codec.Transpose(1, 0), {Name: "words"}}, in)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDecodeAllocates checks that decoding with a used Scratch allocates nothing. A garbage
// collection may empty pools in between, and -race empties them at random.
func TestDecodeAllocates(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool drops values at random under -race")
	}
	in := codec.Repr{Shape: []int{128, 128}, Type: dtype.Float32}
	src := smooth(128 * 128)
	tests := []struct {
		name  string
		specs []codec.Spec
		want  float64
	}{
		{"bytes", []codec.Spec{little}, 0},
		{"big", []codec.Spec{codec.Bytes(dtype.Big)}, 0},
		{"zstd", []codec.Spec{little, codec.Zstd(3)}, 0},
		{"zstd crc32c", []codec.Spec{little, codec.Zstd(3), codec.CRC32C()}, 0},
		{"crc32c zstd", []codec.Spec{little, codec.CRC32C(), codec.Zstd(3)}, 0},
		{"gzip", []codec.Spec{little, codec.Gzip(5)}, 0},
		{"zlib", []codec.Spec{little, codec.Zlib(5)}, 0},
		{"blosc lz4", []codec.Spec{little, codec.Blosc(codec.BloscOptions{Cname: "lz4"})}, 0},
		{"blosc zstd", []codec.Spec{little, codec.Blosc(codec.BloscOptions{Cname: "zstd"})}, 0},
		{"transpose zstd", []codec.Spec{codec.Transpose(1, 0), little, codec.Zstd(3)}, 0},
	}
	for _, tt := range tests {
		c := mustChain(t, in, tt.specs...)
		stored, err := c.Encode(nil, codec.Block{Bytes: src}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var s codec.Scratch
		dst := make([]byte, len(src))
		n := testing.AllocsPerRun(100, func() {
			succeed(t, c.Decode(codec.Block{Bytes: dst}, stored, &s))
		})
		if n > tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, n, tt.want)
		}
	}
}

// chains returns the chains of FuzzChainDecode.
func chains(t testing.TB) []*codec.Chain {
	in := codec.Repr{Shape: []int{5, 12}, Type: dtype.Float32}
	blosc := codec.Blosc(codec.BloscOptions{Cname: "lz4"})
	var all []*codec.Chain
	for _, specs := range [][]codec.Spec{
		{little}, {little, codec.Gzip(5)}, {little, codec.Zlib(5)}, {little, codec.Zstd(3)}, {little, codec.Spec{Name: "zstd", Config: json.RawMessage(`{"level":1,"checksum":true}`)}}, {little, codec.CRC32C()}, {little, blosc},
		{codec.Transpose(1, 0), codec.Bytes(dtype.Big), codec.CRC32C(), codec.Zstd(1)},
		{little, codec.Gzip(5), codec.Zstd(3)}, {little, codec.Zstd(3), codec.Gzip(5)}, {little, blosc, codec.Zlib(1), blosc},
	} {
		all = append(all, mustChain(t, in, specs...))
	}
	return all
}

func FuzzChainDecode(f *testing.F) {
	all := chains(f)
	for i, c := range all {
		stored, err := c.Encode(nil, codec.Block{Bytes: smooth(60)}, nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(byte(i), stored)
	}
	f.Fuzz(func(t *testing.T, i byte, stored []byte) {
		c := all[int(i)%len(all)]
		buf := bytes.Repeat([]byte{0xa5}, 240+64)
		err := c.Decode(codec.Block{Bytes: buf[:240]}, stored, nil)
		if err != nil && !errors.Is(err, fault.Corrupt) && !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("error without kind: %v", err)
		}
		for _, b := range buf[240:] {
			if b != 0xa5 {
				t.Fatal("bytes beyond the chunk were changed")
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	in := codec.Repr{Shape: []int{512, 512}, Type: dtype.Float32}
	src := smooth(512 * 512)
	for _, specs := range [][]codec.Spec{
		{little}, {codec.Bytes(dtype.Big)}, {codec.Transpose(1, 0), little}, {little, codec.CRC32C()}, {little, codec.Gzip(5)}, {little, codec.Zlib(1)}, {little, codec.Zstd(3)},
		{little, codec.Blosc(codec.BloscOptions{Cname: "lz4"})}, {little, codec.Blosc(codec.BloscOptions{Cname: "zstd"})},
	} {
		name := strings.Trim(strings.ReplaceAll(fmt.Sprint(specs), " ", "+"), "[]")
		b.Run("codec="+name+"/chunk=1MiB", func(b *testing.B) {
			c := mustChain(b, in, specs...)
			stored, err := c.Encode(nil, codec.Block{Bytes: src}, nil)
			if err != nil {
				b.Fatal(err)
			}
			var s codec.Scratch
			dst := make([]byte, len(src))
			b.SetBytes(int64(len(src)))
			b.ReportMetric(float64(len(src))/float64(len(stored)), "ratio")
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Decode(codec.Block{Bytes: dst}, stored, &s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	in := codec.Repr{Shape: []int{512, 512}, Type: dtype.Float32}
	src := smooth(512 * 512)
	for _, spec := range []codec.Spec{codec.CRC32C(), codec.Gzip(5), codec.Zstd(1), codec.Zstd(3), codec.Zstd(5), codec.Zstd(12), codec.Blosc(codec.BloscOptions{Cname: "lz4"}), codec.Blosc(codec.BloscOptions{Cname: "zstd"})} {
		b.Run("codec="+spec.String()+"/chunk=1MiB", func(b *testing.B) {
			c := mustChain(b, in, little, spec)
			var s codec.Scratch
			var out []byte
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if out, err = c.Encode(out[:0], codec.Block{Bytes: src}, &s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(src))/float64(len(out)), "ratio")
		})
	}
}
