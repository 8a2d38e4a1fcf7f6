package codec

import (
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Spec is the name and the configuration of a codec, as in v3 metadata. A codec that only numcodecs
// defines, or any codec of a v2 array, has the name "numcodecs." followed by its id. The Config of
// such a codec is the configuration of numcodecs without the id.
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

	// Most is the maximum total size in bytes of a chunk's elements if they vary in length. It also
	// limits the stored bytes. 0 means no limit.
	Most int64

	// Order is the byte order of the elements after the codec "bytes". It is NoOrder before that
	// codec.
	Order dtype.Order
}

// Block holds the elements of an array in C order. Elements of a fixed size are in Bytes, in memory
// form. Other elements are in Items, one item per element.
type Block struct {
	Bytes []byte
	Items [][]byte
}

// ArrayArray transforms an array into another array. It is bound to the Repr of the array that it
// encodes.
type ArrayArray interface {
	// Out returns the Repr of the output on encoding.
	Out() Repr
	// Encode fills dst with the encoded form of src. dst has the size of Out and does not overlap
	// src.
	Encode(dst, src Block) error
	// Decode fills dst with the decoded form of src. dst has the size of the Repr that the codec is
	// bound to.
	Decode(dst, src Block) error
}

// ArrayBytes serialises an array. It is bound to the Repr of the array.
type ArrayBytes interface {
	// EncodedSize returns the length of every encoded array, or -1 if lengths vary.
	EncodedSize() int64
	// Worst returns the maximum length of an encoded array. Longer encoded arrays are corrupt.
	Worst() int64
	// Encode appends the encoded array to dst.
	Encode(dst []byte, src Block) ([]byte, error)
	// Decode fills dst, which has the size of the Repr. src must encode exactly one such array.
	Decode(dst Block, src []byte) error
}

// ItemDecoder is an ArrayBytes for elements of varying length that can decode one element at a
// time. A caller then needs no Block, which has a slice header of 24 bytes for each element.
type ItemDecoder interface {
	ArrayBytes
	// DecodeItems calls do with each element of the array that src encodes, in C order. An element
	// is valid until do returns, and do must not modify it. DecodeItems stops at the first error of
	// do and returns it.
	DecodeItems(src []byte, do func(item []byte) error) error
}

// MinEncoder is an ArrayBytes with encoded arrays of varying length whose minimum length is known.
type MinEncoder interface {
	ArrayBytes
	// MinEncoded returns a lower bound, in bytes, of the length of an encoded array.
	MinEncoded() int64
}

// InPlace is an ArrayBytes whose encoded form has the length of the array and can be converted in
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
	// returns fault.Corrupt before it allocates memory for the output. If dst has enough capacity,
	// Decode allocates nothing and the result is in dst's array. It never modifies bytes beyond
	// dst's capacity. The chain treats an error without a kind as fault.Corrupt, as for every
	// Decode.
	Decode(dst, src []byte, limit int) ([]byte, error)
}

// Placer is a codec that decodes elements directly to their final positions. It is an ArrayBytes,
// or a BytesBytes after the codec "bytes". DecodeTo fills dst, a box of the array that the codec is
// bound to, and may skip elements outside the box. A BytesBytes leaves the elements in their stored
// byte order. DecodeTo modifies only the elements of the box, not the memory between them.
type Placer interface {
	DecodeTo(dst Strided, src []byte, s *Scratch) error
}

// Gatherer is an ArrayBytes that reads elements from strided memory. src contains all elements of
// the array.
type Gatherer interface {
	ArrayBytes
	// EncodeFrom appends the encoded array to dst.
	EncodeFrom(dst []byte, src Strided, s *Scratch) ([]byte, error)
}

// Mover is an ArrayArray that only moves elements. It maps positions, so no elements are copied.
type Mover interface {
	ArrayArray
	// Through maps a box of the input array (on encoding) to the box of the output array that has
	// the same elements in the same memory.
	Through(box Strided) Strided
}

// TypicalEncoder is a BytesBytes whose Worst is much larger than typical encoded lengths.
type TypicalEncoder interface {
	BytesBytes
	// Typical returns a length in bytes that the encoded form of n bytes rarely exceeds. It is at
	// most Worst(n).
	Typical(n int64) int64
}

// View is a BytesBytes whose decoded form is a part of the encoded bytes.
type View interface {
	BytesBytes
	// DecodeView checks src and returns the part that is the decoded form.
	DecodeView(src []byte) ([]byte, error)
}

// Either is a codec for two positions: an ArrayArray if its input is an array, and a BytesBytes if
// its input is bytes. The filters of numcodecs are such codecs. In v3 metadata, they precede the
// codec "bytes". In v2 metadata, they follow "bytes" or other codecs, and treat any input bytes as
// elements. The chain uses the form that fits the position. Any field may be nil.
//
// A compressor of numbers, such as pcodec, has the field Serial instead of Array. In v3 metadata it
// converts an array to bytes. In v2 metadata it follows the codec "bytes".
type Either struct {
	Array  ArrayArray
	Bytes  BytesBytes
	Serial ArrayBytes // nil if Array is set
}
