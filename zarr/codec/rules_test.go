package codec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestWhoNeedsAnOrder checks which data types need a byte order in the codec "bytes": those with
// numbers of several bytes. Package meta reports a missing order, which is then little-endian.
func TestWhoNeedsAnOrder(t *testing.T) {
	for text, needs := range map[string]bool{
		"bool": false, "int8": false, "uint8": false, "float8_e4m3fn": false, "complex_float8_e5m2": false, "int4": false, "r24": false, "S5": false, "V6": false,
		"int16": true, "float16": true, "bfloat16": true, "complex64": true, "complex_bfloat16": true, "datetime64[s]": true, "timedelta64[ms]": true, "<U4": true,
		`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int8"},{"name":"b","data_type":"int16"}]}}`: true,
		`{"name":"struct","configuration":{"fields":[{"name":"a","data_type":"int8"},{"name":"b","data_type":"bool"}]}}`:  false,
	} {
		typ, err := dtype.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if typ.HasOrder() != needs {
			t.Errorf("%s has an order: %v", text, !needs)
		}
		in := codec.Repr{Shape: []int{2}, Type: typ}
		stored := make([]byte, 2*typ.Size())
		for i := range stored {
			stored[i] = byte(i % 2)
		}
		got, want := make([]byte, len(stored)), make([]byte, len(stored))
		err = mustChain(t, in, codec.Bytes(dtype.NoOrder)).Decode(codec.Block{Bytes: got}, stored, nil)
		err2 := mustChain(t, in, codec.Bytes(dtype.Little)).Decode(codec.Block{Bytes: want}, stored, nil)
		if err != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%s without an order: %x, %v, want %x, %v", text, got, err, want, err2)
		}
	}
}

