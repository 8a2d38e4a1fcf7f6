package number

import (
	"encoding/binary"
	"math"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Len is the number of elements of a full block. The three fields of a Block have 4 KiB each and
// thus fit into the first-level cache.
const Len = 512

// Block holds up to Len elements between steps. Integers, booleans and times are in Int, extended
// to 64 bits. Floats are in Re, and complex numbers in Re and Im.
type Block struct {
	N      int
	Int    [Len]uint64
	Re, Im [Len]float64
	Err    error // set by a step that fails; it ends the run
}

// Step processes all elements of a block. A Step receives the blocks of one array in order.
type Step func(b *Block)

// Run applies steps to the elements of src and stores the results in dst. src has elements of the
// type from, and dst has the same number of elements of the type to.
func Run(dst, src []byte, from, to Type, steps ...Step) error {
	if len(steps) == 0 && from.Kind == to.Kind && from.Size == to.Size {
		same(dst, src, from, to)
		return nil
	}
	b := new(Block)
	for len(src) > 0 {
		b.N = min(Len, len(src)/from.Size)
		from.load(b, src[:b.N*from.Size])
		for _, s := range steps {
			if s(b); b.Err != nil {
				return b.Err
			}
		}
		to.store(dst[:b.N*to.Size], b)
		src, dst = src[b.N*from.Size:], dst[b.N*to.Size:]
	}
	return nil
}

// same copies elements to a type that differs at most in the byte order. NaNs keep all bits.
func same(dst, src []byte, from, to Type) {
	copy(dst, src)
	if from.Big == to.Big {
		return
	}
	n := from.unit()
	for ; len(dst) > 0; dst = dst[n:] {
		for i := range n / 2 {
			dst[i], dst[n-1-i] = dst[n-1-i], dst[i]
		}
	}
}

// getBits reads numbers of "size" bytes each into the low bits of dst.
func getBits(dst []uint64, src []byte, size int, big bool) {
	switch {
	case size == 1:
		for i := range dst {
			dst[i] = uint64(src[i])
		}
	case size == 2 && big:
		for i := range dst {
			dst[i] = uint64(binary.BigEndian.Uint16(src[2*i:]))
		}
	case size == 2:
		for i := range dst {
			dst[i] = uint64(binary.LittleEndian.Uint16(src[2*i:]))
		}
	case size == 4 && big:
		for i := range dst {
			dst[i] = uint64(binary.BigEndian.Uint32(src[4*i:]))
		}
	case size == 4:
		for i := range dst {
			dst[i] = uint64(binary.LittleEndian.Uint32(src[4*i:]))
		}
	case big:
		for i := range dst {
			dst[i] = binary.BigEndian.Uint64(src[8*i:])
		}
	default:
		for i := range dst {
			dst[i] = binary.LittleEndian.Uint64(src[8*i:])
		}
	}
}

// putBits writes the low bits of src as numbers of "size" bytes each.
func putBits(dst []byte, src []uint64, size int, big bool) {
	switch {
	case size == 1:
		for i, u := range src {
			dst[i] = byte(u)
		}
	case size == 2 && big:
		for i, u := range src {
			binary.BigEndian.PutUint16(dst[2*i:], uint16(u))
		}
	case size == 2:
		for i, u := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(u))
		}
	case size == 4 && big:
		for i, u := range src {
			binary.BigEndian.PutUint32(dst[4*i:], uint32(u))
		}
	case size == 4:
		for i, u := range src {
			binary.LittleEndian.PutUint32(dst[4*i:], uint32(u))
		}
	case big:
		for i, u := range src {
			binary.BigEndian.PutUint64(dst[8*i:], u)
		}
	default:
		for i, u := range src {
			binary.LittleEndian.PutUint64(dst[8*i:], u)
		}
	}
}

func (t Type) load(b *Block, src []byte) {
	n := b.N
	if t.Kind == Complex {
		half := make([]byte, len(src)/2)
		for part, to := range []*[Len]float64{&b.Re, &b.Im} {
			u := t.unit()
			for i := range n {
				copy(half[i*u:(i+1)*u], src[i*t.Size+part*u:])
			}
			getBits(b.Int[:n], half, u, t.Big)
			floats(to[:n], b.Int[:n], u)
		}
		return
	}
	getBits(b.Int[:n], src, t.Size, t.Big)
	switch {
	case t.Kind == Float:
		floats(b.Re[:n], b.Int[:n], t.Size)
	case t.Kind == Bool || t.Kind == Int && t.Size < 8:
		for i, u := range b.Int[:n] {
			b.Int[i] = t.wrap(u)
		}
	}
}

func (t Type) store(dst []byte, b *Block) {
	n := b.N
	switch t.Kind {
	case Complex:
		half := make([]byte, len(dst)/2)
		for part, from := range []*[Len]float64{&b.Re, &b.Im} {
			u := t.unit()
			floatBits(b.Int[:n], from[:n], u)
			putBits(half, b.Int[:n], u, t.Big)
			for i := range n {
				copy(dst[i*t.Size+part*u:], half[i*u:(i+1)*u])
			}
		}
		return
	case Float:
		floatBits(b.Int[:n], b.Re[:n], t.Size)
	}
	putBits(dst, b.Int[:n], t.Size, t.Big)
}

// floats converts the bit patterns of floats of "size" bytes to float64. Signalling NaNs stay
// signalling, unlike with the processor's conversion.
func floats(dst []float64, src []uint64, size int) {
	switch size {
	case 2:
		for i, u := range src {
			dst[i] = half(dtype.F16(u))
		}
	case 4:
		for i, u := range src {
			dst[i] = float64(math.Float32frombits(uint32(u)))
			if u&0x7f800000 == 0x7f800000 {
				dst[i] = special(u>>31, u&0x7fffff<<29)
			}
		}
	default:
		for i, u := range src {
			dst[i] = math.Float64frombits(u)
		}
	}
}

func half(h dtype.F16) float64 {
	if h&0x7c00 == 0x7c00 {
		return special(uint64(h>>15), uint64(h&0x3ff)<<42)
	}
	return float64(h.Float32())
}

// special returns the infinity or NaN with the given sign and fraction bits.
func special(sign, fraction uint64) float64 {
	return math.Float64frombits(sign<<63 | 0x7ff<<52 | fraction)
}

func floatBits(dst []uint64, src []float64, size int) {
	switch size {
	case 2:
		for i, f := range src {
			dst[i] = uint64(dtype.Round[dtype.F16](f))
		}
	case 4:
		for i, f := range src {
			dst[i] = uint64(math.Float32bits(float32(f)))
			if f != f {
				dst[i] = nan32(math.Float64bits(f))
			}
		}
	default:
		for i, f := range src {
			dst[i] = math.Float64bits(f)
		}
	}
}

// nan32 returns the float32 bits of a NaN with the float64 bits u. Signalling NaNs stay signalling.
func nan32(u uint64) uint64 {
	fraction := u & (1<<52 - 1) >> 29
	if fraction == 0 {
		fraction = 1 << 22
	}
	return u>>63<<31 | 0x7f800000 | fraction
}
