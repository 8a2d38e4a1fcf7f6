package zfp

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// NumcodecsName is the name of numcodecs' codec in v3 metadata. Its id in v2 metadata is "zfpy".
const NumcodecsName = "numcodecs.zfpy"

// NewNumcodecs is the codec.Factory of "numcodecs.zfpy". It returns a codec.Either of an
// array-to-bytes codec and a bytes-to-bytes codec, or the latter alone if elements have a byte
// order, as after "bytes". The codecs cannot encode.
func NewNumcodecs(config json.RawMessage, in codec.Repr) (any, error) {
	rate, err := parseNumcodecs(config)
	if err != nil {
		return nil, err
	}
	n, err := numberOf(in)
	if err != nil {
		return nil, err
	}
	if in.Order == dtype.Big {
		return nil, fault.Newf(errors.ErrUnsupported, "zfp of big-endian elements")
	}
	size, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	c := headed{n, in.Shape, []int{size / n.size}, size, rate}
	if in.Order == dtype.Little {
		return bytesCodec{c}, nil
	}
	return codec.Either{Serial: arrayCodec{headed: c}, Bytes: bytesCodec{c}}, nil
}

// headed decodes streams with a header.
type headed struct {
	number
	shape []int
	flat  []int   // one axis with all elements
	size  int     // of the array, in bytes
	rate  float64 // of the configuration, or 0
}

// start reads the header of a stream. It returns fault.Corrupt unless the type is that of the
// array, the shape is that of the array or flat, and the stream is long enough for its blocks.
func (c headed) start(src []byte) (reader, header, error) {
	r := newReader(src)
	h, err := readHeader(&r)
	switch {
	case err != nil:
		return r, h, err
	case h.code != c.code:
		return r, h, fault.Newf(fault.Corrupt, "a zfp stream of %s, want %s", numbers[h.code].name, numbers[c.code].name)
	case !slices.Equal(h.shape, c.shape) && !slices.Equal(h.shape, c.flat):
		return r, h, fault.Newf(fault.Corrupt, "a zfp stream of the shape %v, want %v", h.shape, c.shape)
	case mul(blocksOf(h.shape), h.minbits) > r.end-min(r.pos, r.end):
		return r, h, fault.Newf(fault.Corrupt, "%d bytes for %d zfp blocks of at least %d bits", len(src), blocksOf(h.shape), h.minbits)
	}
	return r, h, nil
}

// typical returns a length in bytes that streams rarely exceed.
func (c headed) typical() int64 { return min(c.worst(), int64(c.size)+int64(c.size)>>3+1<<10) }

// worst returns the length in bytes of the longest stream with either shape. It allows for the
// blocks of zarrs.
func (c headed) worst() int64 {
	bits := rateBits(c.rate, zarrsValues, c.number)
	n := worst(c.flat, c.number, bits)
	if rank := len(c.shape); rank > 0 && rank <= 4 {
		n = max(n, worst(c.shape, c.number, max(bits, rateBits(c.rate, 1<<(2*rank), c.number))))
	}
	return n
}

// arrayCodec is the codec of an array.
type arrayCodec struct {
	decoder
	headed
}

func (c arrayCodec) Worst() int64 { return c.worst() }

// MinEncoded returns the bytes of the shortest header and of one bit for each block.
func (c arrayCodec) MinEncoded() int64 {
	blocks := blocksOf(c.flat)
	if rank := len(c.shape); rank > 0 && rank <= 4 {
		blocks = min(blocks, blocksOf(c.shape))
	}
	return limited(12 + bytesOf(blocks))
}

func (c arrayCodec) Decode(dst codec.Block, src []byte) error {
	r, h, err := c.start(src)
	if err != nil {
		return err
	}
	return decode(dst.Bytes, r, h.shape, c.number, h.params)
}

// bytesCodec is the codec after "bytes".
type bytesCodec struct{ headed }

func (bytesCodec) EncodedSize(int64) int64 { return -1 }

func (c bytesCodec) Worst(int64) int64 { return c.worst() }

func (c bytesCodec) Typical(int64) int64 { return c.typical() }

func (bytesCodec) Encode(dst, _ []byte) ([]byte, error) { return dst, errEncode() }

func (c bytesCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	r, h, err := c.start(src)
	if err != nil {
		return dst, err
	}
	if c.size > limit {
		return dst, fault.Newf(fault.Corrupt, "decoded to %d bytes, want at most %d", c.size, limit)
	}
	n := len(dst)
	dst = slices.Grow(dst, c.size)[:n+c.size]
	if err := decode(dst[n:], r, h.shape, c.number, h.params); err != nil {
		return dst[:n], err
	}
	return dst, nil
}
