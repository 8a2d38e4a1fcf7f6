package bytesview

import (
	"reflect"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// TakeStructs decodes src, structs of type t in memory form, into dst. The length of src must be
// len(dst) times the size of t. moves are the moves of t for the Go type T.
func TakeStructs[T any](t *dtype.Struct, moves []dtype.Move, dst []T, src []byte) error {
	size := t.Size()
	if view, ok := Structs(dst); ok && len(dst) > 0 {
		step := len(view) / len(dst)
		for i := range dst {
			one, packed := view[i*step:(i+1)*step], src[i*size:(i+1)*size]
			for _, m := range moves {
				copy(one[m.Go:m.Go+m.Size], packed[m.Packed:])
			}
		}
		return nil
	}
	all := reflect.ValueOf(dst)
	for i := range dst {
		if err := dtype.Decode(t, all.Index(i), src[i*size:(i+1)*size]); err != nil {
			return err
		}
	}
	return nil
}

// PutStructs writes src to dst in the memory form of structs of type t. dst must be long enough.
// moves are the moves of t for the Go type T.
func PutStructs[T any](t *dtype.Struct, moves []dtype.Move, dst []byte, src []T) error {
	size := t.Size()
	if view, ok := Structs(src); ok && len(src) > 0 {
		step := len(view) / len(src)
		for i := range src {
			one, packed := view[i*step:(i+1)*step], dst[i*size:(i+1)*size]
			for _, m := range moves {
				copy(packed[m.Packed:m.Packed+m.Size], one[m.Go:])
			}
		}
		return nil
	}
	all := reflect.ValueOf(src)
	for i := range src {
		if err := dtype.Encode(t, dst[i*size:(i+1)*size], all.Index(i)); err != nil {
			return err
		}
	}
	return nil
}
