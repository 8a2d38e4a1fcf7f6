package lzma

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Decode appends the content of src to dst. It returns fault.Corrupt if the content exceeds limit
// bytes or if src has bytes that are not part of a stream. Of the configuration it uses the format
// and, for Raw, the filters. XZ and Alone may have several consecutive streams. Streams of XZ may
// be followed by stream padding: zeros, in multiples of four. If dst has enough capacity, no memory
// is allocated for the output. Bytes beyond dst's capacity are not modified.
func Decode(c Config, dst, src []byte, limit int) ([]byte, error) {
	o := newOutput(dst, limit, len(src))
	err := decodeAll(c, o, src)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return dst, err
	case err != nil:
		return dst, fault.Newf(fault.Corrupt, "lzma: %v", err)
	}
	return o.bytes(), nil
}

func decodeAll(c Config, o *output, src []byte) (err error) {
	if c.Format == Raw {
		src, err = decodeRaw(c.Filters, o, src)
		if err == nil && len(src) > 0 {
			err = errBehind
		}
		return err
	}
	for first := true; first || len(src) > 0; first = false {
		switch {
		case c.Format != Alone && bytes.HasPrefix(src, magic):
			src, err = decodeXZ(o, src)
			for len(src) >= 4 && [4]byte(src) == [4]byte{} {
				src = src[4:]
			}
		case c.Format != XZ:
			src, err = decodeAlone(o, src)
		default:
			err = errStart
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errBehind = errors.New("bytes follow the stream")

// decodeRaw decodes a stream with the given filter chain and returns the bytes after it.
func decodeRaw(chain []Filter, o *output, src []byte) (rest []byte, err error) {
	from := o.n
	o.start = from
	last := chain[len(chain)-1]
	if last.ID == LZMA2 {
		rest, err = decodeLZMA2(o, src)
	} else {
		rest, err = decodeLZMA1(o, src, last.Coder.Properties, -1)
	}
	if err == nil {
		undo(chain, o.b[from:o.n])
	}
	return rest, err
}

// aloneHeader is the size of a .lzma header: a byte of properties, 4 bytes of dictionary size, and
// 8 bytes of decoded size. A decoded size with all bits set means that the stream has an end
// marker.
const aloneHeader = 13

// decodeAlone decodes one .lzma stream and returns the bytes after it.
func decodeAlone(o *output, src []byte) ([]byte, error) {
	if len(src) < aloneHeader {
		return nil, errCut
	}
	p, ok := propertiesOf(src[0])
	size := int64(binary.LittleEndian.Uint64(src[5:]))
	// Like liblzma, reject sizes of 256 GiB and more: the file is probably of another format.
	if !ok || size < -1 || size >= 1<<38 {
		return nil, errStart
	}
	if size > int64(math.MaxInt) {
		return nil, errLimit
	}
	o.start = o.n
	return decodeLZMA1(o, src[aloneHeader:], p, size)
}
