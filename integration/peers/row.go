package peers

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Row describes one array. The Python process receives it as JSON.
type Row struct {
	Name      string  `json:"name"` // also used as path
	Format    int     `json:"format"`
	DType     string  `json:"dtype"`
	Order     string  `json:"order"`     // "little" or "big"
	Transpose []int   `json:"transpose"` // nil means C order; v2 supports only the reversal
	Shape     []int   `json:"shape"`
	Chunks    []int   `json:"chunks"`
	Keys      string  `json:"keys"` // chunk key encoding, "default" or "v2"
	Separator string  `json:"separator"`
	Fill      *string `json:"fill"` // memory form in hex; nil means v2's null
	Codecs    []Codec `json:"codecs"`
	// Missing omits every chunk whose index in C order is k with k % 3 == 1.
	Missing bool           `json:"missing"`
	Seed    uint64         `json:"seed"`
	Attrs   map[string]any `json:"attrs"`
	Dims    []string       `json:"dims"`

	ReadOnly bool `json:"-"` // zargo does not write such arrays
}

// Codec is one codec after the array-to-bytes codec, with the configuration members of v3.
type Codec struct {
	Name     string `json:"name"`
	Level    *int   `json:"level,omitempty"`
	Checksum *bool  `json:"checksum,omitempty"`
	Cname    string `json:"cname,omitempty"`
	Clevel   *int   `json:"clevel,omitempty"`
	Shuffle  string `json:"shuffle,omitempty"`
}

// String formats the codec, for example as "blosc-lz4-shuffle" or "zstd-checksum".
func (c Codec) String() string {
	parts := []string{c.Name}
	for _, p := range []string{c.Cname, c.Shuffle} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if c.Checksum != nil && *c.Checksum {
		parts = append(parts, "checksum")
	}
	return strings.Join(parts, "-")
}

// Len returns the number of elements.
func (r Row) Len() int {
	n := 1
	for _, d := range r.Shape {
		n *= d
	}
	return n
}

// Type returns the data type.
func (r Row) Type() dtype.Type { return types()[r.DType] }

// FillBytes returns one element of the fill value, or zero if it is undefined.
func (r Row) FillBytes() []byte {
	if r.Fill == nil {
		return make([]byte, r.Type().Size())
	}
	b, err := hex.DecodeString(*r.Fill)
	if err != nil {
		panic(err) // the matrix is constant
	}
	return b
}

// mix is the finalizer of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, 2014).
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// Full returns every element in memory form, as if no chunk were missing. A complex element
// consists of two numbers. Number i has the low bits of i*3+seed, mix(i+seed) or mix(seed). Runs of
// 32 numbers alternate: two runs with slowly increasing bits, one with random bits, and one with
// constant bits. The data is therefore partly compressible, and floats have all kinds of bit
// patterns, including NaN payloads.
func (r Row) Full() []byte {
	parts := 1
	if strings.HasPrefix(r.DType, "complex") {
		parts = 2
	}
	width := r.Type().Size() / parts
	out := make([]byte, 0, r.Len()*parts*width)
	for i := range uint64(r.Len() * parts) {
		var v uint64
		switch i >> 5 & 3 {
		case 0, 1:
			v = i*3 + r.Seed
		case 2:
			v = mix(i + r.Seed)
		default:
			v = mix(r.Seed)
		}
		if r.DType == "bool" {
			v &= 1
		}
		out = append(out, binary.LittleEndian.AppendUint64(nil, v)[:width]...)
	}
	return out
}

// Box is a part of an array, from Lo (inclusive) to Hi (exclusive) along each axis.
type Box struct{ Lo, Hi []int }

// Written returns the region of each chunk that is written.
func (r Row) Written() []Box {
	var boxes []Box
	k := 0
	var walk func(lo, hi []int)
	walk = func(lo, hi []int) {
		axis := len(lo)
		if axis == len(r.Shape) {
			if !r.Missing || k%3 != 1 {
				boxes = append(boxes, Box{append([]int{}, lo...), append([]int{}, hi...)})
			}
			k++
			return
		}
		for at := 0; at < r.Shape[axis]; at += r.Chunks[axis] {
			walk(append(lo, at), append(hi, min(at+r.Chunks[axis], r.Shape[axis])))
		}
	}
	walk(nil, nil)
	return boxes
}

// Expected returns every element in memory form, as readers must return it.
func (r Row) Expected() []byte {
	full := r.Full()
	if !r.Missing {
		return full
	}
	fill := r.FillBytes()
	out := make([]byte, 0, len(full))
	for range r.Len() {
		out = append(out, fill...)
	}
	for _, b := range r.Written() {
		for _, run := range r.runs(b) {
			copy(out[run[0]:run[1]], full[run[0]:run[1]])
		}
	}
	return out
}

// Part returns the elements of a box of full, in C order.
func (r Row) Part(full []byte, b Box) []byte {
	var out []byte
	for _, run := range r.runs(b) {
		out = append(out, full[run[0]:run[1]]...)
	}
	return out
}

// runs returns the start and the end of each row of a box, as byte offsets in the array.
func (r Row) runs(b Box) [][2]int {
	size := r.Type().Size()
	if len(r.Shape) == 0 {
		return [][2]int{{0, size}}
	}
	var out [][2]int
	var walk func(axis, off int)
	walk = func(axis, off int) {
		if axis == len(r.Shape)-1 {
			out = append(out, [2]int{(off*r.Shape[axis] + b.Lo[axis]) * size, (off*r.Shape[axis] + b.Hi[axis]) * size})
			return
		}
		for i := b.Lo[axis]; i < b.Hi[axis]; i++ {
			walk(axis+1, off*r.Shape[axis]+i)
		}
	}
	walk(0, 0)
	return out
}
