package dtype

import (
	"reflect"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Move describes a run of Size bytes, at offset Packed in the memory form of a Struct and at offset
// Go in a Go struct.
type Move struct{ Packed, Go, Size int }

// Moves returns the positions of an element's bytes in a Go struct on a little-endian machine.
// Moves returns fault.Type unless the Go struct has a field of the same name for each field of the
// data type, and no others. Runs that are adjacent in both forms are one Move.
func (s *Struct) Moves(t reflect.Type) ([]Move, error) {
	if t.Kind() != reflect.Struct {
		return nil, fault.Newf(fault.Type, "%v is not a struct and does not fit %v", t, s)
	}
	return s.moves(nil, t, 0, 0)
}

// maxMoves is the maximum number of Moves. Structures with more are read field by field.
const maxMoves = 1 << 16

func (s *Struct) moves(m []Move, t reflect.Type, packed, base int) ([]Move, error) {
	byName := map[string]reflect.StructField{}
	for _, g := range goFields(t) {
		name, _ := label(g)
		byName[name] = g
	}
	for _, f := range s.fields {
		g, ok := byName[f.Name]
		if !ok {
			return nil, fault.Newf(fault.Type, "%v has no field for %.40q of %v", t, f.Name, s)
		}
		delete(byName, f.Name)
		one, err := f.moves(g.Type)
		if err != nil {
			return nil, err
		}
		for _, o := range one {
			if m, err = join(m, Move{packed + f.Offset + o.Packed, base + int(g.Offset) + o.Go, o.Size}); err != nil {
				return nil, err
			}
		}
	}
	for name := range byName {
		return nil, fault.Newf(fault.Type, "%v has a field for %.40q, which %v lacks", t, name, s)
	}
	return m, nil
}

// join appends the move next. If next continues the last move in both forms, join extends that
// move.
func join(m []Move, next Move) ([]Move, error) {
	if k := len(m) - 1; k >= 0 && m[k].Packed+m[k].Size == next.Packed && m[k].Go+m[k].Size == next.Go {
		m[k].Size += next.Size
		return m, nil
	}
	if len(m) == maxMoves {
		return nil, fault.Newf(fault.Limit, "the structure needs more than %d moves", maxMoves)
	}
	return append(m, next), nil
}

// moves returns the moves of one field, relative to its start.
func (f Field) moves(t reflect.Type) ([]Move, error) {
	for _, d := range f.Shape {
		if t.Kind() != reflect.Array || t.Len() != d {
			return nil, fault.Newf(fault.Type, "the field %.40q of shape %v does not fit %v in Go", f.Name, f.Shape, t)
		}
		t = t.Elem()
	}
	one := []Move{{0, 0, f.Type.Size()}}
	if inner, ok := f.Type.(*Struct); ok {
		var err error
		if one, err = inner.Moves(t); err != nil {
			return nil, err
		}
	} else if !f.Type.Fits(t) || int(t.Size()) != f.Type.Size() {
		return nil, fault.Newf(fault.Type, "the field %.40q is %v in Go, which does not fit %v", f.Name, t, f.Type)
	}
	size, step := f.Type.Size(), int(t.Size())
	if size == step && len(one) == 1 { // the values are contiguous
		one[0].Size *= f.Elems()
		return one, nil
	}
	var m []Move
	for i := range f.Elems() {
		for _, o := range one {
			var err error
			if m, err = join(m, Move{i*size + o.Packed, i*step + o.Go, o.Size}); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// Fits reports whether t is a struct with a field of the same name for each field, in any order;
// see Moves.
func (s *Struct) Fits(t reflect.Type) bool {
	_, err := s.Moves(t)
	return err == nil
}
