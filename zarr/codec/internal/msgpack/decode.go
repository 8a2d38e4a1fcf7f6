package msgpack

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Decode appends the JSON text of the single value in src. If raw is set, MessagePack text is
// decoded as bytes.
func Decode(dst, src []byte, raw bool) ([]byte, error) {
	start := len(dst)
	d := decoder{src: src, dst: dst, raw: raw}
	if err := d.value(0); err != nil {
		return dst[:start], err
	}
	if d.at < len(src) {
		return dst[:start], d.bad("bytes follow the value")
	}
	return d.dst, nil
}

type decoder struct {
	src []byte
	at  int
	dst []byte
	raw bool
}

func (d *decoder) bad(what string) error {
	return fault.Newf(fault.Corrupt, "MessagePack: %s at byte %d of %d", what, d.at, len(d.src))
}

// take returns the next n bytes.
func (d *decoder) take(n int) ([]byte, error) {
	if n > len(d.src)-d.at {
		return nil, d.bad("truncated value")
	}
	b := d.src[d.at : d.at+n : d.at+n]
	d.at += n
	return b, nil
}

// number reads a big-endian number of n bytes.
func (d *decoder) number(n int) (uint64, error) {
	b, err := d.take(n)
	if err != nil {
		return 0, err
	}
	var full [8]byte
	copy(full[8-n:], b)
	return binary.BigEndian.Uint64(full[:]), nil
}

func (d *decoder) value(depth int) error {
	head, err := d.take(1)
	if err != nil {
		return err
	}
	c := head[0]
	switch {
	case c <= 0x7f:
		d.dst = strconv.AppendUint(d.dst, uint64(c), 10)
	case c >= 0xe0:
		d.dst = strconv.AppendInt(d.dst, int64(int8(c)), 10)
	case c <= 0x8f:
		return d.object(uint64(c&15), depth)
	case c <= 0x9f:
		return d.list(uint64(c&15), depth)
	case c <= 0xbf:
		return d.text(uint64(c&31), d.raw)
	case c == 0xc0:
		d.dst = append(d.dst, "null"...)
	case c == 0xc2:
		d.dst = append(d.dst, "false"...)
	case c == 0xc3:
		d.dst = append(d.dst, "true"...)
	case c >= 0xc7 && c <= 0xc9 || c >= 0xd4 && c <= 0xd8:
		return fault.Newf(errors.ErrUnsupported, "MessagePack: extension type at byte %d is not supported", d.at-1)
	case c == 0xc1:
		return d.bad("invalid first byte of a value")
	default:
		return d.sized(c, depth)
	}
	return nil
}

// form describes the first byte of a value: the type of the value, and the size of the number that
// follows the byte.
type form struct {
	kind byte
	size int
}

// firstForm is the first byte that the first entry of "forms" describes.
const firstForm = 0xc4

var forms = [...]form{
	0xc4 - firstForm: {'b', 1}, 0xc5 - firstForm: {'b', 2}, 0xc6 - firstForm: {'b', 4},
	0xca - firstForm: {'f', 4}, 0xcb - firstForm: {'f', 8},
	0xcc - firstForm: {'u', 1}, 0xcd - firstForm: {'u', 2}, 0xce - firstForm: {'u', 4}, 0xcf - firstForm: {'u', 8},
	0xd0 - firstForm: {'i', 1}, 0xd1 - firstForm: {'i', 2}, 0xd2 - firstForm: {'i', 4}, 0xd3 - firstForm: {'i', 8},
	0xd9 - firstForm: {'s', 1}, 0xda - firstForm: {'s', 2}, 0xdb - firstForm: {'s', 4},
	0xdc - firstForm: {'l', 2}, 0xdd - firstForm: {'l', 4},
	0xde - firstForm: {'o', 2}, 0xdf - firstForm: {'o', 4},
}

// sized reads a value whose first byte is followed by a number of 1, 2, 4 or 8 bytes.
func (d *decoder) sized(c byte, depth int) error {
	form := forms[c-firstForm]
	n, err := d.number(form.size)
	if err != nil {
		return err
	}
	switch form.kind {
	case 'u':
		d.dst = strconv.AppendUint(d.dst, n, 10)
	case 'i':
		shift := 64 - 8*form.size
		d.dst = strconv.AppendInt(d.dst, int64(n<<shift)>>shift, 10)
	case 'f':
		f := math.Float64frombits(n)
		if form.size == 4 {
			f = float64(math.Float32frombits(uint32(n)))
		}
		d.dst = jsontext.AppendNumber(d.dst, f)
	case 's':
		return d.text(n, d.raw)
	case 'b':
		return d.text(n, true)
	case 'l':
		return d.list(n, depth)
	case 'o':
		return d.object(n, depth)
	}
	return nil
}

func (d *decoder) text(n uint64, asBytes bool) error {
	b, err := d.take(int(min(n, math.MaxInt32)))
	if err != nil {
		return err
	}
	if uint64(len(b)) != n {
		return d.bad("declared length is too large")
	}
	if asBytes {
		d.dst = jsontext.AppendBytes(d.dst, b)
		return nil
	}
	if !utf8.Valid(b) {
		return d.bad("text that is not valid UTF-8 ends")
	}
	d.dst = jsontext.AppendString(d.dst, b)
	return nil
}

func (d *decoder) deeper(depth int) error {
	if depth >= jsontext.MaxDepth {
		return fault.Newf(fault.Limit, "MessagePack: values are nested more than %d deep", jsontext.MaxDepth)
	}
	return nil
}

func (d *decoder) list(n uint64, depth int) error {
	if err := d.deeper(depth); err != nil {
		return err
	}
	d.dst = append(d.dst, '[')
	for i := range n {
		if i > 0 {
			d.dst = append(d.dst, ',')
		}
		if err := d.value(depth + 1); err != nil {
			return err
		}
	}
	d.dst = append(d.dst, ']')
	return nil
}

func (d *decoder) object(n uint64, depth int) error {
	if err := d.deeper(depth); err != nil {
		return err
	}
	start := len(d.dst)
	d.dst = append(d.dst, '{')
	for i := range n {
		if i > 0 {
			d.dst = append(d.dst, ',')
		}
		at := len(d.dst)
		if err := d.value(depth + 1); err != nil {
			return err
		}
		if d.dst[at] != '"' {
			return fault.Newf(errors.ErrUnsupported, "MessagePack: map key that ends at byte %d is not text", d.at)
		}
		d.dst = append(d.dst, ':')
		if err := d.value(depth + 1); err != nil {
			return err
		}
	}
	d.dst = append(d.dst, '}')
	_, float := jsontext.Float(d.dst[start:])
	_, bytes := jsontext.Bytes(d.dst[start:])
	if float || bytes {
		return fault.Newf(errors.ErrUnsupported, "MessagePack: map %.40s cannot be represented, because its text form has another meaning", d.dst[start:])
	}
	return nil
}
