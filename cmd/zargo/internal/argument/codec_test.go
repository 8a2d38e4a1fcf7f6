package argument

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestParseCodec(t *testing.T) {
	tests := []struct{ text, want string }{
		{"zstd", `zstd{"level":0,"checksum":false}`},
		{" zstd:7 ", `zstd{"level":7,"checksum":false}`},
		{"zstd::checksum", `zstd{"level":0,"checksum":true}`},
		{"gzip", `gzip{"level":5}`},
		{"zlib", `numcodecs.zlib{"level":1}`},
		{"numcodecs.gzip:3", `numcodecs.gzip{"level":3}`},
		{"blosc", `blosc{"cname":"zstd","clevel":5,"blocksize":0}`},
		{"blosc:lz4", `blosc{"cname":"lz4","clevel":5,"blocksize":0}`},
		{"blosc:lz4:0", `blosc{"cname":"lz4","clevel":0,"blocksize":0}`},
		{"blosc::9::65536", `blosc{"cname":"zstd","clevel":9,"blocksize":65536}`},
		{"bz2", `numcodecs.bz2{"level":1}`}, {"lzma", `numcodecs.lzma{"preset":6}`}, {"lz4", `numcodecs.lz4{"acceleration":1}`}, {"shuffle", `numcodecs.shuffle{"elementsize":4}`},
		{"base64", `numcodecs.base64`}, {"crc32", `numcodecs.crc32`}, {"adler32", `numcodecs.adler32`}, {"fletcher32", `numcodecs.fletcher32`}, {"jenkins_lookup3", `numcodecs.jenkins_lookup3{"initval":0}`}, {"pcodec", `numcodecs.pcodec{"level":8}`}, {"pcodec:3", `numcodecs.pcodec{"level":3}`},
		{"mine", `mine`},
		{`mine{"a": 1}`, `mine{"a":1}`},
		{`{"name":"zstd","configuration":{"level": 3},"must_understand":false}`, `zstd{"level":3}`},
		{`{"name":"crc32c"}`, `crc32c`},
		{`{"id":"zlib","level":1}`, `numcodecs.zlib{"level":1}`},
		{`{"id":"delta","dtype":"<i4"}`, `numcodecs.delta{"dtype":"<i4"}`},
		// Invalid.
		{"", ""}, {":", ""}, {"zstd:x", ""}, {"zstd:1:checksum:2", ""}, {"zstd:1:sum", ""}, {"crc32c:1", ""}, {"gzip:1:2", ""}, {"lz4:x", ""}, {"bz2:1:2", ""}, {"crc32:1", ""}, {"jenkins_lookup3:-1", ""}, {"transpose", ""}, {"transpose:a", ""}, {"bytes:middle", ""},
		{"mine:1", ""}, {"{", ""}, {"{}", ""}, {`{"name":7}`, ""}, {`{"name":"zstd","configuration":3}`, ""}, {`{"name":"zstd","extra":3}`, ""}, {`mine{`, ""}, {`mine{}}`, ""}, {`{"name":""}`, ""}, {`{"id":null}`, ""}, {`{"id":""}`, ""}, {"a b", ""},
	}
	for _, tt := range tests {
		s, err := Codec(tt.text)
		if got := s.Name + string(s.Config); got != tt.want || (tt.want == "") != errors.Is(err, fault.Metadata) {
			t.Errorf("%q: %s, %v, want %q", tt.text, got, err, tt.want)
		}
	}
}

// TestCodecErrors checks that the error for an invalid codec contains the valid form.
func TestCodecErrors(t *testing.T) {
	for _, tt := range []struct{ text, says string }{
		{"gzip:x", "gzip:LEVEL"}, {"gzip:3:4", "gzip:LEVEL"}, {"blosc:lz4:five", "blosc:lz4:5:shuffle"}, {"bytes:bigg", "bytes:big"}, {"transpose", "transpose:1,0"}, {"crc32:7", "it has no arguments"},
		{"zst:3", `mean "zstd"`}, {"bitround:10", `bitround{"member":value}`}, {"mine:3", `mine{"member":value}`},
	} {
		if _, err := Codec(tt.text); !errors.Is(err, fault.Metadata) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.says)
		}
	}
}

