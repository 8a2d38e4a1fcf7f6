package planes

import (
	"bytes"
	"testing"
)

// TestPlanes checks that Split moves byte j of element i to index j*n+i and keeps the rest, and
// that Join reverses it.
func TestPlanes(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 5, 8, 16, 1 << 30} {
		for _, length := range []int{0, 1, 7, 8, 24, 65, 1003} {
			src, want := make([]byte, length), make([]byte, length)
			for i := range src {
				src[i] = byte(i*7 + i>>8)
			}
			copy(want, src)
			n := length / size
			for i := range n * size {
				want[i%size*n+i/size] = src[i]
			}
			got, back := make([]byte, length), make([]byte, length)
			if Split(got, src, size); !bytes.Equal(got, want) {
				t.Errorf("split %d bytes by %d: %v", length, size, got)
			}
			if Join(back, got, size); !bytes.Equal(back, src) {
				t.Errorf("join %d bytes by %d: %v", length, size, back)
			}
		}
	}
}

// TestJoinPart compares every part of a block with the output of Join.
func TestJoinPart(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 8, 16, 1 << 30} {
		for _, length := range []int{0, 1, 7, 24, 65, 259} {
			src, all := make([]byte, length), make([]byte, length)
			for i := range src {
				src[i] = byte(i*7 + 1)
			}
			Join(all, src, size)
			b := BlockOf(src, size)
			for from := range length + 1 {
				for to := from; to <= length; to++ {
					got := make([]byte, to-from)
					if b.JoinPart(got, from); !bytes.Equal(got, all[from:to]) {
						t.Fatalf("%d bytes by %d, from %d to %d: %v, want %v", length, size, from, to, got, all[from:to])
					}
				}
			}
		}
	}
}
