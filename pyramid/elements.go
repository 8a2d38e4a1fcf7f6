package pyramid

import (
	"encoding/binary"
	"reflect"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// elements converts elements between their memory form and the Go type S.
type elements[S cf.Number] struct {
	size int
	get  func(dst []S, src []byte)
	put  func(dst []byte, src []S)
}

// plain returns the conversion of a type whose memory form is that of S.
func plain[S cf.Number]() elements[S] {
	size := int(reflect.TypeFor[S]().Size())
	return elements[S]{size, func(dst []S, src []byte) {
		if view, ok := bytesview.Of(dst); ok {
			copy(view, src)
			return
		}
		bytesview.Take(dst, src[:size*len(dst)])
	}, func(dst []byte, src []S) {
		if view, ok := bytesview.Of(src); ok {
			copy(dst, view)
			return
		}
		bytesview.Put(dst, src)
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
