package zfp_test

import (
	"bytes"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/codec/zfp"
)

// BenchmarkDecode decodes an array of 64 × 64 × 64 numbers. Its stream repeats a block of smooth
// numbers in fixed-rate mode.
func BenchmarkDecode(b *testing.B) {
	for _, s := range streams(b, "testdata/streams.zip") {
		if len(s.Shape) != 3 || !bytes.Contains(s.Config, []byte(`"rate": 20`)) {
			continue
		}
		b.Run("type="+s.Type, func(b *testing.B) {
			block := s.stored
			if s.Header {
				block = block[12:]
			}
			const size = 20 * 64 / 8
			stored := bytes.Repeat(block[size:2*size], 4096)
			typ := s.dtype(b)
			c, err := zfp.Add(codec.Builtin()).Chain([]codec.Spec{{Name: zfp.Name, Config: s.Config}}, codec.Repr{Shape: []int{64, 64, 64}, Type: typ})
			if err != nil {
				b.Fatal(err)
			}
			dst := codec.Block{Bytes: make([]byte, 64*64*64*typ.Size())}
			b.SetBytes(int64(len(dst.Bytes)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Decode(dst, stored, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