// TestCodecsPrintAsTheyAreRead checks that --codec accepts codecs as zargo info prints them.
func TestCodecsPrintAsTheyAreRead(t *testing.T) {
	sharded, err := codec.Builtin().Normalize([]codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: []int{2, 6}, Codecs: []codec.Spec{codec.Transpose(0, 1), codec.Bytes(dtype.Little)}})},
		codec.Repr{Shape: []int{4, 6}, Type: dtype.Float32, Fill: make([]byte, 4)})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(sharded,
		codec.Bytes(dtype.NoOrder), codec.Bytes(dtype.Little), codec.Bytes(dtype.Big), codec.Transpose(1, 0), codec.Gzip(5), codec.Zlib(1), codec.Zstd(3), codec.Spec{Name: "zstd", Config: json.RawMessage(`{"level":-5,"checksum":true}`)}, codec.CRC32C(),
		codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: 5, Shuffle: "shuffle", TypeSize: 4}), codec.Blosc(codec.BloscOptions{}),
		codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: codec.Stored, Shuffle: "bitshuffle", BlockSize: 4096}),
		codec.FromNumcodecs("blosc", json.RawMessage(`{"id":"blosc","cname":"lz4","shuffle":-1}`)), codec.FromNumcodecs("zstd", nil),
		codec.BZ2(9), codec.LZMA(1), codec.LZ4(3), codec.Shuffle(8), codec.Base64(), codec.CRC32(), codec.Adler32(), codec.Fletcher32(), codec.JenkinsLookup3(7),
		codec.Delta(dtype.Int32, nil), codec.AsType(dtype.Float64, dtype.Uint8), codec.FixedScaleOffset(1000, 0.1, dtype.Float64, dtype.Uint16), codec.Quantize(-2, dtype.Float32, nil),
		codec.PackBools(), codec.BitRound(7), codec.PackBits(), codec.Spec{Name: "packbits", Config: json.RawMessage(`{"first_bit":1,"last_bit":2}`)}, codec.Reshape([]int{0}, -1), codec.ScaleOffset(5, 0.1),
		codec.CastValue(codec.CastValueOptions{Type: dtype.Int8, Rounding: "towards-zero", OutOfRange: "clamp", Encode: [][2]json.RawMessage{{json.RawMessage(`"NaN"`), json.RawMessage(`0`)}}}),
	) {
		if again, err := Codec(s.String()); err != nil || again.String() != s.String() {
			t.Errorf("%q is read as %q, %v", s, again, err)
		}
	}
}

func FuzzParseCodec(f *testing.F) {
	for _, s := range []string{"zstd:3", "blosc:lz4:5:shuffle", "crc32c", `{"id":"zlib","level":1}`, `{"name":"zstd","configuration":{"level":3}}`, `x{"a":[1]}`, "transpose:1,0", "bytes:big"} {
		f.Add(s)
	}
	in := codec.Repr{Shape: []int{2, 3}, Type: dtype.Int32}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Codec(text)
		if err != nil {
			if !errors.Is(err, fault.Metadata) {
				t.Fatalf("error without kind: %v", err)
			}
			return
		}
		again, err := Codec(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q prints as %q, which reads as %q: %v", text, s, again, err)
		}
		if _, err := codec.Builtin().Bind(s, in); err != nil && !errors.Is(err, fault.Metadata) && !errors.Is(err, errors.ErrUnsupported) {
			t.Fatalf("error without kind: %v", err)
		}
	})
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "4000000": 4000000, "512KiB": 512 << 10, "4 MiB": 4 << 20, "1GiB": 1 << 30,
		"": 0, "0": 0, "-1": 0, "MiB": 0, "4MB": 0, "1.5MiB": 0, "9223372036854775807KiB": 0} {
		got, err := Size("--chunk-size", text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}
