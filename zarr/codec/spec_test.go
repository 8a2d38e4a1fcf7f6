package codec_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestSpellings checks that configurations are written as zarr-python 3.1 and numcodecs 0.16 write
// them.
func TestSpellings(t *testing.T) {
	in := codec.Repr{Shape: []int{4, 6}, Type: dtype.Float32}
	tests := []struct {
		name, config     string // as passed to Bind
		spec             codec.Spec
		text             string
		normal           string // name and configuration in v3 metadata
		id, v2           string // "" if v2 does not have the codec
		normalForOneByte string // if it differs
	}{
		{"bytes", ``, codec.Bytes(dtype.NoOrder), "bytes", `bytes{"endian":"little"}`, "", "", `bytes`},
		{"bytes", `{"endian":"little"}`, codec.Bytes(dtype.Little), "bytes:little", `bytes{"endian":"little"}`, "", "", `bytes`},
		{"bytes", `{"endian":"big"}`, codec.Bytes(dtype.Big), "bytes:big", `bytes{"endian":"big"}`, "", "", `bytes`},
		{"transpose", `{"order":[1,0]}`, codec.Transpose(1, 0), "transpose:1,0", `transpose{"order":[1,0]}`, "", "", ""},
		{"gzip", `{"level":5}`, codec.Gzip(5), "gzip:5", `gzip{"level":5}`, "gzip", `{"level":5}`, ""},
		{"numcodecs.zlib", `{"level":1}`, codec.Zlib(1), "zlib:1", `numcodecs.zlib{"level":1}`, "zlib", `{"level":1}`, ""},
		{"zstd", `{"level":3,"checksum":false}`, codec.Zstd(3), "zstd:3", `zstd{"level":3,"checksum":false}`, "zstd", `{"level":3}`, ""},
		{"zstd", `{"level":-5,"checksum":true}`, codec.Spec{Name: "zstd", Config: json.RawMessage(`{"level":-5,"checksum":true}`)}, "zstd:-5:checksum", `zstd{"level":-5,"checksum":true}`, "zstd", `{"checksum":true,"level":-5}`, ""},
		{"crc32c", ``, codec.CRC32C(), "crc32c", `crc32c`, "crc32c", `{}`, ""},
		{"blosc", `{"typesize":4,"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0}`, codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: 5, Shuffle: "shuffle", TypeSize: 4}),
			"blosc:lz4:5:shuffle", `blosc{"typesize":4,"cname":"lz4","clevel":5,"shuffle":"shuffle","blocksize":0}`, "blosc", `{"blocksize":0,"clevel":5,"cname":"lz4","shuffle":1}`, ""},
		{"blosc", `{"cname":"zstd","clevel":5,"blocksize":0}`, codec.Blosc(codec.BloscOptions{}),
			"blosc:zstd:5", `blosc{"typesize":4,"cname":"zstd","clevel":5,"shuffle":"shuffle","blocksize":0}`, "blosc", `{"blocksize":0,"clevel":5,"cname":"zstd","shuffle":-1}`,
			`blosc{"typesize":1,"cname":"zstd","clevel":5,"shuffle":"bitshuffle","blocksize":0}`},
		{"blosc", `{"cname":"lz4","clevel":0,"shuffle":"bitshuffle","blocksize":4096}`, codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: codec.Stored, Shuffle: "bitshuffle", BlockSize: 4096}),
			"blosc:lz4:0:bitshuffle:4096", `blosc{"typesize":4,"cname":"lz4","clevel":0,"shuffle":"bitshuffle","blocksize":4096}`, "blosc", `{"blocksize":4096,"clevel":0,"cname":"lz4","shuffle":2}`,
			`blosc{"typesize":1,"cname":"lz4","clevel":0,"shuffle":"bitshuffle","blocksize":4096}`},
		{"numcodecs.blosc", `{"cname":"lz4","shuffle":-1}`, codec.FromNumcodecs("blosc", json.RawMessage(`{"id":"blosc","cname":"lz4","shuffle":-1}`)),
			`numcodecs.blosc{"cname":"lz4","shuffle":-1}`, `numcodecs.blosc{"cname":"lz4","shuffle":-1}`, "blosc", `{"cname":"lz4","shuffle":-1}`, ""},
		{"numcodecs.bz2", `{"level":9}`, codec.BZ2(9), "bz2:9", `numcodecs.bz2{"level":9}`, "bz2", `{"level":9}`, ""},
		{"numcodecs.lzma", `{"preset":1}`, codec.LZMA(1), "lzma:1", `numcodecs.lzma{"preset":1}`, "lzma", `{"preset":1}`, ""},
		{"numcodecs.lz4", `{"acceleration":3}`, codec.LZ4(3), "lz4:3", `numcodecs.lz4{"acceleration":3}`, "lz4", `{"acceleration":3}`, ""},
		{"numcodecs.shuffle", `{"elementsize":8}`, codec.Shuffle(8), "shuffle:8", `numcodecs.shuffle{"elementsize":8}`, "shuffle", `{"elementsize":8}`, ""},
		{"numcodecs.base64", ``, codec.Base64(), "numcodecs.base64", `numcodecs.base64{}`, "base64", `{}`, ""},
		{"numcodecs.crc32", ``, codec.CRC32(), "numcodecs.crc32", `numcodecs.crc32{}`, "crc32", `{}`, ""},
		{"numcodecs.adler32", ``, codec.Adler32(), "numcodecs.adler32", `numcodecs.adler32{}`, "adler32", `{}`, ""},
		{"numcodecs.fletcher32", ``, codec.Fletcher32(), "numcodecs.fletcher32", `numcodecs.fletcher32{}`, "fletcher32", `{}`, ""},
		{"numcodecs.jenkins_lookup3", `{"initval":7}`, codec.JenkinsLookup3(7), "jenkins_lookup3:7", `numcodecs.jenkins_lookup3{"initval":7}`, "jenkins_lookup3", `{"initval":7}`, ""},
		{"numcodecs.zstd", ``, codec.FromNumcodecs("zstd", nil), `numcodecs.zstd{}`, `numcodecs.zstd{}`, "zstd", `{}`, ""},
	}
	full := func(s codec.Spec) string { return s.Name + string(s.Config) }
	for _, tt := range tests {
		if full(tt.spec) != tt.name+tt.config {
			t.Errorf("%s: spec is %s, want %s", tt.text, full(tt.spec), tt.name+tt.config)
		}
		if tt.spec.String() != tt.text {
			t.Errorf("%s prints as %q, want %q", full(tt.spec), tt.spec, tt.text)
		}
		normal, err := codec.Builtin().Normalize([]codec.Spec{tt.spec}, in)
		if err != nil || full(normal[0]) != tt.normal {
			t.Errorf("%s normal: %v, %v, want %s", tt.text, normal, err, tt.normal)
		}
		if tt.normalForOneByte != "" {
			normal, err := codec.Builtin().Normalize([]codec.Spec{tt.spec}, codec.Repr{Shape: []int{3}, Type: dtype.Int8})
			if err != nil || full(normal[0]) != tt.normalForOneByte {
				t.Errorf("%s normal for int8: %v, %v, want %s", tt.text, normal, err, tt.normalForOneByte)
			}
		}
		id, config, err := tt.spec.Numcodecs()
		if id != tt.id || string(config) != tt.v2 || errors.Is(err, errors.ErrUnsupported) != (tt.id == "") {
			t.Errorf("%s in v2: %q %s %v, want %q %s", tt.text, id, config, err, tt.id, tt.v2)
		}
	}
}

