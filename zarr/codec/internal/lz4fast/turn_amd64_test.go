//go:build !purego

package lz4fast

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestTurns checks that the output does not depend on the bytes that one call of the assembly
// encodes.
func TestTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var e Encoder
	for i := range 300 {
		n := 1 + r.IntN(2000)
		if i%10 == 0 {
			n += smallInput
		}
		src := structured(r, n, 1+i%8)
		want, got := make([]byte, n+n/255+16), make([]byte, n+n/255+16)
		want = want[:e.encode(want, src, 1, n)]
		for _, turn := range []int{1, 2, 7, 100, max(1, n-12), n} {
			if k := e.encode(got, src, 1, turn); !bytes.Equal(got[:k], want) {
				t.Fatalf("%d bytes, %d at a time: %d bytes, want %d; or other bytes", n, turn, k, len(want))
			}
		}
	}
}
