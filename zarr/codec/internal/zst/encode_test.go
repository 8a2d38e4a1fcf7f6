package zst

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Every frame tells the size of what is in it: numcodecs before 0.16, which is zarr-python 2's, refuses one that does not.
func TestFramesTellTheirSize(t *testing.T) {
	for _, checksum := range []bool{false, true} {
		e := NewEncoder(Options{Level: 3, Window: 1 << 20, Checksum: checksum})
		for _, n := range []int{1, 2, 255, 256, 257, zstd.MinWindowSize, zstd.MinWindowSize + 1, 1 << 20, 1<<20 + 1} {
			src := bytes.Repeat([]byte{7}, n)
			frame, err := e.Encode(nil, src)
			if err != nil {
				t.Fatal(err)
			}
			var h zstd.Header
			if err := h.Decode(frame); err != nil || !h.HasFCS || h.FrameContentSize != uint64(n) || h.HasCheckSum != checksum {
				t.Errorf("%d bytes: %v, header %+v", n, err, h)
			}
			if got, err := Decode(nil, frame, n); err != nil || !bytes.Equal(got, src) {
				t.Errorf("%d bytes: %v, or other bytes", n, err)
			}
		}
	}
}
