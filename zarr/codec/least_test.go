package codec_test

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/test/race"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// emptied is the size of a chunk whose buffers are too large for a Scratch to keep.
const emptied = 66 << 20

// densest returns a zstd frame of the densest possible blocks. Each encodes 128 KiB in 4 bytes.
func densest() []byte {
	const block = 128 << 10
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 13 << 3} // no content size, a window of 8 MiB
	for n := emptied; n > 0; n -= block {
		header := block<<3 | 1<<1 // RLE block
		if n == block {
			header |= 1
		}
		out = append(out, byte(header), byte(header>>8), byte(header>>16), 0)
	}
	return out
}

func bytesOf(t *testing.T, n int, specs ...codec.Spec) *codec.Chain {
	t.Helper()
	return mustChain(t, codec.Repr{Shape: []int{n}, Type: dtype.Uint8}, append([]codec.Spec{codec.Bytes(dtype.NoOrder)}, specs...)...)
}

// TestLeastIsReached checks that no format encodes a chunk in fewer bytes than MinEncoded.
func TestLeastIsReached(t *testing.T) {
	if race.Enabled {
		t.Skip("encodes megabytes in one goroutine, where -race finds nothing")
	}
	c := bytesOf(t, emptied, codec.Zstd(3))
	stored := densest()
	chunk := slices.Repeat([]byte{1}, emptied)
	if err := c.Decode(codec.Block{Bytes: chunk}, stored, nil); err != nil || !bytes.Equal(chunk, make([]byte, emptied)) {
		t.Fatalf("%d bytes of zstd, MinEncoded is %d: %v", len(stored), c.MinEncoded(), err)
	}
	for _, tt := range []struct {
		name string
		spec codec.Spec
		n    int
		most int64 // upper bound of the encoded length of zeros, divided by MinEncoded
	}{
		{"gzip", codec.Gzip(9), 1 << 20, 2},
		{"zlib", codec.Spec{Name: "numcodecs.zlib"}, 1 << 20, 2},
		{"zstd", codec.Zstd(22), 16 << 20, 2},
		{"blosc", codec.Blosc(codec.BloscOptions{Cname: "zstd", Level: 9}), 8 << 20, 64},
		{"lz4", codec.LZ4(1), 1 << 20, 2},
		{"bz2", codec.BZ2(9), 4 << 20, 64},
		{"lzma", codec.LZMA(9), 1 << 20, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := bytesOf(t, tt.n, tt.spec)
			stored, err := c.Encode(nil, codec.Block{Bytes: make([]byte, tt.n)}, nil)
			must(t, err)
			if n := int64(len(stored)); n < c.MinEncoded() || n > tt.most*c.MinEncoded() {
				t.Errorf("%d zeros are stored in %d bytes, MinEncoded is %d", tt.n, n, c.MinEncoded())
			}
		})
	}
}

// TestLeastOfChains checks that MinEncoded combines the known lengths of all codecs, and that it is
// 0 after a codec of unknown length.
func TestLeastOfChains(t *testing.T) {
	for _, tt := range []struct {
		name  string
		specs []codec.Spec
		want  int64
	}{
		{"as it is", nil, 1 << 20},
		{"with a checksum", []codec.Spec{codec.CRC32C()}, 1<<20 + 4},
		{"text", []codec.Spec{codec.Base64()}, (1<<20 + 2) / 3 * 4},
		{"gzip", []codec.Spec{codec.Gzip(1)}, 1 << 20 / 1032},
		{"gzip and a checksum", []codec.Spec{codec.Gzip(1), codec.CRC32C()}, 1<<20/1032 + 4},
		{"lz4 twice", []codec.Spec{codec.LZ4(1), codec.LZ4(1)}, 1 << 20 / 255 / 255},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := bytesOf(t, 1<<20, tt.specs...).MinEncoded(); got != tt.want {
				t.Errorf("MinEncoded is %d, not %d", got, tt.want)
			}
		})
	}
}

// TestTooFewBytesTakeNoRoom checks that no buffers are allocated if the stored bytes are too few
// for the chunk, not even those between codecs.
func TestTooFewBytesTakeNoRoom(t *testing.T) {
	in := codec.Repr{Shape: []int{emptied}, Type: dtype.Uint8}
	c := mustChain(t, in, codec.Transpose(0), codec.Bytes(dtype.NoOrder), codec.Zstd(3))
	chunk := make([]byte, emptied)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := c.Decode(codec.Block{Bytes: chunk}, densest()[:100], nil)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, fault.Corrupt) || used > 1<<20 {
		t.Errorf("%d bytes allocated: %v", used, err)
	}
}