// TestCRC32CBytes checks that the CRC-32C follows its data in little-endian order. The check value
// is from RFC 3720, appendix B.4, and from catalogues of CRCs.
func TestCRC32CBytes(t *testing.T) {
	c := mustChain(t, codec.Repr{Shape: []int{9}, Type: dtype.Uint8}, codec.Bytes(dtype.NoOrder), codec.CRC32C())
	got, err := c.Encode(nil, codec.Block{Bytes: []byte("123456789")}, nil)
	if want := []byte("123456789\x83\x92\x06\xe3"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	back := codec.Block{Bytes: make([]byte, 9)}
	if err := c.Decode(back, got, nil); err != nil || string(back.Bytes) != "123456789" {
		t.Errorf("back: %q, %v", back.Bytes, err)
	}
	for i := range got {
		got[i] ^= 1
		if err := c.Decode(back, got, nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("with byte %d changed: %v", i, err)
		}
		got[i] ^= 1
	}
	for n := range len(got) {
		if err := c.Decode(back, got[:n], nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestBloscTypeSize checks that the default type size is the element size up to 255 bytes, and 1
// for larger elements and elements of varying length. The default shuffle is bitshuffle only for
// elements of one byte.
func TestBloscTypeSize(t *testing.T) {
	for text, want := range map[string]string{"int8": "1 bitshuffle", "int16": "2 shuffle", "complex128": "16 shuffle", "V255": "255 shuffle", "V256": "1 shuffle", "V1": "1 bitshuffle"} {
		typ, err := dtype.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		in := codec.Repr{Shape: []int{2}, Type: typ}
		for _, spec := range []codec.Spec{{Name: "blosc"}, codec.FromNumcodecs("blosc", json.RawMessage(`{"shuffle":-1}`))} {
			if got := bloscElements(t, spec, in); got != want {
				t.Errorf("%s of %s: %s, want %s", spec.Name, text, got, want)
			}
		}
	}
}

// TestBloscTypeSizeOfConfiguration checks that the configured type size takes precedence, and that
// in v2 it also determines the shuffle, as in numcodecs.
func TestBloscTypeSizeOfConfiguration(t *testing.T) {
	for config, want := range map[string]string{
		`{"shuffle":-1,"typesize":4}`:    "4 shuffle",
		`{"shuffle":-1,"typesize":1}`:    "1 bitshuffle",
		`{"shuffle":-1,"typesize":300}`:  "1 shuffle",
		`{"shuffle":-1,"typesize":null}`: "1 bitshuffle",
		`{"shuffle":0,"typesize":4}`:     "4 noshuffle",
	} {
		if got := bloscElements(t, codec.FromNumcodecs("blosc", json.RawMessage(config)), codec.Repr{Shape: []int{2}, Type: dtype.Int8}); got != want {
			t.Errorf("%s: %s, want %s", config, got, want)
		}
	}
}

// bloscElements returns the type size and the shuffle in normalized v3 metadata.
func bloscElements(t *testing.T, spec codec.Spec, in codec.Repr) string {
	t.Helper()
	core, err := spec.Core(in)
	if err != nil {
		t.Fatal(err)
	}
	specs, err := codec.Builtin().Normalize([]codec.Spec{codec.Bytes(dtype.Little), core}, in)
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		TypeSize int
		Shuffle  string
	}
	succeed(t, json.Unmarshal(specs[1].Config, &c))
	return fmt.Sprint(c.TypeSize, " ", c.Shuffle)
}

// TestBloscStored checks that level 0 does not compress. The frame is then the header of 16 bytes
// followed by the data.
func TestBloscStored(t *testing.T) {
	in := codec.Repr{Shape: []int{4096}, Type: dtype.Uint8}
	for level, stored := range map[int]bool{codec.Stored: true, 1: false} {
		b, err := mustChain(t, in, codec.Bytes(dtype.NoOrder), codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: level})).Encode(nil, codec.Block{Bytes: make([]byte, 4096)}, nil)
		if err != nil || (len(b) == 4096+16) != stored {
			t.Errorf("level %d: %d bytes, %v", level, len(b), err)
		}
	}
}

// TestShardIndexIsAtTheEnd checks that the index is at the end of a shard by default.
func TestShardIndexIsAtTheEnd(t *testing.T) {
	const config = `{"chunk_shape":[2],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}`
	c := mustChain(t, codec.Repr{Shape: []int{4}, Type: dtype.Uint8, Fill: []byte{0}}, codec.Spec{Name: "sharding_indexed", Config: json.RawMessage(config)})
	if n, atStart := c.Shards().IndexSize(); n != 32 || atStart {
		t.Errorf("an index of %d bytes, at the start: %v", n, atStart)
	}
	b, err := c.Encode(nil, codec.Block{Bytes: []byte{1, 2, 3, 4}}, nil)
	if err != nil || !bytes.HasPrefix(b, []byte{1, 2, 3, 4}) {
		t.Errorf("%x, %v", b, err)
	}
}

// TestRefusedConfigurations checks that almost valid configurations are rejected.
func TestRefusedConfigurations(t *testing.T) {
	in := codec.Repr{Shape: []int{2, 3}, Type: dtype.Int16, Fill: []byte{0, 0}}
	for _, r := range [][2]string{
		{"transpose", `{}`}, {"transpose", `{"order":"X"}`}, {"transpose", `{"order":{}}`}, {"transpose", `{"order":null}`}, {"transpose", `{"order":["1","0"]}`},
		{"transpose", `{"order":[1,null]}`}, {"transpose", `{"order":[1,1]}`}, {"transpose", `{"order":[0.5,1]}`}, {"transpose", `{"order":[0,2]}`}, {"transpose", `{"order":[0]}`}, {"transpose", `{"order":[-1,0]}`},
		{"crc32c", `{"location":"middle"}`}, {"", `{}`}, {"bytes", `{"endian":"middle"}`}, {"bytes", `{"endian":null}`},
	} {
		if _, err := codec.Builtin().Bind(codec.Spec{Name: r[0], Config: json.RawMessage(r[1])}, in); !errors.Is(err, fault.Metadata) {
			t.Errorf("%s %s: %v", r[0], r[1], err)
		}
	}
	if _, err := codec.Builtin().Bind(codec.Bytes(dtype.Little), codec.Repr{Shape: []int{2}}); !errors.Is(err, fault.Metadata) {
		t.Errorf("without a data type: %v", err)
	}
	if _, err := codec.Builtin().Bind(codec.Bytes(dtype.Little), codec.Repr{Shape: []int{2}, Type: dtype.String}); !errors.Is(err, fault.Metadata) {
		t.Errorf("bytes of texts: %v", err)
	}
	c := mustChain(t, in, codec.Bytes(dtype.Little))
	for _, n := range []int{0, 11, 13} {
		if err := c.Decode(codec.Block{Bytes: make([]byte, 12)}, make([]byte, n), nil); !errors.Is(err, fault.Corrupt) {
			t.Errorf("%d bytes for a chunk of 12: %v", n, err)
		}
	}
}

// TestCRC32CAtTheStart checks that numcodecs.crc32c can store its checksum before the data.
func TestCRC32CAtTheStart(t *testing.T) {
	c := mustChain(t, codec.Repr{Shape: []int{9}, Type: dtype.Uint8}, codec.Bytes(dtype.NoOrder), codec.FromNumcodecs("crc32c", json.RawMessage(`{"location":"start"}`)))
	got, err := c.Encode(nil, codec.Block{Bytes: []byte("123456789")}, nil)
	if want := []byte("\x83\x92\x06\xe3123456789"); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%q, %v, want %q", got, err, want)
	}
	back := codec.Block{Bytes: make([]byte, 9)}
	if err := c.Decode(back, got, nil); err != nil || string(back.Bytes) != "123456789" {
		t.Errorf("%q, %v", back.Bytes, err)
	}
	got[12] ^= 1
	if err := c.Decode(back, got, nil); !errors.Is(err, fault.Corrupt) {
		t.Errorf("changed: %v", err)
	}
}

