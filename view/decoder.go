package view

import (
	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// decoder decodes elements of one data type, in memory form.
type decoder interface {
	decode(c *cf.Coding, t dtype.Type, dst, src []byte) error
}

// decoderOf returns the decoder from a numeric data type to float32 or float64.
func decoderOf(from, to dtype.Type) decoder {
	if to == dtype.Float32 {
		return pick[float32](from)
	}
	return pick[float64](from)
}

func pick[D cf.Float](from dtype.Type) decoder {
	d, _ := numeric.Pick[decoder](from, decodes[D, int8]{}, decodes[D, int16]{}, decodes[D, int32]{}, decodes[D, int64]{},
		decodes[D, uint8]{}, decodes[D, uint16]{}, decodes[D, uint32]{}, decodes[D, uint64]{}, decodes[D, float32]{}, decodes[D, float64]{})
	return d
}

// decodes is the decoder from S to D. S is float32 for float16.
type decodes[D cf.Float, S cf.Number] struct{}

// step is the number of elements that are decoded at a time, which bounds the memory besides dst.
const step = 4096

func (decodes[D, S]) decode(c *cf.Coding, t dtype.Type, dst, src []byte) error {
	stored, values, missing := make([]S, step), make([]D, step), D(nan())
	size := len(dst) / max(len(src)/t.Size(), 1)
	for len(src) > 0 {
		n := min(step, len(src)/t.Size())
		part := src[:n*t.Size()]
		if t == dtype.Float16 {
			if err := dtype.Convert(t, stored[:n], part); err != nil {
				return err
			}
		} else {
			bytesview.Take(stored[:n], part)
		}
		if err := cf.Decode(c, values[:n], stored[:n]); err != nil {
			return err
		}
		for i, v := range values[:n] {
			if v != v { // with the bits of the fill value
				values[i] = missing
			}
		}
		bytesview.Put(dst, values[:n])
		dst, src = dst[n*size:], src[len(part):]
	}
	return nil
}
