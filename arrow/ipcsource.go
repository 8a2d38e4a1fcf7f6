package arrow

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/zargo-io/zargo/zarr/fault"
)

// file opens the Arrow IPC file format.
func (s *stored) file() error {
	const trailer = 10 // the length of the footer, and ARROW1
	end := make([]byte, trailer)
	if s.size < trailer {
		return fault.Newf(fault.Corrupt, "the file ends early")
	}
	if _, err := s.at.ReadAt(end, s.size-trailer); err != nil && err != io.EOF {
		return err
	}
	footer, err := s.document(s.size-trailer-int64(binary.LittleEndian.Uint32(end)), int64(binary.LittleEndian.Uint32(end)))
	if err != nil {
		return err
	}
	if err = footer.check(2, 24); err == nil { // dictionaries
		err = footer.check(3, 24) // batches
	}
	if err == nil {
		err = footer.schema(1)
	}
	if err != nil {
		return err
	}
	open := func(mem memory.Allocator) (*ipc.FileReader, error) {
		return ipc.NewFileReader(s.section(), ipc.WithAllocator(mem), ipc.WithBodySizeLimit(maxBatch()))
	}
	r, err := open(newBounded())
	if err != nil {
		return err
	}
	s.schema = r.Schema()
	s.begin = func(_ context.Context, mem memory.Allocator, columns []int) (func() (arrow.RecordBatch, error), func(), error) {
		r, err := open(mem)
		if err != nil {
			return nil, func() {}, err
		}
		i := 0
		return func() (arrow.RecordBatch, error) {
			if i >= r.NumRecords() {
				return nil, nil
			}
			b, err := r.RecordBatchAt(i)
			if i++; err != nil {
				return nil, err
			}
			defer b.Release()
			return pick(b, columns), nil
		}, func() { _ = r.Close() }, nil
	}
	return r.Close()
}

// stream opens the Arrow IPC streaming format.
func (s *stored) stream() error {
	head, at := make([]byte, 8), int64(4)
	if _, err := io.ReadFull(s.section(), head); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(head) == 0xffffffff { // since version 0.15 of the format
		head, at = head[4:], 8
	}
	message, err := s.document(at, int64(binary.LittleEndian.Uint32(head)))
	if err == nil {
		err = message.schema(2)
	}
	if err != nil {
		return err
	}
	open := func(mem memory.Allocator) (*ipc.Reader, error) {
		return ipc.NewReader(s.section(), ipc.WithAllocator(mem), ipc.WithBodySizeLimit(maxBatch()))
	}
	r, err := open(newBounded())
	if err != nil {
		return err
	}
	defer r.Release()
	s.schema = r.Schema()
	s.begin = func(_ context.Context, mem memory.Allocator, columns []int) (func() (arrow.RecordBatch, error), func(), error) {
		r, err := open(mem)
		if err != nil {
			return nil, func() {}, err
		}
		return func() (arrow.RecordBatch, error) {
			if !r.Next() {
				return nil, r.Err()
			}
			return pick(r.RecordBatch(), columns), nil
		}, r.Release, nil
	}
	return nil
}

// pick returns a batch with some of the columns.
func pick(b arrow.RecordBatch, columns []int) arrow.RecordBatch {
	fields, arrays := make([]arrow.Field, len(columns)), make([]arrow.Array, len(columns))
	for i, c := range columns {
		fields[i], arrays[i] = b.Schema().Field(c), b.Column(c)
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, b.NumRows())
}

// fields is a table of a flatbuffer. Package ipc allocates its vectors by their stored lengths, so
// these are checked before it decodes a schema. Vectors that contain themselves cannot be
// expressed, but one may be the child of several fields: left bounds the checked fields.
type fields struct {
	flatbuffers.Table
	left *int
}

// maxFields is the maximum number of fields of a schema, with their children.
const maxFields = 1 << 16

// document returns the root table of the flatbuffer in n bytes of the file.
func (s *stored) document(at, n int64) (fields, error) {
	if at < 0 || n < 8 || n > s.size-at || n > maxBatch() {
		return fields{}, fault.Newf(fault.Corrupt, "the metadata has %d bytes at %d, and the file %d", n, at, s.size)
	}
	b, left := make([]byte, n), maxFields
	if _, err := s.at.ReadAt(b, at); err != nil && err != io.EOF {
		return fields{}, err
	}
	return fields{flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}, &left}, nil
}

// slot returns the offset of a member, or 0.
func (f fields) slot(i int) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(f.Offset(flatbuffers.VOffsetT(4 + 2*i))) //nolint:gosec // few members
}

// check checks the length of a vector whose elements have size bytes.
func (f fields) check(i int, size int64) error {
	o := f.slot(i)
	if o != 0 && int64(f.VectorLen(o))*size > int64(len(f.Bytes)) {
		return fault.Newf(fault.Corrupt, "a vector of %d elements is longer than the metadata", f.VectorLen(o))
	}
	return nil
}

// schema checks the schema that is a member.
func (f fields) schema(i int) error {
	o := f.slot(i)
	if o == 0 {
		return fault.Newf(fault.Corrupt, "the file has no schema")
	}
	s := fields{flatbuffers.Table{Bytes: f.Bytes, Pos: f.Indirect(o + f.Pos)}, f.left}
	return s.nested(1, 2)
}

// nested checks a vector of fields and one of attributes.
func (f fields) nested(children, attributes int) error {
	if err := f.check(attributes, 4); err != nil {
		return err
	}
	if err := f.check(children, 4); err != nil || f.slot(children) == 0 {
		return err
	}
	o := f.slot(children)
	at := f.Vector(o)
	for k := range f.VectorLen(o) {
		if *f.left--; *f.left < 0 {
			return fault.Newf(fault.Limit, "the schema has more than %d fields", maxFields)
		}
		child := fields{flatbuffers.Table{Bytes: f.Bytes, Pos: f.Indirect(at + flatbuffers.UOffsetT(4*k))}, f.left} //nolint:gosec // within the metadata
		if t := child.slot(3); t != 0 {
			union := fields{flatbuffers.Table{Bytes: f.Bytes, Pos: f.Indirect(t + child.Pos)}, f.left}
			if kind := child.slot(2); kind != 0 && child.GetByte(kind+child.Pos) == 14 { // of Union
				if err := union.check(1, 4); err != nil {
					return err
				}
			}
		}
		if err := child.nested(5, 6); err != nil {
			return err
		}
	}
	return nil
}
