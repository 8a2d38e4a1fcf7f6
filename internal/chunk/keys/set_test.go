package keys

import "testing"

func TestKeeps(t *testing.T) {
	for _, c := range []struct {
		grid []int
		want bool
	}{
		{nil, true},
		{[]int{1 << 30, 1 << 30, 4}, true}, // 2^62
		{[]int{1 << 30, 1 << 30, 5}, false},
		{[]int{1 << 30, 1 << 30, 1 << 30}, false},
		{[]int{1 << 30, 1 << 30, 1 << 30, 0}, true},
		{[]int{0, 1 << 30, 1 << 30, 1 << 30}, true},
	} {
		if got := Keeps(c.grid); got != c.want {
			t.Errorf("%v: %v", c.grid, got)
		}
	}
	s := NewSet([]int{1 << 30, 1 << 30, 4})
	last := []int{1<<30 - 1, 1<<30 - 1, 3}
	if s.Add(last); !s.Has(last) {
		t.Error("the last position of a grid that is kept is not")
	}
}

// TestBytes checks that the memory of a dense set depends on its grid, and the memory of a sparse
// set on its positions.
func TestBytes(t *testing.T) {
	dense, sparse := NewSet([]int{1 << 20}), NewSet([]int{1 << 30})
	for i := range 1 << 20 {
		dense.Add([]int{i})
	}
	for i := range 1000 {
		sparse.Add([]int{i << 20})
	}
	if d, s := dense.Bytes(), sparse.Bytes(); d != 256*600 || s != 1000*600 {
		t.Errorf("%d and %d bytes", d, s)
	}
}
