package lzma

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Decode appends what src holds to dst. More than limit bytes, and anything in src that is no
// stream, are fault.Corrupt. Of the configuration only the format counts, and with Raw the filters.
// XZ and Alone may be several streams, one after the other; between those of XZ and behind them
// there may be zeros, four at a time. Where dst has room for the output nothing is allocated for
// that; bytes beyond its capacity are not touched.
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

var errBehind = errors.New("bytes behind the end")

// decodeRaw reads a stream that its filters are said of elsewhere. It gives what is behind.
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

// aloneHeader is a byte of properties, 4 with the dictionary's size, and 8 with the decoded size,
// all ones when a mark ends the stream.
const aloneHeader = 13

// decodeAlone reads one stream of the container alone. It gives what is behind.
func decodeAlone(o *output, src []byte) ([]byte, error) {
	if len(src) < aloneHeader {
		return nil, errCut
	}
	p, ok := propertiesOf(src[0])
	size := int64(binary.LittleEndian.Uint64(src[5:]))
	// liblzma takes only sizes below 256 GiB: others are other files.
	if !ok || size < -1 || size >= 1<<38 {
		return nil, errStart
	}
	if size > int64(math.MaxInt) {
		return nil, errLimit
	}
	o.start = o.n
	return decodeLZMA1(o, src[aloneHeader:], p, size)
}
