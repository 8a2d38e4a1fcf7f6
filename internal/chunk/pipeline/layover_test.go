package pipeline

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestPassesOfParts bounds the buffers that are requested to write part of a chunk, and therefore
// the number of passes over its elements. If the stored bytes are the elements, no buffer is
// needed: the part is written over the stored bytes. Otherwise the chunk is decoded to one buffer
// and encoded from it, with the buffers of the codecs.
func TestPassesOfParts(t *testing.T) {
	const rows, cols, size = 64, 96, 4
	little, turn := codec.Bytes(dtype.Little), codec.Transpose(1, 0)
	none, decoded := []int{}, []int{rows * cols * size}
	for _, tt := range []struct {
		name  string
		specs []codec.Spec
		over  bool  // the new stored form is in the memory of the old one
		lent  []int // sizes of the buffers
	}{
		{"raw", []codec.Spec{little}, true, none},                                   // no pass, except over the part
		{"raw, other byte order", []codec.Spec{codec.Bytes(dtype.Big)}, true, none}, // 2 passes, in place
		{"raw, order F", []codec.Spec{turn, little}, false, decoded},                // 2 passes
		{"zstd", []codec.Spec{little, codec.Zstd(1)}, false, decoded},               // no pass
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := chunkOf(t, dtype.Float32, []int{rows, cols}, Options{}, tt.specs...)
			old, fill, err := c.Encode(nil, nil, Memory{Block: codec.Block{Bytes: ramp(c.Bytes)}, Shape: c.Shape}, allOf(c.Shape), &Scratch{})
			if err != nil || fill {
				t.Fatal(fill, err)
			}
			lent := []int{}
			s := &Scratch{}
			s.Lend(func(n int) []byte {
				lent = append(lent, n)
				return make([]byte, 0, n)
			})
			part := grid.Box{Parts: []grid.Part{{Off: 3, Step: 1, N: 5}, {Off: 8, Step: 2, N: 40}}}
			src := Memory{Block: codec.Block{Bytes: ramp(5 * 40 * size)}, Shape: []int{5, 40}}
			dst := make([]byte, 0, 2*len(old))
			if c.LaysOver() {
				dst = old[:0]
			}
			out, fill, err := c.Encode(dst, old, src, part, s)
			if err != nil || fill {
				t.Fatal(fill, err)
			}
			if over := &out[0] == &old[0]; over != tt.over || c.LaysOver() != tt.over {
				t.Errorf("laid over: %v, says %v, want %v", over, c.LaysOver(), tt.over)
			}
			if !slices.Equal(lent, tt.lent) {
				t.Errorf("buffers of %d bytes, want %d", lent, tt.lent)
			}
			if room := c.EncodeRoom(src, part); tt.over && room != 0 {
				t.Errorf("room for %d bytes", room)
			}
		})
	}
}

// TestLayOver checks that a part written over stored bytes, over a copy of them, or over nothing
// has the same result as decoding, changing and encoding the chunk. It uses every kind of
// selection, each byte order, and types that do not use every byte value.
func TestLayOver(t *testing.T) {
	for _, tt := range []struct {
		name  string
		typ   dtype.Type
		order dtype.Order
	}{
		{"float32", dtype.Float32, dtype.Little},
		{"float32, other byte order", dtype.Float32, dtype.Big},
		{"complex64, other byte order", dtype.Complex64, dtype.Big},
		{"uint8", dtype.Uint8, dtype.NoOrder},
		{"bool", dtype.Bool, dtype.NoOrder}, // also with stored bytes other than 0 and 1
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(tt.typ.Size())))
			for range 300 {
				shape := []int{1 + r.IntN(5), 1 + r.IntN(5), 1 + r.IntN(5)}
				c := chunkOf(t, tt.typ, shape, Options{StoreFill: r.IntN(4) == 0}, codec.Bytes(tt.order))
				var old []byte
				if kind := r.IntN(4); kind > 0 {
					old = make([]byte, c.Bytes) // all fill value
					for i := range old {
						if kind > 1 {
							old[i] = byte(r.IntN(3))
						}
					}
				}
				region := []int{shape[0] + 1, shape[1] + 2, shape[2]}
				src := Memory{Block: codec.Block{Bytes: make([]byte, c.Size*product(region))}, Shape: region}
				for i := range src.Bytes {
					src.Bytes[i] = byte(r.IntN(2))
				}
				if r.IntN(3) == 0 {
					clear(src.Bytes)
				}
				b := randomBox(r, shape)
				want, wantFill := laid(t, c, old, src, b)
				for _, way := range []string{"over a copy", "over what was stored"} {
					before := bytes.Clone(old)
					dst := []byte("before")
					if way == "over what was stored" && old != nil {
						dst = old[:0]
					}
					out, fill, err := c.Encode(dst, old, src, b, &Scratch{})
					switch {
					case err != nil:
						t.Fatal(err)
					case fill != wantFill || !bytes.Equal(out[len(dst):], want):
						t.Fatalf("%s of shape %v, %+v: %v %v, want %v %v", way, shape, b, fill, out[len(dst):], wantFill, want)
					case !bytes.Equal(out[:len(dst)], dst):
						t.Fatalf("%s: what was there is %q", way, out[:len(dst)])
					case len(dst) > 0 && !bytes.Equal(old, before):
						t.Fatalf("%s: the old chunk is changed", way)
					}
				}
			}
		})
	}
}

