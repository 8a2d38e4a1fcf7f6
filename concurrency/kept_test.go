package concurrency

import (
	"runtime"
	"strconv"
	"testing"
)

// TestShareKept checks that a registry refers to the values of the latest names, and only to these.
func TestShareKept(t *testing.T) {
	var r Registry
	for i := range 2 * kept {
		for range 2 {
			ShareKept(&r, strconv.Itoa(i), func() *Slots { return NewSlots(i + 1) })
		}
	}
	ShareKept(&r, strconv.Itoa(kept), func() *Slots { return nil }) // used again
	for range 2 {
		ShareKept(&r, "new", func() *Slots { return NewSlots(1) })
	}
	for r.size() != kept {
		runtime.GC()
		runtime.Gosched()
	}
	for _, i := range []int{kept, kept + 2, 2*kept - 1} {
		if s := Share(&r, strconv.Itoa(i), func() *Slots { return NewSlots(1) }); s.Size() != i+1 {
			t.Errorf("%d: %d slots", i, s.Size())
		}
	}
}