func TestNormalizeFollowsTheArray(t *testing.T) {
	specs := []codec.Spec{{Name: "transpose", Config: json.RawMessage(`{"order":"F"}`)}, codec.Bytes(dtype.NoOrder), codec.Blosc(codec.BloscOptions{}), {Name: "gzip"}, {Name: "zstd"}}
	got, err := codec.Builtin().Normalize(specs, codec.Repr{Shape: []int{2, 3, 4}, Type: dtype.Int64})
	want := `[transpose:2,1,0 bytes:little blosc:zstd:5:shuffle gzip:5 zstd:0]`
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
	if _, err := codec.Builtin().Normalize([]codec.Spec{{Name: "nonesuch"}}, codec.Repr{Type: dtype.Int8}); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "nonesuch") {
		t.Errorf("unknown codec: %v", err)
	}
}

// TestErrorsTellWhatWouldBeRight checks that the error for a misspelled name suggests a similar
// one.
func TestErrorsTellWhatWouldBeRight(t *testing.T) {
	in := codec.Repr{Shape: []int{4, 6}, Type: dtype.Int32}
	table := codec.Builtin().With("example.com.runs", nil).With(strings.Repeat("a", 40), nil)
	for _, tt := range []struct{ name, says string }{
		{"zsdt", `mean "zstd"`}, {"ZSTD", `mean "zstd"`}, {"delta", `mean "numcodecs.delta"`}, {"numcodecs.transpose", `mean "transpose"`}, {"example.com.rnus", `mean "example.com.runs"`},
		{"numcodecs.pickel", `unknown codec "numcodecs.pickel"`}, {"pickle", "could run arbitrary code"},
	} {
		if _, err := table.Bind(codec.Spec{Name: tt.name}, in); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: %v, want %q", tt.name, err, tt.says)
		}
	}
	for _, name := range []string{"pcodec", "zfp", "numcodecs.zfpy", "snappy", "\xff\xfe", strings.Repeat("zstd", 1000), strings.Repeat("Ⱥ", 14), strings.Repeat("Ⱥ", 20)} {
		if _, err := table.Bind(codec.Spec{Name: name}, in); !errors.Is(err, errors.ErrUnsupported) || strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%.20q: %v, want no suggestion", name, err)
		}
	}
}

