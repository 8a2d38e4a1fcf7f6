package pcodec

import (
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// kernel predicts a latent from the preceding ones: the sum of the bias and the weighted latents,
// at least 0, shifted right.
type kernel struct {
	weights []int64
	bias    int64
	shift   uint
	window  []uint64
}

// read reads the parameters. valid checks them.
func (k *kernel) read(r *reader) {
	k.shift = uint(r.bits(5))
	k.bias = int64(r.bits(64) ^ 1<<63)
	k.weights = k.weights[:0]
	for range r.bits(5) + 1 {
		k.weights = append(k.weights, int64(int32(uint32(r.bits(32))^1<<31)))
	}
}

// valid returns an error for latents of more than 32 bits, and for parameters that could overflow
// signed integers of twice their width.
func (k *kernel) valid(width uint) error {
	if width > 32 {
		return fault.Newf(fault.Corrupt, "pco convolution of latents of %d bits", width)
	}
	if k.shift > min(31, 2*width-1) {
		return fault.Newf(fault.Corrupt, "pco convolution shifts latents of %d bits by %d", width, k.shift)
	}
	sum := 0.0
	for _, w := range k.weights {
		sum += math.Abs(float64(w))
	}
	if most := math.Abs(float64(k.bias)) + math.Ldexp(sum, int(width)); most >= math.Ldexp(1, int(2*width-1)) {
		return fault.Newf(fault.Corrupt, "pco convolution of latents of %d bits can overflow", width)
	}
	return nil
}

// undo replaces differences by latents. state has the next latents, one for each weight.
func (k *kernel) undo(out, state []uint64, width uint) {
	mask, mid := maskOf(width), middle(width)
	order := len(state)
	w := append(append(k.window[:0], state...), out...)
	for i, d := range out {
		sum := k.bias
		for j, weight := range k.weights {
			sum += weight * int64(w[i+j])
		}
		w[i+order] = (d + mid + uint64(max(sum, 0)>>k.shift)) & mask
	}
	copy(out, w)
	copy(state, w[len(out):])
	k.window = w
}
