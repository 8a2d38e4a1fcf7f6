package blosc

import (
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Compressor is the compressor of a frame.
type Compressor uint8

// The compressors. LZ4 and LZ4HC have the same format and the same number in a frame.
const (
	BloscLZ Compressor = iota
	LZ4
	LZ4HC
	Snappy
	Zlib
	Zstd
)

var compressorNames = [...]string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}

// String returns the name of the compressor in metadata, where the key is "cname".
func (c Compressor) String() string {
	if int(c) < len(compressorNames) {
		return compressorNames[c]
	}
	return "unknown"
}

// ParseCompressor returns the compressor with the given name in metadata. It returns
// errors.ErrUnsupported if the name is unknown.
func ParseCompressor(name string) (Compressor, error) {
	if i := slices.Index(compressorNames[:], name); i >= 0 {
		return Compressor(i), nil
	}
	return 0, fault.Newf(errors.ErrUnsupported, "blosc compressor %q is unknown", name)
}

// format returns the compressor's number in the flags.
func (c Compressor) format() byte { return [...]byte{0, 1, 1, 2, 3, 4}[c] }

// compressorOf returns the compressor with the given number in the flags, and reports whether there
// is one.
func compressorOf(format byte) (Compressor, bool) {
	if format > 4 {
		return 0, false
	}
	return [...]Compressor{BloscLZ, LZ4, Snappy, Zlib, Zstd}[format], true
}

// Shuffle is the filter that is applied to a block before compression. numcodecs uses the same
// values.
type Shuffle uint8

// The filters. ByteShuffle stores the first bytes of all elements, then the second bytes, and so
// on. BitShuffle stores the first bits of all elements, then the second bits, and so on.
const (
	NoShuffle Shuffle = iota
	ByteShuffle
	BitShuffle
)

var shuffleNames = [...]string{"noshuffle", "shuffle", "bitshuffle"}

// String returns the name of the filter in v3 metadata.
func (s Shuffle) String() string {
	if int(s) < len(shuffleNames) {
		return shuffleNames[s]
	}
	return "unknown"
}

// ParseShuffle returns the filter with the given name in v3 metadata. It returns fault.Metadata if
// the name is unknown.
func ParseShuffle(name string) (Shuffle, error) {
	if i := slices.Index(shuffleNames[:], name); i >= 0 {
		return Shuffle(i), nil
	}
	return 0, fault.Newf(fault.Metadata, "shuffle must be one of %q, is %q", shuffleNames, name)
}
