package bytesview

import (
	"bytes"
	"slices"
	"testing"
)

type celsius float32

func TestPutAndTakeAreTheMemoryForm(t *testing.T) {
	src := []celsius{1, -2}
	want := []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}
	b := make([]byte, 8)
	Put(b, src)
	if !bytes.Equal(b, want) {
		t.Errorf("Put gives %x", b)
	}
	dst := make([]celsius, 2)
	Take(dst, b)
	if !slices.Equal(dst, src) {
		t.Errorf("Take gives %v", dst)
	}
	if view, ok := Of(src); ok && !bytes.Equal(view, want) {
		t.Errorf("Of gives %x", view)
	}
}

func TestOfIsTheSameMemory(t *testing.T) {
	s := []uint16{1, 2}
	view, ok := Of(s)
	if !ok {
		t.Log("this build or machine has no views")
		return
	}
	view[2] = 7
	if s[1] != 7 {
		t.Errorf("the view is a copy: %v", s)
	}
	if v, ok := Of([]float64{}); !ok || len(v) != 0 || v == nil {
		t.Errorf("empty slice: %v %v", v, ok)
	}
}

func TestOfRefusesPointers(t *testing.T) {
	if _, ok := Of([]string{"a"}); ok {
		t.Error("a view of strings")
	}
	if _, ok := Of([]*int{nil}); ok {
		t.Error("a view of pointers")
	}
	if _, ok := Of([]struct{ A int32 }{{1}}); ok {
		t.Error("a view of structs, which may have padding")
	}
}
