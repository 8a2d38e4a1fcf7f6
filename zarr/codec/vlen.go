package codec

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// vlen is numcodecs' "vlen-utf8" or "vlen-bytes": the number of elements, then each element
// preceded by its length. All numbers are little-endian uint32.
type vlen struct {
	typ   dtype.VarLen
	elems int
}

func newVlen(typ dtype.VarLen) Factory {
	return func(raw json.RawMessage, in Repr) (any, error) {
		if err := openConfig(raw).close(); err != nil {
			return nil, err
		}
		if !dtype.Equal(in.Type, typ) {
			return nil, fault.Newf(fault.Metadata, "elements must be %v, are %v", typ, in.Type)
		}
		n, err := in.Elems()
		if err != nil {
			return nil, err
		}
		if int64(n) > math.MaxUint32 {
			return nil, fault.Newf(fault.Limit, "the chunk has %d elements, more than 2^32-1", n)
		}
		return &vlen{typ, n}, nil
	}
}

func (c *vlen) EncodedSize() int64 { return -1 }

// Worst returns the encoded length if all elements have the maximum size of 2^32-1 bytes.
func (c *vlen) Worst() int64 {
	const each = 4 + math.MaxUint32
	if int64(c.elems) > (math.MaxInt64-4)/each {
		return math.MaxInt64
	}
	return 4 + int64(c.elems)*each
}

// MinEncoded returns the encoded length if all elements are empty.
func (c *vlen) MinEncoded() int64 { return 4 + 4*int64(c.elems) }

func (c *vlen) DecodeItems(src []byte, do func(item []byte) error) error {
	return eachItem(src, c.elems, c.typ, do)
}

func (c *vlen) Encode(dst []byte, src Block) ([]byte, error) {
	return AppendItems(dst, src.Items, c.typ)
}

func (c *vlen) Decode(dst Block, src []byte) error {
	items, err := Items(dst.Items[:0], src, c.elems, c.typ)
	if err == nil && len(items) > 0 && &items[0] != &dst.Items[0] {
		copy(dst.Items, items)
	}
	return err
}

// AppendItems appends elements of varying length in the format of the codecs vlen-utf8 and
// vlen-bytes. It returns fault.Type if text is not valid UTF-8. It returns fault.Limit if an
// element has 2^32 bytes or more, or if there are 2^32 elements or more. On error it returns dst
// unchanged.
func AppendItems(dst []byte, items [][]byte, typ dtype.VarLen) ([]byte, error) {
	if int64(len(items)) > math.MaxUint32 {
		return dst, fault.Newf(fault.Limit, "there are %d elements, more than 2^32-1", len(items))
	}
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(items)))
	for i, b := range items {
		if int64(len(b)) > math.MaxUint32 {
			return dst[:start], fault.Newf(fault.Limit, "element %d has %d bytes, more than 2^32-1", i, len(b))
		}
		if typ == dtype.String && !utf8.Valid(b) {
			return dst[:start], fault.Newf(fault.Type, "element %d is not valid UTF-8", i)
		}
		dst = append(binary.LittleEndian.AppendUint32(dst, uint32(len(b))), b...)
	}
	return dst, nil
}

// Items appends the elements in src to dst. src must have n elements in the format of the codecs
// vlen-utf8 and vlen-bytes. The appended elements are slices of src. Items returns fault.Corrupt if
// src has another number of elements, an element exceeds src, bytes follow the last element, or
// text is not valid UTF-8.
func Items(dst [][]byte, src []byte, n int, typ dtype.VarLen) ([][]byte, error) {
	err := eachItem(src, n, typ, func(item []byte) error {
		dst = append(dst, item)
		return nil
	})
	return dst, err
}

// eachItem calls do with each of the n elements in src. The elements are slices of src.
func eachItem(src []byte, n int, typ dtype.VarLen, do func(item []byte) error) error {
	if len(src) < 4 {
		return fault.Newf(fault.Corrupt, "%d bytes are too few for the number of elements", len(src))
	}
	if have := binary.LittleEndian.Uint32(src); int64(have) != int64(n) {
		return fault.Newf(fault.Corrupt, "the stored number of elements is %d, want %d", have, n)
	}
	src = src[4:]
	if n > len(src)/4 {
		return fault.Newf(fault.Corrupt, "%d bytes are too few for %d elements", len(src), n)
	}
	for i := range n {
		if len(src) < 4 {
			return fault.Newf(fault.Corrupt, "the bytes end before element %d", i)
		}
		size := binary.LittleEndian.Uint32(src)
		if src = src[4:]; int64(size) > int64(len(src)) {
			return fault.Newf(fault.Corrupt, "element %d has %d bytes, but only %d remain", i, size, len(src))
		}
		item := src[:size:size]
		if typ == dtype.String && !utf8.Valid(item) {
			return fault.Newf(fault.Corrupt, "element %d is not valid UTF-8", i)
		}
		if err := do(item); err != nil {
			return err
		}
		src = src[size:]
	}
	if len(src) > 0 {
		return fault.Newf(fault.Corrupt, "%d bytes follow the last element", len(src))
	}
	return nil
}
