package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Header describes the array of a file.
type Header struct {
	Type    dtype.Type
	Order   dtype.Order // byte order; NoOrder if Type has none
	Fortran bool        // the first axis varies fastest
	Shape   []int       // empty for a scalar
}

// magic is the start of every file. The next two bytes are the version.
const magic = "\x93NUMPY"

// MaxHeader is the maximum length of a header in bytes. NumPy rejects more than 10 000 by default,
// but structured types with many fields may need more.
const MaxHeader = 1 << 20

// maxRank is NumPy's maximum number of axes.
const maxRank = 64

// ReadHeader reads the header of a file. Afterwards r is at the first byte of the elements.
func ReadHeader(r io.Reader) (Header, error) {
	var fixed [8]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return Header{}, short(err, "the file's first 8 bytes")
	}
	if string(fixed[:6]) != magic {
		return Header{}, fault.Newf(fault.Corrupt, "the file begins with %q, so it is not a .npy file", fixed[:6])
	}
	n, err := readLength(r, fixed[6], fixed[7])
	if err != nil {
		return Header{}, err
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return Header{}, short(err, "the .npy header")
	}
	if fixed[6] < 3 {
		letters := make([]rune, len(text))
		for i, b := range text {
			letters[i] = rune(b)
		}
		text = []byte(string(letters))
	}
	h, err := parse(string(text))
	if err != nil {
		return Header{}, fmt.Errorf(".npy header: %w", err)
	}
	return h, nil
}

// readLength reads the length of the header's text. The size of this number depends on the version.
func readLength(r io.Reader, major, minor byte) (int64, error) {
	var b [4]byte
	width := 4
	switch {
	case minor != 0 || major < 1 || major > 3:
		return 0, fault.Newf(errors.ErrUnsupported, "version %d.%d of .npy is not supported", major, minor)
	case major == 1:
		width = 2
	}
	if _, err := io.ReadFull(r, b[:width]); err != nil {
		return 0, short(err, "the length of the .npy header")
	}
	n := int64(binary.LittleEndian.Uint32(b[:]))
	if n > MaxHeader {
		return 0, fault.Newf(fault.Limit, "the .npy header has %d bytes, more than %d", n, MaxHeader)
	}
	return n, nil
}

// short converts an unexpected end of the file to fault.Corrupt. Other errors get the text of what
// as context.
func short(err error, what string) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.Newf(fault.Corrupt, "the .npy file ends within %s", what)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// parse parses the header's dictionary.
func parse(text string) (Header, error) {
	v, err := parseLiteral(text)
	if err != nil {
		return Header{}, err
	}
	d, ok := v.(dict)
	if !ok || len(d) != 3 {
		return Header{}, fault.Newf(fault.Corrupt, "the header is not a dictionary of descr, fortran_order and shape")
	}
	var h Header
	if h.Fortran, ok = d["fortran_order"].(bool); !ok {
		return Header{}, fault.Newf(fault.Corrupt, "fortran_order must be True or False")
	}
	if h.Shape, err = shapeOf(d["shape"]); err != nil {
		return Header{}, err
	}
	h.Type, h.Order, err = typeOf(d["descr"])
	return h, err
}

func shapeOf(v any) ([]int, error) {
	axes, ok := v.(tuple)
	if !ok {
		return nil, fault.Newf(fault.Corrupt, "shape is not a tuple")
	}
	if len(axes) > maxRank {
		return nil, fault.Newf(fault.Limit, "shape may have at most %d axes, has %d", maxRank, len(axes))
	}
	shape := make([]int, len(axes))
	for i, a := range axes {
		n, ok := a.(int64)
		if !ok || n < 0 {
			return nil, fault.Newf(fault.Corrupt, "shape must have integers of at least 0, has %v for axis %d", a, i)
		}
		if n > math.MaxInt {
			return nil, fault.Newf(fault.Limit, "the length of axis %d is out of range: %d", i, n)
		}
		shape[i] = int(n)
	}
	return shape, nil
}

// Elems returns the number of elements, which is 1 for a scalar. It returns fault.Limit if the
// number overflows an int64.
func (h Header) Elems() (int64, error) {
	if slices.Contains(h.Shape, 0) {
		return 0, nil
	}
	n := int64(1)
	for _, d := range h.Shape {
		if n > math.MaxInt64/int64(d) {
			return 0, fault.Newf(fault.Limit, "the number of elements of shape %v overflows int64", h.Shape)
		}
		n *= int64(d)
	}
	return n, nil
}

// Bytes returns the size of the elements in the file. It returns fault.Limit if the size overflows
// an int64.
func (h Header) Bytes() (int64, error) {
	n, err := h.Elems()
	if err != nil {
		return 0, err
	}
	size := int64(h.Type.Size())
	if size > 0 && n > math.MaxInt64/size {
		return 0, fault.Newf(fault.Limit, "the size of shape %v of %v in bytes overflows int64", h.Shape, h.Type)
	}
	return n * size, nil
}

// AppendHeader appends the header that numpy.save writes for the array. Any Order except Big is
// treated as Little.
func AppendHeader(dst []byte, h Header) ([]byte, error) {
	order := h.Order
	if order == dtype.NoOrder {
		order = dtype.Little
	}
	descr, err := appendDescr(nil, h.Type, order)
	if err != nil {
		return dst, err
	}
	var text bytes.Buffer
	fortran := "False"
	if h.Fortran {
		fortran = "True"
	}
	fmt.Fprintf(&text, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, fortran, tupleText(h.Shape))
	growth(&text, h)
	return frame(dst, text.Bytes()), nil
}

// tupleText formats a shape as Python does: (), (3,), (3, 4).
func tupleText(shape []int) string {
	parts := make([]string, len(shape))
	for i, d := range shape {
		parts[i] = fmt.Sprint(d)
	}
	if len(parts) == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// growth pads the text, as NumPy does. The padding allows a later writer to overwrite the length of
// the slowest axis with a number of up to 21 digits.
func growth(text *bytes.Buffer, h Header) {
	if len(h.Shape) == 0 {
		return
	}
	axis := h.Shape[0]
	if h.Fortran {
		axis = h.Shape[len(h.Shape)-1]
	}
	const digits = 21
	if n := digits - len(fmt.Sprint(axis)); n > 0 {
		text.WriteString(strings.Repeat(" ", n))
	}
}

// align is the alignment of the elements: headers are padded to a multiple of align bytes.
const align = 64

// frame appends a whole header: magic, version, the length of the text, the text, and padding.
func frame(dst, text []byte) []byte {
	version, width := byte(1), 2
	text, latin := latin1(text)
	fixed := len(magic) + 2 + width
	total := fixed + len(text) + 1
	padded := (total + align - 1) / align * align
	if padded-fixed > math.MaxUint16 || !latin {
		version, width = 2, 4
		if !latin {
			version = 3
		}
		fixed += 2
		total += 2
		padded = (total + align - 1) / align * align
	}
	dst = slices.Grow(dst, padded)
	dst = append(dst, magic...)
	dst = append(dst, version, 0)
	if width == 2 {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(padded-fixed))
	} else {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(padded-fixed))
	}
	dst = append(dst, text...)
	dst = append(dst, bytes.Repeat([]byte{' '}, padded-total)...)
	return append(dst, '\n')
}

// latin1 converts UTF-8 text to Latin-1, the encoding of headers before version 3.0. If a character
// is not in Latin-1, latin1 returns the text unchanged and false.
func latin1(text []byte) ([]byte, bool) {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r > 0xff {
			return text, false
		}
		out = append(out, byte(r))
	}
	return out, true
}
