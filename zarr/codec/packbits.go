package codec

import (
	"encoding/json"
	"errors"
	"math"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// packbits is the codec "packbits" of the registry. It stores the same range of bits of each
// number. The ranges follow one another without gaps. Each range begins with its lowest bit, and
// each byte is filled from its lowest bit.
type packbits struct {
	in      Repr
	numbers int
	unit    int // bytes of a number
	first   int // index of the lowest bit stored
	each    int // number of bits stored per number
	signed  bool
	padding string
}

// These are the positions of the byte that contains the number of padding bits. The padding bits
// themselves are at the end of the last data byte.
const (
	padNone  = "none"
	padFirst = "first_byte"
	padLast  = "last_byte"
)

func newPackBits(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	c.dropNull("padding_encoding", "first_bit", "last_bit")
	p := &packbits{in: in, padding: c.text("padding_encoding", padNone, padNone, padFirst, padLast)}
	basic, ok := in.Type.(dtype.Basic)
	if !ok {
		return nil, fault.Newf(errors.ErrUnsupported, "bit packing of %v is not supported", in.Type)
	}
	parts, width := numberBits(basic)
	p.first = c.integer("first_bit", 0, 0, width-1)
	p.each = c.integer("last_bit", width-1, 0, width-1) - p.first + 1
	if err := c.close(); err != nil {
		return nil, err
	}
	if p.each < 1 {
		return nil, fault.Newf(fault.Metadata, "\"last_bit\" is below \"first_bit\"")
	}
	switch basic {
	case dtype.Int2, dtype.Int4, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64:
		p.signed = true
	}
	elems, err := in.Elems()
	if err != nil {
		return nil, err
	}
	if _, err := in.Bytes(); err != nil {
		return nil, err
	}
	p.unit = basic.Size() / parts
	if p.numbers = elems * parts; p.numbers > math.MaxInt/64 {
		return nil, fault.Newf(fault.Limit, "the number of bits of shape %v of %v overflows an int", in.Shape, in.Type)
	}
	return p, nil
}

// numberBits returns how many numbers an element has (two if it is complex), and the number of bits
// of each.
func numberBits(t dtype.Basic) (parts, width int) {
	parts = 1
	switch t {
	case dtype.Bool:
		return 1, 1
	case dtype.Int2, dtype.Uint2:
		return 1, 2
	case dtype.Int4, dtype.Uint4, dtype.Float4E2M1FN:
		return 1, 4
	case dtype.Float6E2M3FN, dtype.Float6E3M2FN:
		return 1, 6
	case dtype.ComplexFloat4E2M1FN:
		return 2, 4
	case dtype.ComplexFloat6E2M3FN, dtype.ComplexFloat6E3M2FN:
		return 2, 6
	case dtype.Complex64, dtype.Complex128, dtype.ComplexFloat16, dtype.ComplexBFloat16, dtype.ComplexFloat8E3M4, dtype.ComplexFloat8E4M3,
		dtype.ComplexFloat8E4M3B11FNUZ, dtype.ComplexFloat8E4M3FN, dtype.ComplexFloat8E4M3FNUZ, dtype.ComplexFloat8E5M2,
		dtype.ComplexFloat8E5M2FNUZ, dtype.ComplexFloat8E8M0FNU:
		parts = 2
	}
	return parts, 8 * t.Size() / parts
}

// packed returns the length in bytes of the packed numbers.
func (p *packbits) packed() int { return (p.numbers*p.each + 7) / 8 }

// spare returns the number of padding bits in the last data byte.
func (p *packbits) spare() byte { return byte(8*p.packed() - p.numbers*p.each) }

func (p *packbits) EncodedSize() int64 {
	if p.padding == padNone {
		return int64(p.packed())
	}
	return int64(p.packed()) + 1
}

func (p *packbits) Worst() int64 { return p.EncodedSize() }

func (p *packbits) Encode(dst []byte, src Block) ([]byte, error) {
	if k, ok := p.in.Type.(dtype.Checker); ok {
		if err := k.Check(src.Bytes); err != nil {
			return dst, err
		}
	}
	if p.padding == padFirst {
		dst = append(dst, p.spare())
	}
	dst, room := extend(dst, p.packed())
	clear(room)
	bit := 0
	for b := src.Bytes; len(b) > 0; b = b[p.unit:] {
		u := little(b[:p.unit]) >> p.first
		for left := p.each; left > 0; {
			n := min(8-bit%8, left)
			room[bit/8] |= byte(u&(1<<n-1)) << (bit % 8)
			u, left, bit = u>>n, left-n, bit+n
		}
	}
	if p.padding == padLast {
		dst = append(dst, p.spare())
	}
	return dst, nil
}

func (p *packbits) Decode(dst Block, src []byte) error {
	if int64(len(src)) != p.EncodedSize() {
		return fault.Newf(fault.Corrupt, "the chunk has %d bytes, want %d", len(src), p.EncodedSize())
	}
	said := p.spare()
	switch p.padding {
	case padFirst:
		said, src = src[0], src[1:]
	case padLast:
		said, src = src[len(src)-1], src[:len(src)-1]
	}
	if said != p.spare() {
		return fault.Newf(fault.Corrupt, "chunk declares %d bits of padding, want %d", said, p.spare())
	}
	bit := 0
	for b := dst.Bytes; len(b) > 0; b = b[p.unit:] {
		var u uint64
		for have := 0; have < p.each; {
			n := min(8-bit%8, p.each-have)
			u |= uint64(src[bit/8]>>(bit%8)&(1<<n-1)) << have
			have, bit = have+n, bit+n
		}
		if p.signed {
			shift := 64 - p.each
			u = uint64(int64(u<<shift) >> shift)
		}
		putLittle(b[:p.unit], u<<p.first)
	}
	p.in.Type.Canon(dst.Bytes)
	return nil
}

func little(b []byte) (u uint64) {
	for i, c := range b {
		u |= uint64(c) << (8 * i)
	}
	return u
}

func putLittle(b []byte, u uint64) {
	for i := range b {
		b[i] = byte(u >> (8 * i))
	}
}

// boolBits is numcodecs' "packbits". It stores the number of padding bits in one byte, followed by
// booleans as bits, from the highest bit of a byte down. The padding is at the end of the last
// byte. Before the array-to-bytes codec, its output is an array of bytes.
type boolBits struct{}

func newNumcodecsPackBits(raw json.RawMessage, in Repr) (any, error) {
	if err := openConfig(raw).close(); err != nil {
		return nil, err
	}
	e := Either{Bytes: boolBits{}}
	if in.Type == dtype.Bool {
		elems, err := in.Elems()
		if err != nil {
			return nil, err
		}
		out := in
		out.Shape, out.Type = []int{int(boolBits{}.EncodedSize(int64(elems)))}, dtype.Uint8
		e.Array = boolArray{out}
	}
	return e, nil
}

func (boolBits) EncodedSize(n int64) int64 {
	if n > math.MaxInt64-7 {
		return 1 + n/8
	}
	return 1 + (n+7)/8
}

func (b boolBits) Worst(n int64) int64 { return b.EncodedSize(n) }

func (b boolBits) Encode(dst, src []byte) ([]byte, error) {
	dst, room := extend(dst, int(b.EncodedSize(int64(len(src)))))
	b.pack(room, src)
	return dst, nil
}

func (boolBits) pack(dst, src []byte) {
	clear(dst)
	dst[0] = byte(-len(src) & 7)
	for i, v := range src {
		if v != 0 {
			dst[1+i/8] |= 0x80 >> (i % 8)
		}
	}
}

// length returns the number of booleans in src.
func (boolBits) length(src []byte) (int, error) {
	n := 8 * (len(src) - 1)
	if n < 0 || src[0] > 7 || int(src[0]) > n {
		return 0, fault.Newf(fault.Corrupt, "the padding of %d packed bytes is missing or invalid", len(src))
	}
	return n - int(src[0]), nil
}

func (boolBits) unpack(dst, src []byte) {
	for i := range dst {
		dst[i] = src[1+i/8] >> (7 - i%8) & 1
	}
}

func (b boolBits) Decode(dst, src []byte, limit int) ([]byte, error) {
	n, err := b.length(src)
	if err != nil {
		return dst, err
	}
	if n > limit {
		return dst, fault.Newf(fault.Corrupt, "decoded to %d Boolean values, want at most %d", n, limit)
	}
	dst, room := extend(dst, n)
	b.unpack(room, src)
	return dst, nil
}

// leaves returns the Repr of an array of bytes of unknown length.
func (boolBits) leaves(in Repr) Repr {
	in.Type, in.Order, in.Fill = dtype.Uint8, dtype.NoOrder, nil
	return in
}

type boolArray struct{ out Repr }

func (b boolArray) Out() Repr { return b.out }

func (boolArray) Encode(dst, src Block) error {
	boolBits{}.pack(dst.Bytes, src.Bytes)
	return nil
}

func (boolArray) Decode(dst, src Block) error {
	n, err := boolBits{}.length(src.Bytes)
	if err != nil {
		return err
	}
	if n != len(dst.Bytes) {
		return fault.Newf(fault.Corrupt, "decoded to %d Boolean values, want %d", n, len(dst.Bytes))
	}
	boolBits{}.unpack(dst.Bytes, src.Bytes)
	return nil
}
