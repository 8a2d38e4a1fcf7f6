package codec

import (
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Field reads one field of structured elements as an array. The axes of that array are the axes of
// the array of structures, followed by those of the field.
type Field struct {
	Name string // name of the codec that Factory makes

	of      *dtype.Struct
	fill    []byte // fill value of the field in memory form; nil if undefined
	field   dtype.Field
	strides []int // bytes between the field's values in an element, along its axes
	offsets []int // offsets of all values of the field within an element
}

// NewField looks up a field by its path: a field name, then names of nested fields, as in
// [dtype.Struct.Lookup]. ok is false if the structure has no such field. fill is the fill value of
// the structure, or nil.
func NewField(of *dtype.Struct, fill []byte, path ...string) (f *Field, ok bool) {
	found, strides, ok := of.Lookup(path...)
	if !ok {
		return nil, false
	}
	f = &Field{Name: "zargo.field", of: of, fill: fill, field: found, strides: strides, offsets: []int{found.Offset}}
	for k, n := range found.Shape {
		next := make([]int, 0, n*len(f.offsets))
		for _, at := range f.offsets {
			for i := range n {
				next = append(next, at+i*strides[k])
			}
		}
		f.offsets = next
	}
	return f, true
}

// Type returns the data type of the field's values.
func (f *Field) Type() dtype.Type { return f.field.Type }

// Shape returns the shape of the field within an element. The caller owns the slice.
func (f *Field) Shape() []int { return slices.Clone(f.field.Shape) }

// Extract sets dst to the field's values in elems, which holds whole structures.
func (f *Field) Extract(dst, elems []byte) {
	n := f.field.Type.Size()
	for ; len(elems) >= f.of.Size(); elems = elems[f.of.Size():] {
		for _, at := range f.offsets {
			copy(dst[:n], elems[at:])
			dst = dst[n:]
		}
	}
}

// Insert sets the field's values in elems to src. elems holds whole structures. Insert does not
// modify their other fields.
func (f *Field) Insert(elems, src []byte) {
	n := f.field.Type.Size()
	for ; len(elems) >= f.of.Size(); elems = elems[f.of.Size():] {
		for _, at := range f.offsets {
			copy(elems[at:at+n], src)
			src = src[n:]
		}
	}
}

// Factory makes a codec that reads the field. Place the codec before the codecs of the array of
// structures. It can read parts of shards. It cannot encode, because encoding requires the other
// fields.
func (f *Field) Factory(_ json.RawMessage, in Repr) (any, error) {
	out := in
	out.Shape = in.Shape[:len(in.Shape)-len(f.field.Shape)]
	out.Type, out.Fill = f.of, f.fill
	return &fieldOf{f, out}, nil
}

// fieldOf is the codec that reads a Field of a chunk.
type fieldOf struct {
	*Field
	out Repr
}

func (f *fieldOf) Out() Repr { return f.out }

func (f *fieldOf) Encode(Block, Block) error {
	return fault.Newf(fault.ReadOnly, "a field cannot be encoded without the rest of its structure")
}

func (f *fieldOf) Decode(dst, src Block) error {
	f.Extract(dst.Bytes, src.Bytes)
	return nil
}

// same reports false, because other fields are between the values.
func (f *fieldOf) same() bool { return false }

func (f *fieldOf) copyView(dst Strided, encoded Block) {
	m := move{dst: dst.At, src: f.field.Offset}
	outer := len(f.out.Shape)
	stride := f.of.Size()
	for i, a := range slices.Backward(dst.Axes) {
		step := stride
		if i >= outer {
			step = f.strides[i-outer]
		} else {
			stride *= f.out.Shape[i]
		}
		m.src += a.Off * step
		m.add(a.N, a.Stride, a.Each*step)
	}
	m.order()
	m.bytes(dst.Bytes, encoded.Bytes, dst.Size, nil)
}
