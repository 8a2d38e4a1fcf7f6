package codec

import (
	"encoding/json"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Field is one field of structured elements, wherever it lies in them, as an array of its own: that
// has the axes of the array of structures and then those of the field.
type Field struct {
	Name string // of the codec that Factory is for

	of      *dtype.Struct
	fill    []byte // of a structure
	field   dtype.Field
	strides []int // bytes between the field's values in an element, along its axes
	offsets []int // of all of them
}

// NewField finds a field by name, and within it by the names that follow, as [dtype.Struct.Lookup]
// does; not ok when there is none. fill is that of the structure, or nil.
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

// Type is the data type of the field's values.
func (f *Field) Type() dtype.Type { return f.field.Type }

// Shape is that of the field within an element. The slice is the caller's.
func (f *Field) Shape() []int { return slices.Clone(f.field.Shape) }

// Extract sets dst to the values of the field in elements of the structure.
func (f *Field) Extract(dst, elems []byte) {
	n := f.field.Type.Size()
	for ; len(elems) >= f.of.Size(); elems = elems[f.of.Size():] {
		for _, at := range f.offsets {
			copy(dst[:n], elems[at:])
			dst = dst[n:]
		}
	}
}

// Insert sets the values of the field in elements of the structure to src. The other fields stay as
// they are.
func (f *Field) Insert(elems, src []byte) {
	n := f.field.Type.Size()
	for ; len(elems) >= f.of.Size(); elems = elems[f.of.Size():] {
		for _, at := range f.offsets {
			copy(elems[at:at+n], src)
			src = src[n:]
		}
	}
}

// Factory makes the codec that stands before those of the array of structures, to read the field
// by. It does not encode: that takes the other fields too. Parts of shards can be read through it.
func (f *Field) Factory(_ json.RawMessage, in Repr) (any, error) {
	out := in
	out.Shape = in.Shape[:len(in.Shape)-len(f.field.Shape)]
	out.Type, out.Fill = f.of, f.fill
	return &fieldOf{f, out}, nil
}

// fieldOf is a Field bound to a chunk.
type fieldOf struct {
	*Field
	out Repr
}

func (f *fieldOf) Out() Repr { return f.out }

func (f *fieldOf) Encode(Block, Block) error {
	return fault.Newf(fault.ReadOnly, "a field is encoded with the structure that it is in")
}

func (f *fieldOf) Decode(dst, src Block) error {
	f.Extract(dst.Bytes, src.Bytes)
	return nil
}

// same is false: there are other fields between.
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
