package zfp

import (
	"encoding/binary"
	"errors"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// number is a number type of an array. The format has four types. Integers of 8 and 16 bits are
// stored in the high bits of int32. uint32 and uint64 are stored as int32 and int64; larger values
// are stored as the maximum of these.
type number struct {
	name  string
	size  int  // bytes of an element
	code  byte // of the stored type in a header, from 0
	wide  bool // stored in 64 bits
	float bool
	shift uint  // of an integer of 8 or 16 bits in int32
	bias  int32 // added after the shift; 0 if the type is signed
	top   int32 // the maximum of an integer of 8 or 16 bits
}

// Codes of the stored types.
const (
	codeInt32 = iota
	codeInt64
	codeFloat32
	codeFloat64
)

var numbers = [...]number{
	{name: "int32", size: 4, code: codeInt32},
	{name: "int64", size: 8, code: codeInt64, wide: true},
	{name: "float32", size: 4, code: codeFloat32, float: true},
	{name: "float64", size: 8, code: codeFloat64, wide: true, float: true},
	{name: "int8", size: 1, code: codeInt32, shift: 23, top: 1<<7 - 1},
	{name: "uint8", size: 1, code: codeInt32, shift: 23, bias: 1 << 7, top: 1<<8 - 1},
	{name: "int16", size: 2, code: codeInt32, shift: 15, top: 1<<15 - 1},
	{name: "uint16", size: 2, code: codeInt32, shift: 15, bias: 1 << 15, top: 1<<16 - 1},
	{name: "uint32", size: 4, code: codeInt32},
	{name: "uint64", size: 8, code: codeInt64, wide: true},
}

// numberOf returns the number type of an array's elements. Times are int64, as in numcodecs.
func numberOf(in codec.Repr) (number, error) {
	name := in.Type.String()
	switch in.Type.(type) {
	case dtype.DateTime, dtype.TimeDelta:
		name = "int64"
	}
	for _, n := range numbers {
		if n.name == name {
			return n, nil
		}
	}
	return number{}, fault.Newf(errors.ErrUnsupported, "zfp has no numbers of type %v", in.Type)
}

// width returns the bits of a stored number.
func (n number) width() uint {
	if n.wide {
		return 64
	}
	return 32
}

// ebits returns the bits of the exponent of a float.
func (n number) ebits() uint {
	if n.wide {
		return 11
	}
	return 8
}

// put32 returns a function that writes elements to dst. A row has the bits of stored numbers of 32
// bits.
func (n number) put32() func(dst []byte, row []uint32) {
	switch {
	case n.name == "uint32":
		return func(dst []byte, row []uint32) {
			for i, v := range row {
				binary.LittleEndian.PutUint32(dst[4*i:], uint32(max(int32(v), 0)))
			}
		}
	case n.size == 1:
		return func(dst []byte, row []uint32) {
			for i, v := range row {
				dst[i] = byte(n.narrow(v))
			}
		}
	case n.size == 2:
		return func(dst []byte, row []uint32) {
			for i, v := range row {
				binary.LittleEndian.PutUint16(dst[2*i:], uint16(n.narrow(v)))
			}
		}
	}
	return func(dst []byte, row []uint32) {
		for i, v := range row {
			binary.LittleEndian.PutUint32(dst[4*i:], v)
		}
	}
}

// narrow returns the integer of 8 or 16 bits that v stores, limited to the range of its type.
func (n number) narrow(v uint32) int32 {
	least := int32(0)
	if n.bias == 0 {
		least = -n.top - 1
	}
	return min(max(int32(v)>>n.shift+n.bias, least), n.top)
}

// put64 is put32 for 64 bits.
func (n number) put64() func(dst []byte, row []uint64) {
	if n.name == "uint64" {
		return func(dst []byte, row []uint64) {
			for i, v := range row {
				binary.LittleEndian.PutUint64(dst[8*i:], uint64(max(int64(v), 0)))
			}
		}
	}
	return func(dst []byte, row []uint64) {
		for i, v := range row {
			binary.LittleEndian.PutUint64(dst[8*i:], v)
		}
	}
}
