package concurrency

import (
	"runtime"
	"testing"
)

type other struct{ _ [64]byte }

func TestShare(t *testing.T) {
	var r Registry
	made := 0
	slots := func(n int) func() *Slots {
		return func() *Slots { made++; return NewSlots(n) }
	}
	a := Share(&r, "s3://east/b", slots(4))
	if Share(&r, "s3://east/b", slots(8)) != a || a.Size() != 4 || made != 1 {
		t.Errorf("two stores on the bucket do not share slots: %d were created", made)
	}
	if Share(&r, "s3://west/b", slots(4)) == a || Share(&Registry{}, "s3://east/b", slots(4)) == a || made != 3 {
		t.Error("slots are shared that should not be")
	}
	o := Share(&r, "s3://east/b", func() *other { return &other{} })
	if Share(&r, "s3://east/b", slots(4)) != a || Share(&r, "s3://east/b", func() *other { return nil }) != o {
		t.Error("values of two types are in each other's way")
	}
	var none *Registry
	if Share(none, "s3://east/b", slots(4)) == a || made != 4 {
		t.Error("a nil registry shares")
	}
	runtime.KeepAlive(a)
	runtime.KeepAlive(o)
}

func TestRegistryForgets(t *testing.T) {
	var r Registry
	Share(&r, "gone", func() *Slots { return NewSlots(4) })
	for r.size() != 0 {
		runtime.GC()
		runtime.Gosched()
	}
	if s := Share(&r, "gone", func() *Slots { return NewSlots(2) }); s.Size() != 2 {
		t.Errorf("%d slots are remembered", s.Size())
	}
}

func (r *Registry) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.shared)
}
