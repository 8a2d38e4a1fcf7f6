package blosc_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec/blosc"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestLongStreams decodes a frame whose blocks of 4 bytes share one stream, which starts with empty
// deflate blocks. A stream may be as long as c-blosc's buffer for it. If longer streams were
// accepted, each block could take as long as the whole frame.
func TestLongStreams(t *testing.T) {
	tests := []struct {
		name    string
		nothing int // number of empty blocks, of 5 bytes each
		want    error
	}{
		{"as long as can be", 4, nil},
		{"longer", 5, fault.Corrupt},
		{"far longer", 4000, fault.Corrupt},
	}
	for _, tt := range tests {
		stream := append([]byte{0x78, 0x9c}, bytes.Repeat([]byte{0, 0, 0, 0xff, 0xff}, tt.nothing)...)
		stream = append(stream, 1, 4, 0, 0xfb, 0xff, 'a', 'b', 'c', 'd', 0x03, 0xd8, 0x01, 0x8b)
		const blocks = 8
		frame := []byte{2, 1, 3<<5 | 1<<4, 1}
		for _, n := range []int{4 * blocks, 4, 16 + 4*blocks + 4 + len(stream)} {
			frame = binary.LittleEndian.AppendUint32(frame, uint32(n))
		}
		for range blocks {
			frame = binary.LittleEndian.AppendUint32(frame, 16+4*blocks)
		}
		frame = append(binary.LittleEndian.AppendUint32(frame, uint32(len(stream))), stream...)
		got, err := blosc.Decode(nil, frame, 4*blocks)
		if !errors.Is(err, tt.want) || err == nil && string(got) != "abcdabcdabcdabcdabcdabcdabcdabcd" {
			t.Errorf("%s: stream of %d: %q, %v", tt.name, len(stream), got, err)
		}
	}
}
