package codec

import (
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Spec names a codec and its configuration as v3 metadata does. Codecs that only numcodecs defines,
// and all codecs of a v2 array, have the name "numcodecs." followed by their id, and numcodecs'
// configuration without the id.
type Spec struct {
	Name   string
	Config json.RawMessage // a JSON object; nil is {}
}

// Repr describes the array between two codecs (the "decoded representation" of the v3
// specification).
type Repr struct {
	Shape []int // shape of the chunk; empty for zero dimensions
	Type  dtype.Type
	Fill  []byte // fill value in memory form; nil if undefined

	// Most is the maximum number of bytes of all elements of a chunk, where elements vary in
	// length. It also limits the stored bytes. 0 is no limit.
	Most int64

	// Order is the byte order of the elements after the codec "bytes"; NoOrder before it.
	Order dtype.Order
}

// Block holds the elements of an array in C order: in Bytes, in memory form, if elements have a
// fixed size, else in Items, one item per element.
type Block struct {
	Bytes []byte
	Items [][]byte
}

// ArrayArray transforms an array into another array. It is bound to the Repr of its input on
// encoding.
type ArrayArray interface {
	// Out returns the Repr of its output on encoding.
	Out() Repr
	// Encode fills dst, which has the size of Out, from src. They do not overlap.
	Encode(dst, src Block) error
	// Decode fills dst, which has the size of the bound Repr, from src.
	Decode(dst, src Block) error
}

// ArrayBytes serialises an array. It is bound to the Repr of the array.
type ArrayBytes interface {
	// EncodedSize returns the length of every encoded array, or -1 if lengths vary.
	EncodedSize() int64
	// Worst returns the maximum length of an encoded array. Longer ones are corrupt.
	Worst() int64
	// Encode appends the encoded array to dst.
	Encode(dst []byte, src Block) ([]byte, error)
	// Decode fills dst, which has the size of the Repr. src must encode exactly that array.
	Decode(dst Block, src []byte) error
}

// ItemDecoder is an ArrayBytes of elements of varying length that can decode them one at a time.
// This saves the slice headers of a Block: 24 bytes for each element.
type ItemDecoder interface {
	ArrayBytes
	// DecodeItems calls do with each element of the array that src encodes, in C order. An element
	// is valid until do returns; do must not modify it. DecodeItems stops at the first error of do
	// and returns it.
	DecodeItems(src []byte, do func(item []byte) error) error
}

// MinEncoder is an ArrayBytes of varying length that knows the minimum length of an encoded array.
type MinEncoder interface {
	ArrayBytes
	// MinEncoded returns a lower bound, in bytes, of the length of an encoded array.
	MinEncoded() int64
}

// InPlace is an ArrayBytes whose encoded bytes are as long as the array and can be converted in
// place.
type InPlace interface {
	ArrayBytes
	// DecodeInPlace converts encoded bytes to memory form.
	DecodeInPlace(b []byte) error
	// EncodeInPlace converts memory form to encoded bytes. If it fails, b is undefined.
	EncodeInPlace(b []byte) error
}

// BytesBytes transforms bytes into bytes.
type BytesBytes interface {
	// EncodedSize returns the encoded length of n bytes, or -1 if it depends on their values.
	EncodedSize(n int64) int64
	// Worst returns the maximum encoded length of n bytes, for any encoder that follows the format.
	Worst(n int64) int64
	// Encode appends the encoded form of src to dst.
	Encode(dst, src []byte) ([]byte, error)
	// Decode appends the decoded form of src to dst. If the output exceeds limit bytes, Decode
	// returns fault.Corrupt before it allocates memory for it. If dst has enough capacity, Decode
	// allocates nothing and the result is in dst's array; bytes beyond dst's capacity are never
	// modified. The chain treats an error without a kind as fault.Corrupt, as for every Decode.
	Decode(dst, src []byte, limit int) ([]byte, error)
}

// Placer is a codec that decodes elements directly to their final positions: an ArrayBytes, or a
// BytesBytes after the codec "bytes". DecodeTo fills dst, a box of the array that the codec is
// bound to. It may decode less than the whole array. A BytesBytes leaves the elements in their
// stored byte order. Elements outside the box, and bytes between its elements, are not modified.
type Placer interface {
	DecodeTo(dst Strided, src []byte, s *Scratch) error
}

// Gatherer is an ArrayBytes that reads elements from strided memory. src has all elements of the
// array.
type Gatherer interface {
	ArrayBytes
	// EncodeFrom appends the encoded array to dst.
	EncodeFrom(dst []byte, src Strided, s *Scratch) ([]byte, error)
}

// Mover is an ArrayArray that only moves elements. It maps their positions and copies nothing.
type Mover interface {
	ArrayArray
	// Through maps a box of the input array (on encoding) to the box of the output array that has
	// the same elements in the same memory.
	Through(box Strided) Strided
}

// TypicalEncoder is a BytesBytes whose Worst is much larger than usual encoded lengths.
type TypicalEncoder interface {
	BytesBytes
	// Typical returns a length in bytes that encoders rarely exceed for n bytes. It is at most
	// Worst(n).
	Typical(n int64) int64
}

// View is a BytesBytes whose decoded form is a part of the encoded bytes.
type View interface {
	BytesBytes
	// DecodeView checks src and returns the part that is the decoded form.
	DecodeView(src []byte) ([]byte, error)
}

// Either is a codec that can be used in two positions: as ArrayArray where its input is an array,
// as BytesBytes where it is bytes. numcodecs' filters are of this kind. v3 metadata has them before
// the codec "bytes". v2 metadata has them after it, or after other codecs, where they view any
// bytes as elements. The chain uses the form that fits the position. Each may be nil.
//
// A compressor of numbers has Serial instead of Array: it makes bytes of an array in v3 metadata,
// and follows the codec "bytes" in v2 metadata.
type Either struct {
	Array  ArrayArray
	Bytes  BytesBytes
	Serial ArrayBytes // nil if Array is set
}
