package npy

import (
	"reflect"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// form converts elements of a data type between Ts and the memory form.
type form[T any] struct {
	t     dtype.Type
	moves []dtype.Move // of a structured data type
}

// formOf returns fault.Type if T does not fit the data type.
func formOf[T any](t dtype.Type) (form[T], error) {
	to := reflect.TypeFor[T]()
	if s, ok := t.(*dtype.Struct); ok {
		moves, err := s.Moves(to)
		return form[T]{t, moves}, err
	}
	if !t.Fits(to) {
		return form[T]{}, fault.Newf(fault.Type, "elements of data type %v are %v in Go, not %v", t, t.Go(), to)
	}
	return form[T]{t: t}, nil
}

func (f form[T]) take(dst []T, src []byte) error {
	if s, ok := f.t.(*dtype.Struct); ok {
		return bytesview.TakeStructs(s, f.moves, dst, src)
	}
	bytesview.Take(dst, src)
	return nil
}

func (f form[T]) put(dst []byte, src []T) error {
	if s, ok := f.t.(*dtype.Struct); ok {
		return bytesview.PutStructs(s, f.moves, dst, src)
	}
	bytesview.Put(dst, src)
	return nil
}

// blockBytes is the memory for elements that are converted.
const blockBytes = 64 << 10

// blocks calls each for parts of elems, with a buffer of the size of their memory form.
func (f form[T]) blocks(elems []T, each func(part []T, b []byte) error) error {
	size := f.t.Size()
	n := min(max(1, blockBytes/size), len(elems))
	b := make([]byte, n*size)
	for ; len(elems) > 0; elems = elems[n:] {
		n = min(n, len(elems))
		if err := each(elems[:n], b[:n*size]); err != nil {
			return err
		}
	}
	return nil
}
