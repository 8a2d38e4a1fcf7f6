package pcodec

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Name is the name of the codec in the v3 metadata of zarr-python and zarrs. ShortName is another
// name for reading. v2 metadata has the id "pcodec".
const (
	Name      = "numcodecs.pcodec"
	ShortName = "pcodec"
)

// zarrsName is another name that zarrs reads.
const zarrsName = "https://codec.zarrs.dev/array_to_bytes/pcodec"

// Add returns a table with the codec, under all its names.
func Add(t *codec.Table) *codec.Table {
	return t.With(Name, New).With(ShortName, New).With(zarrsName, New)
}

// Level returns the Spec of the codec with a level from 0 to 12. It is about the base-2 logarithm
// of the maximum number of bins. numcodecs' default is 8.
func Level(level int) codec.Spec {
	return codec.Spec{Name: Name, Config: fmt.Appendf(nil, `{"level":%d}`, level)}
}

// New is the codec.Factory of the codec. It returns a codec.Either of an array-to-bytes codec and a
// bytes-to-bytes codec, or the latter alone if elements have a byte order, as after "bytes".
func New(config json.RawMessage, in codec.Repr) (any, error) {
	o, unused, err := parseOptions(config)
	if err != nil {
		return nil, err
	}
	n, err := numberOf(in)
	if err != nil {
		return nil, err
	}
	c := &coder{number: n, options: o, unused: unused}
	switch in.Order {
	case dtype.Big:
		return nil, fault.Newf(errors.ErrUnsupported, "pco of big-endian elements")
	case dtype.Little:
		return bytesCodec{c}, nil
	}
	size, err := in.Bytes()
	return codec.Either{Serial: arrayCodec{c, size}, Bytes: bytesCodec{c}}, err
}

// coder encodes and decodes files of one number type.
type coder struct {
	number   number
	options  options
	unused   error // why options cannot be used, or nil
	decoders sync.Pool
	encoders sync.Pool
}

// CannotEncode returns the error of the encoder's settings.
func (c *coder) CannotEncode() error { return c.unused }

func (c *coder) decode(dst, src []byte, limit int) ([]byte, error) {
	d, ok := c.decoders.Get().(*decoder)
	if !ok {
		d = &decoder{}
	}
	defer c.decoders.Put(d)
	defer d.trim()
	return d.decode(dst, src, c.number, limit)
}

func (c *coder) encode(dst, src []byte) ([]byte, error) {
	if len(src)%c.number.size() != 0 {
		return dst, fault.Newf(fault.Metadata, "%d bytes are not a whole number of %s", len(src), c.number.name)
	}
	e, ok := c.encoders.Get().(*encoder)
	if !ok {
		e = newEncoder()
	}
	defer c.encoders.Put(e)
	return e.encode(dst, src, c.number, c.options), nil
}

// worst allows for files of tiny chunks.
func worst(n int64) int64 {
	if n > (math.MaxInt64-1<<16)/4 {
		return math.MaxInt64
	}
	return 4*n + 1<<16
}

// bytesCodec is the codec after "bytes".
type bytesCodec struct{ *coder }

func (bytesCodec) EncodedSize(int64) int64 { return -1 }

func (bytesCodec) Worst(n int64) int64 { return worst(n) }

// Typical allows for 64 bytes for each chunk of pco's default of 2^18 numbers.
func (bytesCodec) Typical(n int64) int64 { return min(n, math.MaxInt64/2) + n>>12 + 1<<10 }

func (c bytesCodec) Encode(dst, src []byte) ([]byte, error) { return c.encode(dst, src) }

func (c bytesCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	return c.decode(dst, src, limit)
}

// arrayCodec is the codec of an array of size bytes.
type arrayCodec struct {
	*coder
	size int
}

func (arrayCodec) EncodedSize() int64 { return -1 }

func (c arrayCodec) Worst() int64 { return worst(int64(c.size)) }

func (c arrayCodec) Encode(dst []byte, src codec.Block) ([]byte, error) {
	return c.encode(dst, src.Bytes)
}

func (c arrayCodec) Decode(dst codec.Block, src []byte) error {
	out, err := c.decode(dst.Bytes[:0:len(dst.Bytes)], src, len(dst.Bytes))
	if err == nil && len(out) != len(dst.Bytes) {
		err = fault.Newf(fault.Corrupt, "decoded to %d bytes, want %d", len(out), len(dst.Bytes))
	}
	return err
}