// TestLayOverRefuses checks that stored bytes of another length than the chunk return
// fault.Corrupt, and that bytes that are not a valid element are refused.
func TestLayOverRefuses(t *testing.T) {
	c := chunkOf(t, dtype.Bool, []int{4}, Options{}, codec.Bytes(dtype.NoOrder))
	b := grid.Box{Parts: []grid.Part{{Step: 1, N: 2}}}
	part := func(b ...byte) Memory { return Memory{Block: codec.Block{Bytes: b}, Shape: []int{2}} }
	for _, tt := range []struct {
		name string
		old  []byte
		src  Memory
		want string
	}{
		{"shorter", []byte{1, 0, 1}, part(1, 1), "has 3 bytes, want 4"},
		{"longer", []byte{1, 0, 1, 0, 1}, part(1, 1), "has 5 bytes, want 4"},
		{"empty", []byte{}, part(1, 1), "has 0 bytes, want 4"},
		{"no element", []byte{1, 0, 1, 0}, part(1, 7), "7"},
	} {
		out, _, err := c.Encode(tt.old[:0], tt.old, tt.src, b, &Scratch{})
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte(tt.want)) || len(out) != 0 {
			t.Errorf("%s: %v, %v", tt.name, out, err)
		}
	}
}

// laid is Encode, but decodes the whole chunk.
func laid(t *testing.T, c *Chunk, old []byte, src Memory, b grid.Box) (out []byte, fill bool) {
	t.Helper()
	whole := make([]byte, c.Bytes)
	if old != nil {
		if err := c.Chain.Decode(codec.Block{Bytes: whole}, old, nil); err != nil {
			t.Fatal(err)
		}
	}
	b.ToChunk(whole, src.Bytes, src.Shape, c.Shape, c.Size)
	if !c.options.StoreFill && grid.IsFill(whole, c.Fill) {
		return nil, true
	}
	out, err := c.Chain.Encode(nil, codec.Block{Bytes: whole}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out, false
}

// randomBox selects part of a chunk: by ranges with positive or negative steps, lists, or points.
func randomBox(r *rand.Rand, shape []int) grid.Box {
	var b grid.Box
	if r.IntN(5) == 0 {
		for i := range 1 + r.IntN(4) {
			b.Pairs = append(b.Pairs, grid.Pair{Off: r.IntN(product(shape)), To: i})
		}
		return b
	}
	for _, n := range shape {
		p := grid.Part{N: 1 + r.IntN(n), Step: 1}
		switch p.Off = r.IntN(n - p.N + 1); {
		case r.IntN(3) == 0:
			p.Step, p.Off = -1, p.Off+p.N-1
		case r.IntN(3) == 0:
			for i := range p.N {
				p.At, p.To = append(p.At, r.IntN(n)), append(p.To, i)
			}
		}
		b.Parts = append(b.Parts, p)
	}
	return b
}

func allOf(shape []int) grid.Box {
	var b grid.Box
	for _, n := range shape {
		b.Parts = append(b.Parts, grid.Part{Step: 1, N: n})
	}
	return b
}

func chunkOf(t *testing.T, typ dtype.Type, shape []int, o Options, specs ...codec.Spec) *Chunk {
	t.Helper()
	o.ChunkLimit, o.IndexLimit = 1<<20, 1<<20
	p, err := New(codec.Builtin(), specs, codec.Repr{Type: typ, Fill: make([]byte, typ.Size())}, grid.Even(shape), o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.For(shape)
	if err != nil {
		t.Fatal(fmt.Errorf("%v: %w", shape, err))
	}
	return c
}

func ramp(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(1 + i%250)
	}
	return b
}