// TestErrorsAreShort checks that errors quote only the start of long metadata.
func TestErrorsAreShort(t *testing.T) {
	long := strings.Repeat("7", 1<<16)
	in := codec.Repr{Shape: []int{2, 3}, Type: dtype.Int16, Fill: []byte{0, 0}}
	for _, s := range [][2]string{
		{"gzip", `{"level":"` + long + `"}`}, {"gzip", `{"level":` + long + `}`}, {"gzip", `{"` + long + `":1}`}, {"zstd", `{"checksum":"` + long + `"}`},
		{"bytes", `{"endian":"` + long + `"}`}, {"bytes", `{"endian":["` + long + `"]}`}, {"transpose", `{"order":"` + long + `"}`}, {"transpose", `{"order":[1,` + long + `]}`},
		{"reshape", `{"shape":[` + long + `]}`}, {"reshape", `{"shape":[[` + long[:9] + `]]}`}, {"numcodecs.lzma", `{"filters":"` + long + `"}`}, {"numcodecs.json2", `{"encoding":["` + long + `"]}`},
		{"sharding_indexed", `{"chunk_shape":"` + long + `"}`}, {"sharding_indexed", `{"chunk_shape":[2,3],"codecs":"` + long + `"}`}, {"sharding_indexed", `{"chunk_shape":[2,3],"codecs":[` + long + `]}`},
		{"sharding_indexed", `{"chunk_shape":[2,3],"codecs":[{"id":"` + long + `"}]}`}, {"sharding_indexed", `{"chunk_shape":[2,3],"codecs":[{"name":"` + long + `"}]}`}, {"sharding_indexed", `{"chunk_shape":[2,3],"codecs":[{"name":"bytes","x":"` + long + `"}]}`},
		{"x" + long, `{}`},
	} {
		if _, err := codec.Builtin().Bind(codec.Spec{Name: s[0], Config: json.RawMessage(s[1])}, in); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.40s %.40s: %d bytes", s[0], s[1], len(err.Error()))
		}
	}
}
