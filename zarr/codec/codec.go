package codec

import (
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Spec names a codec and its configuration as v3 metadata does. Codecs that only numcodecs defines,
// and every codec of a v2 array, have the name "numcodecs." + id and numcodecs' configuration
// without the id.
type Spec struct {
	Name   string
	Config json.RawMessage // an object; nil is {}
}

// Repr describes an array between two codecs: "decoded representation" in the v3 specification.
type Repr struct {
	Shape []int // the chunk's shape; empty for zero dimensions
	Type  dtype.Type
	Fill  []byte // fill value in memory form; nil when undefined

	// Most bounds the bytes of all elements of a chunk where they vary in length, and so what may
	// be stored of them; 0 is no bound.
	Most int64

	// Order is the byte order of the elements behind a codec "bytes"; NoOrder before it.
	Order dtype.Order
}

// Block is the contents of an array in C order: Bytes in memory form where elements have a size,
// else one item for each element.
type Block struct {
	Bytes []byte
	Items [][]byte
}

// ArrayArray transforms an array into another array. It is bound to the Repr that enters it on
// encoding.
type ArrayArray interface {
	// Out is the Repr that leaves it on encoding.
	Out() Repr
	// Encode fills dst, sized for Out, from src. They do not overlap.
	Encode(dst, src Block) error
	// Decode fills dst, sized for the Repr it is bound to, from src.
	Decode(dst, src Block) error
}

// ArrayBytes serialises an array. It is bound to the Repr that enters it.
type ArrayBytes interface {
	// EncodedSize is the length of every encoded array, or -1 when it varies.
	EncodedSize() int64
	// Worst bounds the length of an encoded array; a longer one is corrupt.
	Worst() int64
	// Encode appends the encoded array to dst.
	Encode(dst []byte, src Block) ([]byte, error)
	// Decode fills dst, sized for the Repr, with exactly what src encodes.
	Decode(dst Block, src []byte) error
}

// ItemDecoder is an ArrayBytes of elements that vary in length which gives them one by one: a slice
// for each of millions of them would take 24 bytes.
type ItemDecoder interface {
	ArrayBytes
	// DecodeItems calls do with each element of the array that src encodes, in C order. An element
	// is valid until do returns, and not to be changed. An error of do ends it.
	DecodeItems(src []byte, do func(item []byte) error) error
}

// MinEncoder is an ArrayBytes that knows how short an encoded array can be, where the length
// varies.
type MinEncoder interface {
	ArrayBytes
	// MinEncoded is a length in bytes that no encoded array falls short of.
	MinEncoded() int64
}

// InPlace is an ArrayBytes whose encoded bytes have the length of the array and become it where
// they lie.
type InPlace interface {
	ArrayBytes
	// DecodeInPlace turns encoded bytes into memory form.
	DecodeInPlace(b []byte) error
	// EncodeInPlace turns memory form into the encoded bytes. After an error they are undefined.
	EncodeInPlace(b []byte) error
}

// BytesBytes transforms bytes into bytes.
type BytesBytes interface {
	// EncodedSize is the encoded length of n bytes, or -1 when it depends on the bytes.
	EncodedSize(n int64) int64
	// Worst bounds the encoded length of n bytes, generously enough for any encoder that follows
	// the format.
	Worst(n int64) int64
	// Encode appends the encoded form of src to dst.
	Encode(dst, src []byte) ([]byte, error)
	// Decode appends the decoded form of src to dst. Output of more than limit bytes is
	// fault.Corrupt, found before memory for it is allocated. Where dst has the capacity, nothing
	// is allocated and the result lies in dst's array; bytes beyond dst's capacity are never
	// touched. An error without a kind is fault.Corrupt to the chain, and so with every Decode.
	Decode(dst, src []byte, limit int) ([]byte, error)
}

// Placer is an ArrayBytes, or a BytesBytes that stands behind the codec "bytes", which decodes to
// where elements belong: the box of the array that it is bound to, or less of it where the rest
// need not be known. The box has the type's elements, in their stored byte order where the codec is
// a BytesBytes. Elements outside it, and bytes between its own, are not touched.
type Placer interface {
	DecodeTo(dst Strided, src []byte, s *Scratch) error
}

// Gatherer is an ArrayBytes that takes elements from where they lie: a box of all of the array.
type Gatherer interface {
	ArrayBytes
	// EncodeFrom appends the encoded array to dst.
	EncodeFrom(dst []byte, src Strided, s *Scratch) ([]byte, error)
}

// Mover is an ArrayArray that only moves elements. It does so by naming other places for them, and
// copies nothing.
type Mover interface {
	ArrayArray
	// Through is, for a box of the array that enters it on encoding, the same elements in the same
	// memory as a box of the array that leaves it.
	Through(box Strided) Strided
}

// TypicalEncoder is a BytesBytes whose Worst allows for more than encoders usually make.
type TypicalEncoder interface {
	BytesBytes
	// Typical is a length in bytes that encoders rarely exceed for n bytes. It is at most Worst(n).
	Typical(n int64) int64
}

// View is a BytesBytes whose decoded form lies within the encoded bytes.
type View interface {
	BytesBytes
	// DecodeView returns the part of src that is the decoded form, after checking it.
	DecodeView(src []byte) ([]byte, error)
}

// Either is a codec that stands in two places: from array to array where an array enters it, and
// from bytes to bytes where bytes do. numcodecs' filters are of this kind: v3 metadata has them
// before the codec "bytes", v2 metadata after it, or after other codecs, and there they view
// whatever bytes they get as elements. The chain takes the form that fits the place; either may be
// nil.
type Either struct {
	Array ArrayArray
	Bytes BytesBytes
}
