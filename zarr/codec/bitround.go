package codec

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/bits"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// bitround keeps the highest bits of each number and rounds to nearest, ties to even. For floats it
// keeps the given number of bits of the fraction. For integers, which numcodecs does not support,
// it keeps that number of bits from the highest set bit down. It rounds bit patterns as integers,
// so a value near infinity or a NaN may become infinity. Decoding returns the rounded numbers
// unchanged.
type bitround struct {
	out      Repr
	keep     int
	unit     int // bytes of a number
	fraction int // bits of the fraction; 0 for integers
	big      bool
	refuse   error
}

func newBitRound(raw json.RawMessage, in Repr) (any, error) {
	return openBitRound(raw, in, 1)
}

// newNumcodecsBitRound accepts floats of 16, 32 and 64 bits. It returns an error if "keepbits" is
// larger than the number of bits of the fraction. The registry permits larger values, and zarrs
// then leaves the numbers unchanged.
func newNumcodecsBitRound(raw json.RawMessage, in Repr) (any, error) {
	c, err := openBitRound(raw, in, 0)
	if err != nil {
		return nil, err
	}
	b := c.(Either).Bytes.(bitroundBytes)
	if b.refuse != nil {
		return c, nil
	}
	switch in.Type {
	case dtype.Float16, dtype.Float32, dtype.Float64:
		if b.keep > b.fraction {
			b.refuse = fault.Newf(fault.Metadata, "\"keepbits\" is %d, more than the %d bits of the fraction of %v", b.keep, b.fraction, in.Type)
		}
	default:
		b.refuse = fault.Newf(fault.Metadata, "bit rounding of %v is not supported", in.Type)
	}
	return Either{Array: bitroundArray(b), Bytes: b}, nil
}

func openBitRound(raw json.RawMessage, in Repr, least int) (any, error) {
	c := openConfig(raw)
	if _, ok := c.members["keepbits"]; !ok {
		c.fail("\"keepbits\" is missing")
	}
	b := bitround{out: in, keep: c.integer("keepbits", 1, least, 1<<31-1), big: in.Order == dtype.Big}
	if err := c.close(); err != nil {
		return nil, err
	}
	if in.Type.Size() == 0 {
		return nil, fault.Newf(errors.ErrUnsupported, "bit rounding of %v is not supported", in.Type)
	}
	if b.unit, b.fraction = rounded(in.Type); b.unit == 0 {
		b.refuse = fault.Newf(errors.ErrUnsupported, "bit rounding of %v is not supported", in.Type)
	}
	return Either{Array: bitroundArray{b}, Bytes: bitroundBytes{b}}, nil
}

// rounded returns the size in bytes of each number in an element, and the number of bits of the
// fraction, 0 for integers. It returns zeros if the type cannot be rounded.
func rounded(t dtype.Type) (unit, fraction int) {
	switch t := t.(type) {
	case dtype.DateTime, dtype.TimeDelta:
		return 8, 0
	case dtype.Basic:
		switch t {
		case dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64:
			return t.Size(), 0
		case dtype.Float16, dtype.ComplexFloat16:
			return 2, 10
		case dtype.BFloat16, dtype.ComplexBFloat16:
			return 2, 7
		case dtype.Float32, dtype.Complex64:
			return 4, 23
		case dtype.Float64, dtype.Complex128:
			return 8, 52
		}
	}
	return 0, 0
}

// round rounds the numbers in buf in place.
func (b bitround) round(buf []byte) {
	if b.fraction > 0 && b.keep >= b.fraction {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b.big {
		order = binary.BigEndian
	}
	for ; len(buf) >= b.unit; buf = buf[b.unit:] {
		switch b.unit {
		case 1:
			buf[0] = byte(b.number(uint64(buf[0])))
		case 2:
			order.PutUint16(buf, uint16(b.number(uint64(order.Uint16(buf)))))
		case 4:
			order.PutUint32(buf, uint32(b.number(uint64(order.Uint32(buf)))))
		case 8:
			order.PutUint64(buf, b.number(order.Uint64(buf)))
		}
	}
}

// number rounds one number. If rounding would overflow an integer, it sets all kept bits instead.
func (b bitround) number(u uint64) uint64 {
	width := b.fraction
	if width == 0 {
		width = bits.Len64(u)
	}
	drop := width - b.keep
	if drop <= 0 {
		return u
	}
	mask := ^uint64(0) << drop
	v := u + u>>drop&1 + (1<<(drop-1) - 1)
	if most := ^uint64(0) >> (64 - 8*b.unit); b.fraction == 0 && (v < u || v > most) {
		v = most
	}
	return v & mask
}

type bitroundArray struct{ bitround }

func (b bitroundArray) Out() Repr { return b.out }

func (b bitroundArray) Encode(dst, src Block) error {
	if b.refuse != nil {
		return b.refuse
	}
	copy(dst.Bytes, src.Bytes)
	b.round(dst.Bytes)
	return nil
}

func (b bitroundArray) Decode(dst, src Block) error {
	copy(dst.Bytes, src.Bytes)
	return nil
}

func (bitroundArray) decodedAsIs() {}

type bitroundBytes struct{ bitround }

func (bitroundBytes) EncodedSize(n int64) int64 { return n }
func (bitroundBytes) Worst(n int64) int64       { return n }

func (b bitroundBytes) Encode(dst, src []byte) ([]byte, error) {
	switch {
	case b.refuse != nil:
		return dst, b.refuse
	case len(src)%b.unit != 0:
		return dst, fault.Newf(fault.Metadata, "%d bytes are not a multiple of %d, the size of a number in %v", len(src), b.unit, b.out.Type)
	}
	start := len(dst)
	dst = append(dst, src...)
	b.round(dst[start:])
	return dst, nil
}

func (bitroundBytes) DecodeView(src []byte) ([]byte, error) { return src, nil }

func (bitroundBytes) Decode(dst, src []byte, limit int) ([]byte, error) {
	if len(src) > limit {
		return dst, fault.Newf(fault.Corrupt, "decoded to %d bytes, want at most %d", len(src), limit)
	}
	return append(dst, src...), nil
}
