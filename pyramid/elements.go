package pyramid

import (
	"encoding/binary"
	"math"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// elements converts elements between their memory form and the Go type S.
type elements[S cf.Number] struct {
	size int
	get  func(dst []S, src []byte)
	put  func(dst []byte, src []S)
}

// of1, of2, of4 and of8 return the conversion of integer types of 1 to 8 bytes.
func of1[S cf.Number]() elements[S] {
	return elements[S]{1, func(dst []S, src []byte) {
		for i, b := range src[:len(dst)] {
			dst[i] = S(b)
		}
	}, func(dst []byte, src []S) {
		for i, v := range src {
			dst[i] = byte(v)
		}
	}}
}

func of2[S cf.Number]() elements[S] {
	return elements[S]{2, func(dst []S, src []byte) {
		for i := range dst {
			dst[i] = S(binary.LittleEndian.Uint16(src[2*i:]))
		}
	}, func(dst []byte, src []S) {
		for i, v := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(v))
		}
	}}
}

func of4[S cf.Number]() elements[S] {
	return elements[S]{4, func(dst []S, src []byte) {
		for i := range dst {
			dst[i] = S(binary.LittleEndian.Uint32(src[4*i:]))
		}
	}, func(dst []byte, src []S) {
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(v))
		}
	}}
}

func of8[S cf.Number]() elements[S] {
	return elements[S]{8, func(dst []S, src []byte) {
		for i := range dst {
			dst[i] = S(binary.LittleEndian.Uint64(src[8*i:]))
		}
	}, func(dst []byte, src []S) {
		for i, v := range src {
			binary.LittleEndian.PutUint64(dst[8*i:], uint64(v))
		}
	}}
}

// small returns the conversion of a 2-byte floating-point type to float64. Means in float64 are
// rounded only once.
func small[F interface {
	~uint16
	dtype.SmallFloat
}]() elements[float64] {
	return elements[float64]{2, func(dst []float64, src []byte) {
		for i := range dst {
			dst[i] = float64(F(binary.LittleEndian.Uint16(src[2*i:])).Float32())
		}
	}, func(dst []byte, src []float64) {
		for i, v := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(dtype.Round[F](v)))
		}
	}}
}

func singles() elements[float32] {
	return elements[float32]{4, func(dst []float32, src []byte) {
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
		}
	}, func(dst []byte, src []float32) {
		for i, v := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
		}
	}}
}

func doubles() elements[float64] {
	return elements[float64]{8, func(dst []float64, src []byte) {
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
		}
	}, func(dst []byte, src []float64) {
		for i, v := range src {
			binary.LittleEndian.PutUint64(dst[8*i:], math.Float64bits(v))
		}
	}}
}
