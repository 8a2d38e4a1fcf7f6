package planes

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestFastIsSlow checks that for all whole groups the assembly has the same results as the Go code
// and modifies no other bytes.
func TestFastIsSlow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for _, size := range []int{1, 2, 3, 4, 8, 16} {
		for _, count := range []int{1, 15, 16, 17, 31, 32, 33, 48, 64, 100, 1024, 1037} {
			for _, more := range []int{0, 1, 7, 16, 33} { // additional elements of each plane
				n := count + more
				groups := 0
				if size == 2 || size == 4 || size == 8 {
					groups = count / group * group
				}
				elems, planes := random(count*size), random(n*size)

				got, want := bytes.Clone(planes), bytes.Clone(planes)
				splitSlow(want, elems[:groups*size], size, n)
				if done := splitFast(got, elems, size, n); done != groups || !bytes.Equal(got, want) {
					t.Fatalf("split %d elements of %d, planes of %d: %d were done, want %d; equal is %t", count, size, n, done, groups, bytes.Equal(got, want))
				}

				got, want = bytes.Clone(elems), bytes.Clone(elems)
				joinSlow(want[:groups*size], planes, size, n)
				if done := joinFast(got, planes, size, n); done != groups || !bytes.Equal(got, want) {
					t.Fatalf("join %d elements of %d, planes of %d: %d were done, want %d; equal is %t", count, size, n, done, groups, bytes.Equal(got, want))
				}
			}
		}
	}
}

// BenchmarkJoin and BenchmarkSplit process 256 KiB, a block of blosc.
func BenchmarkJoin(b *testing.B)  { benchmark(b, joinFast, joinSlow) }
func BenchmarkSplit(b *testing.B) { benchmark(b, splitFast, splitSlow) }

func benchmark(b *testing.B, fast func(dst, src []byte, size, n int) int, slow func(dst, src []byte, size, n int)) {
	dst, src := make([]byte, 256<<10), make([]byte, 256<<10)
	for _, size := range []int{2, 4, 8} {
		for name, f := range map[string]func(){
			"assembly": func() { fast(dst, src, size, len(src)/size) },
			"go":       func() { slow(dst, src, size, len(src)/size) },
		} {
			b.Run(name+"-"+string(rune('0'+size)), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					f()
				}
			})
		}
	}
}
