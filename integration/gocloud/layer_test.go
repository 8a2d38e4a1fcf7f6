package gocloud

import (
	"context"
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// BenchmarkLayer measures the cost of an array in addition to the reads of its chunks. It reads
// 5,000 chunks of 8 KiB from the store with the concurrency of an array, and as an array. The
// difference is planning, scheduling, memory and decoding.
func BenchmarkLayer(b *testing.B) {
	const chunks, elems = 5000, 2048
	for _, place := range []string{"memory", "s3"} {
		b.Run(place, func(b *testing.B) {
			st := store.Store(mem.New())
			if place == "s3" {
				raw := bucket.URL(b)
				bucket.Endpoint(b, raw)
				st = opened(b, raw)
			}
			spec := zarr.Spec{Shape: []int{chunks, elems}, Chunks: []int{1, elems}, DType: dtype.Float32, Codecs: []codec.Spec{}}
			a, err := zarr.Create(b.Context(), st, "layer", spec)
			if err != nil {
				b.Fatal(err)
			}
			values := make([]float32, chunks*elems)
			for i := range values {
				values[i] = float32(i)
			}
			if err := zarr.Write(b.Context(), a, values); err != nil {
				b.Fatal(err)
			}
			workers := store.TuningOf(st).Requests + 2
			bytes := make([]byte, 4*len(values))
			for _, form := range []struct {
				by   string
				read func() error
			}{
				{"store", func() error {
					return concurrency.EachN(b.Context(), workers, chunks, func(ctx context.Context, i int) error {
						at := bytes[4*elems*i : 4*elems*i : 4*elems*(i+1)]
						v, err := st.Get(ctx, fmt.Sprintf("layer/c/%d/0", i), store.GetOptions{}, at)
						if err == nil && len(v.Bytes) != 4*elems {
							err = fmt.Errorf("%d bytes", len(v.Bytes))
						}
						return err
					})
				}},
				{"array", func() error { return zarr.ReadInto(b.Context(), a, values) }},
			} {
				b.Run("by="+form.by, func(b *testing.B) {
					start := cpu()
					for b.Loop() {
						if err := form.read(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(cpu()-start)/float64(b.N*chunks)/1000, "cpu-µs/chunk")
				})
			}
		})
	}
}
