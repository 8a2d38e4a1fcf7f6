package codec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestInputLimits checks that a codec whose format cannot contain a chunk can be bound, so that
// arrays of other programs can be opened, but not encode.
func TestInputLimits(t *testing.T) {
	const giant = 1<<31 - 1
	for _, tt := range []struct {
		name  string
		codec codec.Spec
		most  int
	}{
		{"blosc", codec.Spec{Name: "blosc", Config: []byte(`{"cname":"lz4","clevel":5,"shuffle":"noshuffle","typesize":1,"blocksize":0}`)}, giant - 16},
		{"numcodecs.blosc", codec.Spec{Name: "numcodecs.blosc"}, giant - 16},
		{"lz4", codec.Spec{Name: "numcodecs.lz4"}, 0x7e000000},
		{"lzma", codec.Spec{Name: "numcodecs.lzma"}, giant - 1},
		{"gzip", codec.Spec{Name: "gzip", Config: []byte(`{"level":1}`)}, 0},
		{"zstd", codec.Spec{Name: "zstd", Config: []byte(`{"level":1,"checksum":false}`)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, n := range []int{tt.most, tt.most + 1, giant} {
				specs := []codec.Spec{{Name: "bytes"}, tt.codec}
				inner := codec.Sharding(codec.ShardingOptions{Chunk: []int{n}, Codecs: specs})
				for _, all := range [][]codec.Spec{specs, {inner}} {
					if n == 0 {
						continue
					}
					in := codec.Repr{Shape: []int{n}, Type: dtype.Uint8}
					if _, err := codec.Builtin().Chain(all, in); err != nil {
						t.Fatal(err)
					}
					_, err := codec.Builtin().Normalize(all, in)
					if tt.most == 0 || n <= tt.most {
						if err != nil {
							t.Errorf("%d bytes: %v", n, err)
						}
						continue
					}
					if !errors.Is(err, fault.Limit) || !strings.Contains(err.Error(), tt.codec.Name) {
						t.Errorf("%d bytes: %v, want ErrLimit", n, err)
					}
				}
			}
		})
	}
}
