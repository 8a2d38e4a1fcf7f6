package bytesview

import (
	"bytes"
	"reflect"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
)

type pixel struct {
	B  uint8         `zarr:"b"`
	A  int32         `zarr:"a"` // follows padding
	XY [2]dtype.BF16 `zarr:"xy"`
}

func TestStructs(t *testing.T) {
	typ, err := dtype.NewStruct(dtype.Field{Name: "a", Type: dtype.Int32}, dtype.Field{Name: "xy", Type: dtype.BFloat16, Shape: []int{2}}, dtype.Field{Name: "b", Type: dtype.Uint8})
	if err != nil {
		t.Fatal(err)
	}
	moves, err := typ.Moves(reflect.TypeFor[pixel]())
	if err != nil {
		t.Fatal(err)
	}
	src := []pixel{{1, 2, [2]dtype.BF16{3, 4}}, {5, -1, [2]dtype.BF16{6, 7}}}
	want := []byte{2, 0, 0, 0, 3, 0, 4, 0, 1, 0xff, 0xff, 0xff, 0xff, 6, 0, 7, 0, 5}
	b := make([]byte, len(want))
	if err := PutStructs(typ, moves, b, src); err != nil || !bytes.Equal(b, want) {
		t.Errorf("%x, %v, want %x", b, err, want)
	}
	dst := make([]pixel, 2)
	if err := TakeStructs(typ, moves, dst, b); err != nil || !slices.Equal(dst, src) {
		t.Errorf("%v, %v", dst, err)
	}
	// A build without unsafe copies.
	clear(b)
	for i := range src {
		if err := dtype.Encode(typ, b[i*9:(i+1)*9], reflect.ValueOf(src[i])); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(b, want) {
		t.Errorf("by reflection %x", b)
	}
	if err := PutStructs(typ, moves, nil, []pixel{}); err != nil {
		t.Error(err)
	}
	if _, ok := Structs([]struct{ S string }{{"a"}}); ok {
		t.Error("a view of structs with pointers")
	}
	if v, ok := Of([][2]uint16{{1, 2}}); ok && !bytes.Equal(v, []byte{1, 0, 2, 0}) {
		t.Errorf("arrays: %x", v)
	}
	// This array is copied because it has no view.
	arrays := make([][2]uint16, 1)
	Take(arrays, []byte{1, 0, 2, 0})
	if arrays[0] != [2]uint16{1, 2} {
		t.Errorf("%v", arrays)
	}
}
