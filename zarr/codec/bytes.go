package codec

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// rawBytes is the v3 core codec "bytes". It stores the elements in C order, in one byte order.
type rawBytes struct {
	typ   dtype.Type
	array stage
	order dtype.Order
	swap  func(b []byte) // converts between stored and memory form; nil if they are equal
	canon func(b []byte) // replaces invalid elements after swap; nil if all are valid
	fix   func(b []byte) // swap, then canon; nil if neither is needed

	// report is called if elements are not valid memory form. If report is nil, such elements are
	// accepted.
	report func(rule.Finding) error
}

// newBytes uses little-endian order if the elements have a byte order but the configuration omits
// "endian". The specification requires "endian" for such elements, and package meta reports that
// the setting is missing (rule.NoEndian). zarr-python before 3.4 uses the order of the machine,
// which is little-endian in practice. zarr-python 3.4 and TensorStore reject such metadata. The
// data type "structured" is written without an order.
func newBytes(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	endian := c.text("endian", "", "little", "big")
	if err := c.close(); err != nil {
		return nil, err
	}
	if in.Type.Size() == 0 {
		return nil, fault.Newf(fault.Metadata, "elements of %v have no fixed size", in.Type)
	}
	if s, ok := in.Type.(*dtype.Struct); ok && s.Formed() {
		return nil, fault.Newf(errors.ErrUnsupported, "elements of %v are stored by their own codec", in.Type)
	}
	array, err := stageOf(in)
	if err != nil {
		return nil, err
	}
	order := dtype.Little
	if endian == "big" {
		order = dtype.Big
	}
	b := &rawBytes{typ: in.Type, array: array, order: order, swap: dtype.Reorder(in.Type, order), canon: dtype.Canon(in.Type)}
	switch b.fix = b.swap; {
	case b.swap == nil:
		b.fix = b.canon
	case b.canon != nil:
		b.fix = func(p []byte) { b.swap(p); b.canon(p) }
	}
	return b, nil
}

func (c *rawBytes) setReport(report func(rule.Finding) error) { c.report = report }

func (c *rawBytes) EncodedSize() int64 { return int64(c.array.bytes) }
func (c *rawBytes) Worst() int64       { return int64(c.array.bytes) }

func (c *rawBytes) Encode(dst []byte, src Block) ([]byte, error) {
	if err := c.check(src.Bytes); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = append(dst, src.Bytes...)
	if c.swap != nil {
		c.swap(dst[start:])
	}
	return dst, nil
}

// EncodeFrom appends the elements of src, in any layout.
func (c *rawBytes) EncodeFrom(dst []byte, src Strided, _ *Scratch) ([]byte, error) {
	checked := c.isChecked()
	swap := c.swap
	if checked {
		swap = nil // swapped after the check
	}
	out, room := extend(dst, c.array.bytes)
	var m move
	m.toChunk(src, c.array.shape)
	m.bytes(room, src.Bytes, src.Size, swap)
	if !checked {
		return out, nil
	}
	if err := c.check(room); err != nil {
		return dst, err
	}
	if c.swap != nil {
		c.swap(room)
	}
	return out, nil
}

// isChecked reports whether the type has byte patterns that are not valid memory form.
func (c *rawBytes) isChecked() bool {
	if b, ok := c.typ.(dtype.Basic); ok {
		return dtype.Canon(b) != nil // all patterns of numbers are valid
	}
	_, ok := c.typ.(dtype.Checker)
	return ok
}

// check returns an error if elements are not valid memory form, because the meaning of such
// elements is undefined.
func (c *rawBytes) check(b []byte) error {
	if k, ok := c.typ.(dtype.Checker); ok {
		return k.Check(b)
	}
	return nil
}

// plain returns the bytes of src and reports whether they are equal to the encoded form of src.
func (c *rawBytes) plain(src Block) ([]byte, bool) {
	return src.Bytes, c.swap == nil && c.check(src.Bytes) == nil
}

func (c *rawBytes) Decode(dst Block, src []byte) error {
	if err := c.fits(src); err != nil {
		return err
	}
	copy(dst.Bytes, src)
	return c.DecodeInPlace(dst.Bytes)
}

func (c *rawBytes) fits(src []byte) error {
	if len(src) != c.array.bytes {
		return fault.Newf(fault.Corrupt, "the chunk has %d bytes, want %d", len(src), c.array.bytes)
	}
	return nil
}

func (c *rawBytes) EncodeInPlace(b []byte) error {
	if err := c.check(b); err != nil {
		return err
	}
	if c.swap != nil {
		c.swap(b)
	}
	return nil
}

func (c *rawBytes) DecodeInPlace(b []byte) error {
	if c.swap != nil {
		c.swap(b)
	}
	if c.report != nil {
		if err := c.check(b); err != nil {
			if err := c.report(rule.Finding{Rule: rule.ElementForm, Text: strings.TrimPrefix(err.Error(), fault.Type.Error()+": ")}); err != nil {
				return err
			}
		}
	}
	if c.canon != nil {
		c.canon(b)
	}
	return nil
}

// isValidated reports whether decoding must validate every element of a chunk.
func (c *rawBytes) isValidated() bool { return c.report != nil && c.isChecked() }

// DecodeTo copies rows of elements to their positions and converts them to memory form in place.
func (c *rawBytes) DecodeTo(dst Strided, src []byte, _ *Scratch) error {
	if err := c.fits(src); err != nil {
		return err
	}
	var m move
	m.fromChunk(dst, c.array.shape)
	m.bytes(dst.Bytes, src, dst.Size, c.fix)
	return nil
}

// settle converts the elements of a box to memory form in place.
func (c *rawBytes) settle(dst Strided) {
	if c.fix == nil {
		return
	}
	var m move
	m.over(dst)
	m.each(dst.Size, func(at, n int) { c.fix(dst.Bytes[at : at+n]) })
}
