package codec_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// record is a data type with elements of any size.
type record struct {
	dtype.Type
	size int
}

func (r record) String() string { return fmt.Sprintf("r%d", 8*r.size) }
func (r record) Size() int      { return r.size }
func (record) HasOrder() bool   { return false }
func (record) Canon([]byte)     {}

// naiveTranspose implements the specification: B[p] = A[q] with p[i] = q[order[i]].
func naiveTranspose(src []byte, shape, order []int, size int) []byte {
	rank := len(shape)
	out := make([]int, rank)
	for i, a := range order {
		out[i] = shape[a]
	}
	offset := func(pos, shape []int) int {
		n := 0
		for i, p := range pos {
			n = n*shape[i] + p
		}
		return n
	}
	dst := make([]byte, len(src))
	q, p := make([]int, rank), make([]int, rank)
	for e := range len(src) / size {
		rest := e
		for i := rank - 1; i >= 0; i-- {
			q[i], rest = rest%shape[i], rest/shape[i]
		}
		for i, a := range order {
			p[i] = q[a]
		}
		copy(dst[offset(p, out)*size:][:size], src[offset(q, shape)*size:][:size])
	}
	return dst
}

func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 400 {
		rank := r.IntN(6)
		shape, n := make([]int, rank), 1
		for i := range shape {
			shape[i] = 1 + r.IntN([]int{3, 7, 40}[r.IntN(3)])
			if n*shape[i] > 20_000 {
				shape[i] = 1
			}
			n *= shape[i]
		}
		order, size := r.Perm(rank), []int{1, 2, 3, 4, 8, 12, 16, 33}[i%8]
		src := make([]byte, n*size)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		c := mustChain(t, codec.Repr{Shape: shape, Type: record{size: size}}, codec.Transpose(order...), codec.Bytes(dtype.NoOrder))
		stored, err := c.Encode(nil, codec.Block{Bytes: src}, nil)
		if err != nil || !bytes.Equal(stored, naiveTranspose(src, shape, order, size)) {
			t.Fatalf("shape %v order %v size %d: encoded wrong, %v", shape, order, size, err)
		}
		dst := make([]byte, len(src))
		if err := c.Decode(codec.Block{Bytes: dst}, stored, nil); err != nil || !bytes.Equal(dst, src) {
			t.Fatalf("shape %v order %v size %d: decoded wrong, %v", shape, order, size, err)
		}
	}
}

func TestTransposeOfNothing(t *testing.T) {
	c := mustChain(t, codec.Repr{Shape: []int{3, 0, 2}, Type: dtype.Int32}, codec.Transpose(2, 0, 1), little)
	if stored, err := c.Encode(nil, codec.Block{}, nil); err != nil || len(stored) != 0 {
		t.Errorf("%d bytes, %v", len(stored), err)
	}
	if err := c.Decode(codec.Block{}, nil, nil); err != nil {
		t.Error(err)
	}
}

func BenchmarkTranspose(b *testing.B) {
	for _, shape := range [][]int{{1024, 1024}, {64, 128, 128}} {
		for _, typ := range []dtype.Basic{dtype.Uint8, dtype.Int16, dtype.Float32, dtype.Float64, dtype.Complex128} {
			b.Run(fmt.Sprintf("rank=%d/type=%v", len(shape), typ), func(b *testing.B) {
				order := make([]int, len(shape))
				for i := range order {
					order[i] = len(shape) - 1 - i
				}
				c := mustChain(b, codec.Repr{Shape: shape, Type: typ}, codec.Transpose(order...), little)
				dst, src := make([]byte, 1<<20*typ.Size()), make([]byte, 1<<20*typ.Size())
				var s codec.Scratch
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					if err := c.Decode(codec.Block{Bytes: dst}, src, &s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
