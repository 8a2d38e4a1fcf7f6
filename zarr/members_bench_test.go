package zarr_test

import (
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// BenchmarkMembers opens the 1,000 members of a group in memory, which measures the processing of
// their documents.
func BenchmarkMembers(b *testing.B) {
	for _, consolidated := range []bool{false, true} {
		b.Run(fmt.Sprintf("consolidated=%v", consolidated), func(b *testing.B) {
			st := mem.New()
			g, err := zarr.CreateGroup(b.Context(), st, "g", zarr.Spec{})
			if err != nil {
				b.Fatal(err)
			}
			for i := range 1000 {
				spec := zarr.Spec{Shape: []int{1000, 1000}, Chunks: []int{100, 10}, DType: dtype.Float32, Codecs: []codec.Spec{codec.Zstd(3)}, Attrs: map[string]any{"units": "K"}}
				if _, err := g.CreateArray(b.Context(), fmt.Sprintf("%04d", i), spec); err != nil {
					b.Fatal(err)
				}
			}
			if consolidated {
				if g, err = g.Consolidate(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, err := range g.Members(b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != 1000 {
					b.Fatal(n)
				}
			}
		})
	}
}
