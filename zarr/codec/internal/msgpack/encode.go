package msgpack

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Options are options of Python's packer.
type Options struct {
	Single bool // use_single_float: write floats of 4 bytes
	// Old is the opposite of use_bin_type. It selects the old format, which writes bytes as text,
	// and never writes the length of a text in one byte after the type.
	Old bool
}

// Encode appends the value whose canonical text is canon. Every number and every length is encoded
// in its shortest form, as in Python's msgpack.
func (o Options) Encode(dst, canon []byte) ([]byte, error) {
	start := len(dst)
	dst, err := o.value(dst, canon)
	if err != nil {
		return dst[:start], err
	}
	return dst, nil
}

func (o Options) value(dst, canon []byte) ([]byte, error) {
	switch canon[0] {
	case 'n':
		return append(dst, 0xc0), nil
	case 'f':
		return append(dst, 0xc2), nil
	case 't':
		return append(dst, 0xc3), nil
	case '"':
		s, ok := jsontext.Unquote(canon)
		if !ok {
			return dst, fault.Newf(fault.Type, "text %.40s is not valid UTF-8", canon)
		}
		return o.text(dst, s)
	case '[':
		n := 0
		for range jsontext.List(canon) {
			n++
		}
		dst, err := head(dst, n, 0x90, 15, 0, 0xdc, 0xdd)
		for v := range jsontext.List(canon) {
			if err == nil {
				dst, err = o.value(dst, v)
			}
		}
		return dst, err
	case '{':
		return o.object(dst, canon)
	}
	return o.number(dst, string(canon))
}

func (o Options) object(dst, canon []byte) ([]byte, error) {
	if name, ok := jsontext.Float(canon); ok {
		f, err := strconv.ParseFloat(name, 64)
		return o.float(dst, f), err
	}
	if b, ok := jsontext.Bytes(canon); ok {
		if o.Old {
			return o.text(dst, string(b))
		}
		dst, err := head(dst, len(b), 0, -1, 0xc4, 0xc5, 0xc6)
		return append(dst, b...), err
	}
	n := 0
	for range jsontext.Object(canon) {
		n++
	}
	dst, err := head(dst, n, 0x80, 15, 0, 0xde, 0xdf)
	for name, v := range jsontext.Object(canon) {
		if err == nil {
			dst, err = o.value(dst, name)
		}
		if err == nil {
			dst, err = o.value(dst, v)
		}
	}
	return dst, err
}

func (o Options) text(dst []byte, s string) ([]byte, error) {
	one := byte(0xd9)
	if o.Old {
		one = 0
	}
	dst, err := head(dst, len(s), 0xa0, 31, one, 0xda, 0xdb)
	return append(dst, s...), err
}

// head appends a length n. If n is at most limit, the length is added to the byte code0. Otherwise
// the byte code1, code2 or code4 is followed by the length in 1, 2 or 4 bytes. code1 is 0 for types
// without a 1-byte length.
func head(dst []byte, n int, code0 byte, limit int, code1, code2, code4 byte) ([]byte, error) {
	switch {
	case n <= limit:
		return append(dst, code0|byte(n)), nil
	case n <= math.MaxUint8 && code1 != 0:
		return append(dst, code1, byte(n)), nil
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, code2), uint16(n)), nil
	case int64(n) <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, code4), uint32(n)), nil
	}
	return dst, fault.Newf(fault.Limit, "%d bytes or elements exceed the maximum length in MessagePack", n)
}

func (o Options) number(dst []byte, s string) ([]byte, error) {
	if strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return dst, fault.Newf(fault.Type, "%.40s is not a 64-bit number", s)
		}
		return o.float(dst, f), nil
	}
	if u, err := strconv.ParseUint(strings.TrimPrefix(s, "-"), 10, 64); err == nil && (u == 0 || s[0] != '-') {
		switch {
		case u <= 0x7f:
			return append(dst, byte(u)), nil
		case u <= math.MaxUint8:
			return append(dst, 0xcc, byte(u)), nil
		case u <= math.MaxUint16:
			return binary.BigEndian.AppendUint16(append(dst, 0xcd), uint16(u)), nil
		case u <= math.MaxUint32:
			return binary.BigEndian.AppendUint32(append(dst, 0xce), uint32(u)), nil
		}
		return binary.BigEndian.AppendUint64(append(dst, 0xcf), u), nil
	}
	i, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil:
		return dst, fault.Newf(fault.Type, "%.40s has more than 64 bits", s)
	case i >= -32:
		return append(dst, byte(i)), nil
	case i >= math.MinInt8:
		return append(dst, 0xd0, byte(i)), nil
	case i >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(dst, 0xd1), uint16(i)), nil
	case i >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(dst, 0xd2), uint32(i)), nil
	}
	return binary.BigEndian.AppendUint64(append(dst, 0xd3), uint64(i)), nil
}

func (o Options) float(dst []byte, f float64) []byte {
	if f != f {
		f = math.Float64frombits(0x7ff8 << 48) // Python's NaN
	}
	if o.Single {
		return binary.BigEndian.AppendUint32(append(dst, 0xca), math.Float32bits(float32(f)))
	}
	return binary.BigEndian.AppendUint64(append(dst, 0xcb), math.Float64bits(f))
}
