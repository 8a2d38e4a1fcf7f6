package codec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestWhoNeedsAnOrder: the bytes codec must say the order where an element has numbers of several bytes, and only there.
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
		_, err = codec.Builtin().Chain([]codec.Spec{codec.Bytes(dtype.NoOrder)}, codec.Repr{Shape: []int{2}, Type: typ})
		if needs && !errors.Is(err, fault.Metadata) || !needs && err != nil {
			t.Errorf("%s without an order: %v", text, err)
		}
	}
}

// TestCRC32CBytes: the check value of CRC-32C (RFC 3720, B.4, and the catalogues of CRCs) follows what it is of, the low byte
// first.
func TestCRC32CBytes(t *testing.T) {
	c := mustChain(t, codec.Repr{Shape: []int{9}, Type: dtype.Uint8}, codec.Bytes(dtype.NoOrder), codec.CRC32C())
	got, err := c.Encode(nil, codec.Block{Bytes: []byte("123456789")}, nil)
	if want := []byte("123456789\x83\x92\x06\xe3"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestBloscStored: level 0 compresses nothing, the frame's header of 16 bytes apart.
func TestBloscStored(t *testing.T) {
	in := codec.Repr{Shape: []int{4096}, Type: dtype.Uint8}
	for level, stored := range map[int]bool{codec.Stored: true, 1: false} {
		b, err := mustChain(t, in, codec.Bytes(dtype.NoOrder), codec.Blosc(codec.BloscOptions{Cname: "lz4", Level: level})).Encode(nil, codec.Block{Bytes: make([]byte, 4096)}, nil)
		if err != nil || (len(b) == 4096+16) != stored {
			t.Errorf("level %d: %d bytes, %v", level, len(b), err)
		}
	}
}

// TestShardIndexIsAtTheEnd where the configuration does not say where it is.
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
