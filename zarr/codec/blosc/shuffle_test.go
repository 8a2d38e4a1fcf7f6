package blosc

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec/internal/planes"
)

// The naive functions are the references for the optimised functions.

func naiveShuffle(src []byte, ts int) []byte {
	n := len(src) / ts
	dst := bytes.Clone(src)
	for e := range n {
		for j := range ts {
			dst[j*n+e] = src[e*ts+j]
		}
	}
	return dst
}

func naiveBitShuffle(src []byte, ts int) []byte {
	n := len(src) / ts
	dst := bytes.Clone(src)
	if n%8 != 0 {
		return dst
	}
	clear(dst[:n*ts])
	for e := range n {
		for bit := range 8 * ts {
			if src[e*ts+bit/8]>>(bit%8)&1 == 1 {
				dst[bit*(n/8)+e/8] |= 1 << (e % 8)
			}
		}
	}
	return dst
}

func TestShuffles(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, ts := range []int{1, 2, 3, 4, 5, 8, 12, 16, 255} {
		for _, n := range []int{0, 1, ts, 8 * ts, 8*ts + 1, 15*ts + ts/2, 64*ts + ts - 1, 77 * ts} {
			src := make([]byte, n)
			for i := range src {
				src[i] = byte(r.Uint32())
			}
			check := func(name string, want []byte, do, undo func(dst, src []byte, ts int)) {
				got, back := make([]byte, n), make([]byte, n)
				do(got, src, ts)
				undo(back, got, ts)
				if !bytes.Equal(got, want) || !bytes.Equal(back, src) {
					t.Errorf("%s ts=%d n=%d: right %v, undone %v", name, ts, n, bytes.Equal(got, want), bytes.Equal(back, src))
				}
			}
			check("shuffle", naiveShuffle(src, ts), planes.Split, planes.Join)
			check("bitshuffle", naiveBitShuffle(src, ts), bitShuffle, bitUnshuffle)
		}
	}
}

func TestBloscLZ(t *testing.T) {
	long := make([]byte, 9000)
	tests := []struct {
		name string
		src  []byte
		want string // "" means an error
		size int
	}{
		{"literals", []byte{2, 'a', 'b', 'c'}, "abc", 3},
		{"first control byte is masked", []byte{0xe0 | 2, 'a', 'b', 'c'}, "abc", 3},
		{"match", []byte{2, 'a', 'b', 'c', 1 << 5, 2, 0, 'd'}, "abcabcd", 7},
		{"run", []byte{0, 'a', 3 << 5, 0, 0, 'b'}, "aaaaaab", 7},
		{"long run", []byte{0, 'a', 7 << 5, 255, 1, 0, 0, 'b'}, "a" + string(bytes.Repeat([]byte{'a'}, 265)) + "b", 267},
		{"too many literals", []byte{3, 'a', 'b', 'c'}, "", 10},
		{"no room for literals", []byte{2, 'a', 'b', 'c'}, "", 2},
		{"match before the start", []byte{2, 'a', 'b', 'c', 1 << 5, 3, 0, 'd'}, "", 7},
		{"no room for match", []byte{2, 'a', 'b', 'c', 3 << 5, 2, 0, 'd'}, "", 6},
		{"cut distance", []byte{0, 'a', 1 << 5}, "", 10},
		{"cut length", []byte{0, 'a', 7 << 5, 255}, "", 1000},
		{"cut far distance", []byte{0, 'a', 1<<5 | 31, 255, 0}, "", 10},
		{"endless length", append([]byte{0, 'a', 7 << 5}, bytes.Repeat([]byte{255}, 1000)...), "", 100},
	}
	for _, tt := range tests {
		out := make([]byte, tt.size)
		n, err := bloscLZ(out, tt.src)
		if (err != nil) != (tt.want == "") || (err == nil && string(out[:n]) != tt.want) {
			t.Errorf("%s: %q, %v", tt.name, out[:min(n, 20)], err)
		}
	}
	// The match is at a far distance, 8192 + 5 bytes.
	for i := range long {
		long[i] = byte(i * i >> 3)
	}
	var src []byte
	for i := 0; i < len(long); i += 30 {
		src = append(append(src, 29), long[i:i+30]...)
	}
	src = append(src, 1<<5|31, 255, 0, 5)
	out := make([]byte, len(long)+3)
	if n, err := bloscLZ(out, src); err != nil || n != len(out) || !bytes.Equal(out[9000:], long[9000-8197:9000-8197+3]) {
		t.Errorf("far match: %d, %v", n, err)
	}
}

func BenchmarkUnshuffle(b *testing.B) {
	src, dst := make([]byte, 256<<10), make([]byte, 256<<10)
	for _, ts := range []int{2, 4, 8, 16} {
		b.Run(fmt.Sprintf("by=byte/typesize=%d", ts), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				planes.Join(dst, src, ts)
			}
		})
		b.Run(fmt.Sprintf("by=bit/typesize=%d", ts), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				bitUnshuffle(dst, src, ts)
			}
		})
	}
}
