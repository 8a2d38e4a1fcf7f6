package codec

import (
	"cmp"

	"github.com/zargo-io/zargo/zarr/codec/blosc"
	"github.com/zargo-io/zargo/zarr/internal/lzma"
)

// DecodeOnly is implemented by a codec that decodes although its configuration has an invalid
// setting of the encoder. Other programs store such settings, and readers do not use them. An array
// with such a codec can be read. It cannot be created, and writes of its chunks fail.
type DecodeOnly interface {
	// CannotEncode returns the reason why the codec cannot encode, or nil if it can.
	CannotEncode() error
}

// CannotEncode returns the error of the first codec that can only decode, or nil. [Chain.Encode]
// returns this error.
func (c *Chain) CannotEncode() error { return c.reads }

// unusable returns the reason why a codec cannot encode, or nil.
func unusable(codec any) error {
	if d, ok := codec.(DecodeOnly); ok {
		return d.CannotEncode()
	}
	return nil
}

// settings is embedded in codecs that implement DecodeOnly.
type settings struct{ bad error }

// CannotEncode returns the error of the encoder's settings.
func (s settings) CannotEncode() error { return s.bad }

// encoder calls read, which reads settings that only an encoder uses. If one of them is invalid, it
// gets its default, and c.unused is the error. Such settings may also be null.
func (c *config) encoder(read func()) {
	was := c.err
	c.err = nil
	read()
	if c.unused == nil {
		c.unused = c.err
	}
	c.err = was
}

func (c *config) settings() settings { return settings{c.unused} }

// CannotEncode returns the error of the first codec of inner chunks or of the index that can only
// decode.
func (s *sharding) CannotEncode() error { return cmp.Or(s.inner.reads, s.index.reads) }

// inputLimit is implemented by a BytesBytes codec whose format cannot contain longer inputs. Longer
// chunks cannot be encoded.
type inputLimit interface {
	// maxInput returns the maximum number of bytes.
	maxInput() int64
}

func (*bloscCodec) maxInput() int64 { return blosc.MaxSize }
func (lz4Codec) maxInput() int64    { return maxLZ4 }
func (*lzmaCodec) maxInput() int64  { return lzma.MaxInput }
