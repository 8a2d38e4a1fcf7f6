package zfp

import (
	"encoding/json"
	"errors"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Name is the name of the codec of zarrs and of the registry.
const Name = "zfp"

// zarrsAddress is the start of URLs that zarrs reads as names.
const zarrsAddress = "https://codec.zarrs.dev/array_to_bytes/"

// Add returns a table with the codecs "zfp" and "numcodecs.zfpy", also under the other names that
// zarrs reads.
func Add(t *codec.Table) *codec.Table {
	t = t.With(Name, New).With("zarrs.zfp", New).With(zarrsAddress+"zfp", New)
	return t.With(NumcodecsName, NewNumcodecs).With(zarrsAddress+"zfpy", NewNumcodecs)
}

// New is the codec.Factory of "zfp". It returns a codec.ArrayBytes that cannot encode.
func New(config json.RawMessage, in codec.Repr) (any, error) {
	n, err := numberOf(in)
	if err != nil {
		return nil, err
	}
	m, err := parseMode(config, n)
	if err != nil {
		return nil, err
	}
	if _, err := in.Bytes(); err != nil {
		return nil, err
	}
	c := plain{number: n, shape: in.Shape, params: m.params}
	switch rank := len(in.Shape); {
	case rank == 0:
		c.shape = []int{1}
	case rank > 4:
		return nil, fault.Newf(errors.ErrUnsupported, "zfp of %d axes, more than 4", rank)
	}
	if m.fixed {
		c.params = fixedBits(rateBits(m.rate, 1<<(2*len(c.shape)), n))
		c.zarrs = fixedBits(rateBits(m.rate, zarrsValues, n))
	} else {
		c.zarrs = c.params
	}
	return c, nil
}

// zarrsValues is the number of values of a block of three axes. zarrs multiplies the rate by it for
// arrays of any shape.
const zarrsValues = 64

// plain is the codec "zfp": blocks without a header.
type plain struct {
	decoder
	number
	shape  []int
	params params // of the configuration
	zarrs  params // as zarrs derives them from the configuration
}

func (c plain) Decode(dst codec.Block, src []byte) error {
	p := c.params
	if fits(len(src), c.shape, c.zarrs) {
		p = c.zarrs
	}
	return decode(dst.Bytes, newReader(src), c.shape, c.number, p)
}

// fits reports whether n bytes is the length of a stream whose blocks have p.minbits each. Streams
// end with a word of 8 to 64 bits, depending on the writer.
func fits(n int, shape []int, p params) bool {
	bits := mul(blocksOf(shape), p.minbits)
	return uint64(n) >= bytesOf(bits) && uint64(n) <= (bits>>3+7)/8*8+8
}

func (c plain) Worst() int64 {
	return max(worst(c.shape, c.number, c.params.minbits), worst(c.shape, c.number, c.zarrs.minbits))
}

// MinEncoded returns the bytes of blocks of the minimum length.
func (c plain) MinEncoded() int64 {
	return limited(bytesOf(mul(blocksOf(c.shape), min(c.params.minbits, c.zarrs.minbits))))
}

// decoder has the methods of encoding of a codec that cannot encode.
type decoder struct{}

func (decoder) EncodedSize() int64 { return -1 }

func (decoder) Encode(dst []byte, _ codec.Block) ([]byte, error) { return dst, errEncode() }

func errEncode() error { return fault.Newf(errors.ErrUnsupported, "zfp can be decoded only") }
