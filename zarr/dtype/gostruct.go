package dtype

import (
	"reflect"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Move is a run of bytes that an element of a Struct has at Packed and a Go struct in memory has at Go.
type Move struct{ Packed, Go, Size int }

// Moves tells where the bytes of an element lie in a Go struct, little-endian: every field of the data type is a field of
// the same name, and none is without one. fault.Type otherwise. Runs that are neighbours at both ends are one Move.
func (s *Struct) Moves(t reflect.Type) ([]Move, error) {
	if t.Kind() != reflect.Struct {
		return nil, fault.Newf(fault.Type, "%v is no struct, as elements of %v are", t, s)
	}
	m, err := s.moves(nil, t, 0, 0)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// maxMoves bounds a plan; a structure of more scattered runs than that is read field by field.
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
		var err error
		if m, err = f.moves(m, g.Type, packed+f.Offset, base+int(g.Offset), f.Shape); err != nil {
			return nil, err
		}
	}
	for name := range byName {
		return nil, fault.Newf(fault.Type, "%v has a field for %.40q, which %v has not", t, name, s)
	}
	return m, nil
}

func (f Field) moves(m []Move, t reflect.Type, packed, base int, shape []int) ([]Move, error) {
	if inner, ok := f.Type.(*Struct); ok && len(shape) == 0 {
		if t.Kind() != reflect.Struct {
			return nil, fault.Newf(fault.Type, "the field %.40q is %v in Go, not %v", f.Name, t, inner)
		}
		return inner.moves(m, t, packed, base)
	}
	if len(shape) == 0 {
		if !f.Type.Fits(t) || int(t.Size()) != f.Type.Size() {
			return nil, fault.Newf(fault.Type, "the field %.40q is %v in Go, which does not fit %v", f.Name, t, f.Type)
		}
		size := f.Type.Size()
		if k := len(m) - 1; k >= 0 && m[k].Packed+m[k].Size == packed && m[k].Go+m[k].Size == base {
			m[k].Size += size
			return m, nil
		}
		if len(m) == maxMoves {
			return nil, fault.Newf(fault.Limit, "%v has more than %d scattered fields", t, maxMoves)
		}
		return append(m, Move{packed, base, size}), nil
	}
	if t.Kind() != reflect.Array || t.Len() != shape[0] {
		return nil, fault.Newf(fault.Type, "the field %.40q of shape %v is %v in Go", f.Name, f.Shape, t)
	}
	step := f.Type.Size()
	for _, d := range shape[1:] {
		step *= d
	}
	var err error
	for i := range shape[0] {
		if m, err = f.moves(m, t.Elem(), packed+i*step, base+i*int(t.Elem().Size()), shape[1:]); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Fits takes structs with a field of the same name for each field, in any order: see Moves.
func (s *Struct) Fits(t reflect.Type) bool {
	_, err := s.Moves(t)
	return err == nil
}
