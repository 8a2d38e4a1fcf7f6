package pcodec_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// field returns n noisy float32 or float64 numbers along a wave.
func field(n, size int) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, 0, n*size)
	for i := range n {
		v := 15 + 10*math.Sin(float64(i)/700) + r.NormFloat64()
		if size == 4 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// steps returns n int32 numbers of a random walk.
func steps(n int) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	b, v := make([]byte, 0, 4*n), int32(0)
	for range n {
		v += int32(r.NormFloat64() * 20)
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

type benchmark struct {
	name string
	typ  dtype.Type
	src  []byte
}

func benchmarks() []benchmark {
	return []benchmark{
		{"data=field/type=float32", dtype.Float32, field(1<<18, 4)},
		{"data=field/type=float64", dtype.Float64, field(1<<18, 8)},
		{"data=walk/type=int32", dtype.Int32, steps(1 << 18)},
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, bb := range benchmarks() {
		b.Run(bb.name, func(b *testing.B) {
			c := chain(b, bb.typ, len(bb.src), `{}`)
			stored, err := c.Encode(nil, codec.Block{Bytes: bb.src}, nil)
			if err != nil {
				b.Fatal(err)
			}
			dst := codec.Block{Bytes: make([]byte, len(bb.src))}
			b.SetBytes(int64(len(bb.src)))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Decode(dst, stored, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, bb := range benchmarks() {
		b.Run(bb.name, func(b *testing.B) {
			c := chain(b, bb.typ, len(bb.src), `{}`)
			b.SetBytes(int64(len(bb.src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Encode(nil, codec.Block{Bytes: bb.src}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
