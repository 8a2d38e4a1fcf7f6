package pcodec

import (
	"errors"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// number is a number type of the format. Its latents are unsigned integers of the same width, in
// the order of the numbers.
type number struct {
	code  byte // in a file
	kind  kind
	width uint // in bits
	name  string
}

// kind is the kind of a number type. It determines how numbers map to latents.
type kind uint8

const (
	unsigned kind = iota
	signed
	float
)

var numbers = [...]number{
	{1, unsigned, 32, "uint32"},
	{2, unsigned, 64, "uint64"},
	{3, signed, 32, "int32"},
	{4, signed, 64, "int64"},
	{5, float, 32, "float32"},
	{6, float, 64, "float64"},
	{7, unsigned, 16, "uint16"},
	{8, signed, 16, "int16"},
	{9, float, 16, "float16"},
	{10, unsigned, 8, "uint8"},
	{11, signed, 8, "int8"},
}

// numberOf returns the number type of an array's elements. Times are int64, as in numcodecs. A
// complex number is two floats, as in zarrs.
func numberOf(in codec.Repr) (number, error) {
	name := in.Type.String()
	switch t := in.Type.(type) {
	case dtype.DateTime, dtype.TimeDelta:
		name = "int64"
	case dtype.Basic:
		switch t {
		case dtype.ComplexFloat16:
			name = "float16"
		case dtype.Complex64:
			name = "float32"
		case dtype.Complex128:
			name = "float64"
		}
	}
	for _, n := range numbers {
		if n.name == name {
			return n, nil
		}
	}
	return number{}, fault.Newf(errors.ErrUnsupported, "pco has no numbers of type %v", in.Type)
}

// numberName describes the code of a number type in an error.
func numberName(code byte) string {
	for _, n := range numbers {
		if n.code == code {
			return n.name
		}
	}
	return "an unknown type"
}

func (n number) size() int { return int(n.width / 8) }

// middle returns the latent in the middle of the range.
func middle(width uint) uint64 { return 1 << (width - 1) }

// maskOf returns the largest latent of width bits.
func maskOf(width uint) uint64 { return 1<<width - 1 }

// ordered returns the latent of a float from its bits. Positive floats get the sign bit. All bits
// of negative floats are inverted.
func ordered(bits uint64, width uint) uint64 {
	negative := -(bits >> (width - 1)) // all bits, or 0
	return bits ^ (middle(width) | negative&maskOf(width))
}

// unordered returns the bits of a float from its latent.
func unordered(latent uint64, width uint) uint64 {
	negative := latent>>(width-1) - 1 // all bits, or 0
	return latent ^ (middle(width) | negative&maskOf(width))
}
