package zarr_test

import (
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// BenchmarkTexts writes and reads 2^20 texts of about ten bytes, in chunks of 2^16.
func BenchmarkTexts(b *testing.B) {
	const n = 1 << 20
	a, err := zarr.Create(b.Context(), mem.New(), "a", zarr.Spec{Shape: []int{n}, Chunks: []int{1 << 16}, DType: dtype.String, Codecs: []codec.Spec{codec.Zstd(1)}})
	if err != nil {
		b.Fatal(err)
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	b.Run("op=write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := zarr.Write(b.Context(), a, texts); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, read := range map[string]func() error{
		"op=read":  func() error { _, err := zarr.Read[string](b.Context(), a); return err },
		"op=items": func() error { _, err := a.ReadItems(b.Context()); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkNumbers reads 16 MiB of uncompressed numbers in 256 chunks, and in shards.
func BenchmarkNumbers(b *testing.B) {
	for name, spec := range map[string]zarr.Spec{
		"layout=chunks": {Chunks: []int{1 << 14}},
		"layout=shards": {Chunks: []int{1 << 14}, Shards: []int{1 << 18}},
	} {
		spec.Shape, spec.DType, spec.Codecs = []int{1 << 22}, dtype.Float32, []codec.Spec{codec.Bytes(dtype.Little)}
		a, err := zarr.Create(b.Context(), mem.New(), "a", spec)
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]float32, 1<<22)
		for i := range dst {
			dst[i] = float32(i)
		}
		if err := zarr.Write(b.Context(), a, dst); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(4 << 22)
			for b.Loop() {
				if err := zarr.ReadInto(b.Context(), a, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
