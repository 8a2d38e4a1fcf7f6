package cf_test

import (
	"testing"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// BenchmarkDecode decodes 64 Ki elements.
func BenchmarkDecode(b *testing.B) {
	src := make([]int16, 1<<16)
	for i := range src {
		src[i] = int16(i * 7)
	}
	for name, attrs := range map[string]map[string]any{
		"packed":         {"scale_factor": 0.01, "add_offset": 273.15},
		"packed missing": {"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": -32768.0},
		"missing":        {"_FillValue": -32768.0},
	} {
		c, err := cf.New(cf.Variable{Name: "v", Type: dtype.Int16, Attrs: attrs}, cf.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/float32", func(b *testing.B) { decodes[float32](b, c, src) })
		b.Run(name+"/float64", func(b *testing.B) { decodes[float64](b, c, src) })
	}
}

func decodes[D cf.Float](b *testing.B, c *cf.Coding, src []int16) {
	dst := make([]D, len(src))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if err := cf.Decode(c, dst, src); err != nil {
			b.Fatal(err)
		}
	}
}
