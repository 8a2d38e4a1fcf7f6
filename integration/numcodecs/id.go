package numcodecs

import (
	"encoding/json"
	"maps"
	"math/rand/v2"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// ID describes one codec of numcodecs and the random arrays that test it.
type ID struct {
	Name    string   // name of the subtest, if an id has several
	ID      string   // id in numcodecs
	Library string   // the reference implementation; see [Question]
	Types   []string // data types of the arrays, named as in numpy and v2 metadata
	Cases   int      // number of arrays

	// Config returns a random configuration without the id. nil means an empty configuration.
	Config func(r *rand.Rand, t dtype.Type) Config
	// Contents fills an array in memory form. nil means the function [Contents]. The array may
	// contain values that are invalid for t.
	Contents func(r *rand.Rand, t dtype.Type, array []byte)
	// Elems is the maximum number of elements of an array; 0 means 20,000.
	Elems int

	Exact    bool // both encode to the same bytes
	Lossy    bool // an array is not restored; both change it in the same way
	ReadOnly bool // zargo does not encode with this codec
	// NonEmpty excludes empty arrays. It is set if the reference implementation encodes an empty
	// array as no bytes, or cannot read its own encoding of an empty array.
	NonEmpty bool
}

// Config is a configuration of numcodecs, with or without the id.
type Config map[string]any

// JSON returns the configuration in the form of v2 metadata.
func (c Config) JSON(id string) json.RawMessage {
	all := Config{"id": id}
	maps.Copy(all, c)
	b, err := json.Marshal(all)
	if err != nil {
		panic(err) // it consists of numbers, text and lists of these
	}
	return b
}

// Contents fills an array of elements of t with one of several kinds of contents.
func Contents(r *rand.Rand, t dtype.Type, array []byte) {
	size := max(t.Size(), 1)
	switch r.IntN(7) {
	case 0: // zeros
	case 1: // noise
		fill(r, array)
	case 2: // sparse
		for i := r.IntN(50); i < len(array); i += 1 + r.IntN(200) {
			array[i] = byte(r.Uint32())
		}
	case 3: // a ramp of elements
		step := 1 + r.IntN(300)
		for i := 0; i+size <= len(array); i += size {
			v := uint64(i / size * step)
			for k := range min(size, 8) {
				array[i+k] = byte(v >> (8 * k))
			}
		}
	case 4: // a random walk of elements
		v := r.Uint64()
		for i := 0; i+size <= len(array); i += size {
			v += uint64(r.IntN(17)) - 8
			for k := range min(size, 8) {
				array[i+k] = byte(v >> (8 * k))
			}
		}
	case 5: // words
		words := make([][]byte, 1+r.IntN(40))
		for i := range words {
			words[i] = make([]byte, 1+r.IntN(30))
			fill(r, words[i])
		}
		for i := 0; i < len(array); {
			i += copy(array[i:], words[r.IntN(len(words))])
		}
	case 6: // runs
		for i := 0; i < len(array); {
			n, v := 1+r.IntN(1+r.IntN(2000)), byte(r.Uint32())
			for ; n > 0 && i < len(array); n-- {
				array[i] = v
				i++
			}
		}
	}
}

func fill(r *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
}

// length returns a random number of elements up to most: zero, one, a small number, a number near a
// power of two, or any number.
func length(r *rand.Rand, most int) int {
	switch r.IntN(10) {
	case 0:
		return 0
	case 1:
		return 1
	case 2, 3, 4:
		return r.IntN(min(most, 40) + 1)
	case 5, 6:
		return min(most, max(0, 1<<r.IntN(16)+r.IntN(5)-2))
	}
	return r.IntN(most + 1)
}

// Length returns a random number of elements.
func (id ID) Length(r *rand.Rand) int {
	most := id.Elems
	if most == 0 {
		most = 20_000
	}
	n := length(r, most)
	if id.NonEmpty {
		n = max(n, 1)
	}
	return n
}

// Fill fills an array in memory form.
func (id ID) Fill(r *rand.Rand, t dtype.Type, array []byte) {
	if id.Contents != nil {
		id.Contents(r, t, array)
		return
	}
	Contents(r, t, array)
}
