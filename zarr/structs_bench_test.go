package zarr_test

import (
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// BenchmarkStructs reads one structure at a time, which measures the overhead of a call.
func BenchmarkStructs(b *testing.B) {
	type ten struct {
		A, B, C, D, E int32
		F, G, H, I, J float64
	}
	typ, err := dtype.Of[ten]()
	if err != nil {
		b.Fatal(err)
	}
	a, err := zarr.Create(b.Context(), mem.New(), "", zarr.Spec{Shape: []int{16}, DType: typ})
	if err != nil {
		b.Fatal(err)
	}
	all := make([]ten, 16)
	if err := zarr.Write(b.Context(), a, all); err != nil {
		b.Fatal(err)
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := zarr.ReadInto(b.Context(), a, all); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := zarr.Write(b.Context(), a, all); err != nil {
				b.Fatal(err)
			}
		}
	})
}