// TestConfigurations checks that configurations are rejected if both zarr-python and TensorStore
// reject them, and accepted if at least one of them accepts them. The exception is gzip of level
// -1, which is accepted for reading although both reject it.
func TestConfigurations(t *testing.T) {
	in := codec.Repr{Shape: []int{4, 6}, Type: dtype.Int32}
	yes, no := error(nil), error(fault.Metadata)
	tests := []struct {
		name, config string
		want         error
	}{
		{"bytes", ``, yes}, {"bytes", `{}`, yes}, {"bytes", `{"endian":"big"}`, yes}, {"bytes", `{"endian":"middle"}`, no}, {"bytes", `{"endian":null}`, no}, {"bytes", `{"endian":"little","x":1}`, no},
		{"transpose", `{"order":[1,0]}`, yes}, {"transpose", `{"order":[1.0,0]}`, yes}, {"transpose", `{"order":"C"}`, yes}, {"transpose", `{"order":"F"}`, yes},
		{"transpose", ``, no}, {"transpose", `{"order":[0,0]}`, no}, {"transpose", `{"order":[0]}`, no}, {"transpose", `{"order":[0,2]}`, no}, {"transpose", `{"order":[-1,0]}`, no},
		{"transpose", `{"order":["a","b"]}`, no}, {"transpose", `{"order":null}`, no}, {"transpose", `{"order":"K"}`, no}, {"transpose", `{"order":[0.5,1]}`, no}, {"transpose", `{"order":[1,0],"x":1}`, no},
		{"gzip", ``, yes}, {"gzip", `{"level":0}`, yes}, {"gzip", `{"level":9}`, yes}, {"gzip", `{"level":5.0}`, yes}, {"gzip", `{"level":42}`, no}, {"gzip", `{"level":-1}`, no}, {"gzip", `{"level":-2}`, no}, {"endian", `{"endian":"big"}`, errors.ErrUnsupported}, {"gzip", `{"level":"5"}`, no},
		{"gzip", `{"level":5.5}`, no}, {"gzip", `{"level":null}`, no}, {"gzip", `{"level":5,"x":1}`, no}, {"gzip", `[]`, no}, {"gzip", `7`, no}, {"gzip", `{"level":1e999}`, no},
		{"zstd", ``, yes}, {"zstd", `{"level":22}`, yes}, {"zstd", `{"level":-131072}`, yes}, {"zstd", `{"level":3,"checksum":true}`, yes}, {"zstd", `{"level":23}`, no}, {"zstd", `{"level":-131073}`, no}, {"zstd", `{"level":3,"checksum":false}`, yes},
		{"zstd", `{"checksum":null}`, no}, {"zstd", `{"checksum":0}`, no}, {"zstd", `{"level":3,"x":1}`, no},
		{"crc32c", ``, yes}, {"crc32c", `{}`, yes}, {"crc32c", `{"location":"end"}`, yes}, {"crc32c", `{"location":"middle"}`, no}, {"crc32c", `{"location":"start"}`, no},
		{"blosc", `{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":4,"blocksize":0}`, yes}, {"blosc", `{}`, yes}, {"blosc", `{"typesize":256}`, yes},
		{"blosc", `{"cname":"snappy"}`, yes}, {"blosc", `{"shuffle":1}`, no}, {"blosc", `{"shuffle":"quickshuffle"}`, no}, {"blosc", `{"shuffle":"auto"}`, no}, {"blosc", `{"cname":"brotli"}`, no}, {"blosc", `{"clevel":10}`, no}, {"blosc", `{"typesize":0}`, no}, {"blosc", `{"shuffle":"noshuffle","typesize":0}`, yes}, {"blosc", `{"shuffle":"noshuffle","typesize":-1}`, no}, {"blosc", `{"x":1}`, no},
		{"numcodecs.blosc", `{}`, yes}, {"numcodecs.blosc", `{"shuffle":-1,"typesize":null}`, yes}, {"numcodecs.blosc", `{"typesize":4}`, yes}, {"numcodecs.blosc", `{"shuffle":"shuffle"}`, no}, {"numcodecs.blosc", `{"shuffle":3}`, no}, {"numcodecs.blosc", `{"x":1}`, no},
		{"numcodecs.zlib", `{}`, yes}, {"numcodecs.zlib", `{"level":-1}`, yes}, {"numcodecs.zlib", `{"level":10}`, no}, {"numcodecs.zlib", `{"level":1,"x":1}`, no},
		{"numcodecs.gzip", `{"level":1}`, yes}, {"numcodecs.zstd", `{"level":30,"checksum":false}`, yes}, {"numcodecs.crc32c", `{"location":"start"}`, yes},
		{"numcodecs.bz2", `{}`, yes}, {"numcodecs.bz2", `{"level":0}`, no}, {"numcodecs.bz2", `{"level":10}`, no}, {"numcodecs.bz2", `{"x":1}`, no},
		{"numcodecs.lz4", `{}`, yes}, {"numcodecs.lz4", `{"acceleration":-5}`, yes}, {"numcodecs.lz4", `{"acceleration":"fast"}`, no},
		{"numcodecs.shuffle", `{}`, yes}, {"numcodecs.shuffle", `{"elementsize":-1}`, yes}, {"numcodecs.shuffle", `{"elementsize":0.5}`, no}, {"numcodecs.base64", `{"x":1}`, no},
		{"numcodecs.crc32", `{"location":null}`, yes}, {"numcodecs.crc32", `{"location":"end"}`, yes}, {"numcodecs.adler32", `{"location":"middle"}`, no}, {"numcodecs.fletcher32", `{"location":"end"}`, no},
		{"numcodecs.jenkins_lookup3", `{"initval":1,"prefix":null}`, yes}, {"numcodecs.jenkins_lookup3", `{"initval":-1}`, no}, {"numcodecs.jenkins_lookup3", `{"prefix":"ab"}`, errors.ErrUnsupported},
		{"numcodecs.lzma", `{"format":1,"check":-1,"preset":null,"filters":null}`, yes}, {"numcodecs.lzma", `{"format":0}`, yes}, {"numcodecs.lzma", `{"format":4}`, no}, {"numcodecs.lzma", `{"check":2}`, no}, {"numcodecs.lzma", `{"check":16}`, no},
		{"numcodecs.lzma", `{"format":2,"check":1}`, no}, {"numcodecs.lzma", `{"preset":10}`, no}, {"numcodecs.lzma", `{"preset":2147483654}`, yes}, {"numcodecs.lzma", `{"preset":-1}`, no}, {"numcodecs.lzma", `{"format":3}`, no},
		{"numcodecs.lzma", `{"filters":[]}`, no}, {"numcodecs.lzma", `{"filters":[{"id":33}]}`, yes}, {"numcodecs.lzma", `{"filters":[{"id":33}],"preset":1}`, no}, {"numcodecs.lzma", `{"filters":[{"id":33,"x":1}]}`, no}, {"numcodecs.lzma", `{"filters":7}`, no},
		{"numcodecs.lzma", `{"filters":[{"id":3,"dist":257},{"id":33}]}`, no}, {"numcodecs.lzma", `{"filters":[{"id":3},{"id":4},{"id":5},{"id":33}]}`, yes}, {"numcodecs.lzma", `{"filters":[{"id":3},{"id":3},{"id":3},{"id":3},{"id":33}]}`, no},
		{"numcodecs.lzma", `{"filters":[{"id":33},{"id":3}]}`, no}, {"numcodecs.lzma", `{"filters":[{"id":3}]}`, no}, {"numcodecs.lzma", `{"filters":[{"id":5,"start_offset":3},{"id":33}]}`, no}, {"numcodecs.lzma", `{"filters":[{"id":99},{"id":33}]}`, errors.ErrUnsupported},
		{"numcodecs.lzma", `{"filters":[{"id":4611686018427387905}]}`, no}, {"numcodecs.lzma", `{"format":2,"filters":[{"id":4611686018427387905,"lc":4}]}`, yes}, {"numcodecs.lzma", `{"format":2,"filters":[{"id":33}]}`, no},
		{"numcodecs.lzma", `{"format":2,"filters":[{"id":3},{"id":4611686018427387905}]}`, no}, {"numcodecs.lzma", `{"filters":[{"id":33,"lc":3,"lp":2}]}`, no}, {"numcodecs.lzma", `{"filters":[{"id":33,"dict_size":4095}]}`, no},
		{"zlib", `{"level":1}`, errors.ErrUnsupported}, {"nosuchcodec", ``, errors.ErrUnsupported}, {"numcodecs.pickle", ``, errors.ErrUnsupported}, {"", ``, no},
	}
	for _, tt := range tests {
		_, err := codec.Builtin().Normalize([]codec.Spec{{Name: tt.name, Config: json.RawMessage(tt.config)}}, in)
		if !errors.Is(err, tt.want) || tt.want != nil && tt.name != "" && !strings.Contains(err.Error(), tt.name) {
			t.Errorf("%s%s: %v, want %v", tt.name, tt.config, err, tt.want)
		}
	}
}

func TestTableIsAValue(t *testing.T) {
	a := codec.Builtin()
	b := a.With("mine", func(json.RawMessage, codec.Repr) (any, error) { return nil, fault.Limit })
	if slices.Contains(a.Names(), "mine") || !slices.Contains(b.Names(), "mine") {
		t.Errorf("names: %v and %v", a.Names(), b.Names())
	}
	in := codec.Repr{Type: dtype.Int8}
	if _, err := b.Bind(codec.Spec{Name: "mine"}, in); !errors.Is(err, fault.Limit) {
		t.Error(err)
	}
	if _, err := b.Bind(codec.Gzip(1), codec.Repr{}); !errors.Is(err, fault.Metadata) {
		t.Errorf("without data type: %v", err)
	}
	var none codec.Table
	if got := none.With("x", nil).Names(); len(got) != 1 {
		t.Errorf("zero table: %v", got)
	}
}
