package codec

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/codec/internal/planes"
	"github.com/zargo-io/zargo/zarr/fault"
)

// shuffleCodec is numcodecs' shuffle: the first bytes of all elements, then the second ones, and so
// on. Its elements may have another size than the array's.
type shuffleCodec struct{ size int }

// newShuffle wants the size of elements said, as every writer says it: without, numcodecs assumes
// 4, and zarr-python in v3 what the data type has.
func newShuffle(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	c.dropNull("elementsize")
	if _, ok := c.members["elementsize"]; !ok && in.Type.Size() != 4 {
		c.fail("\"elementsize\" is not said, which means 4 to some and %d to others", in.Type.Size())
	}
	size := c.integer("elementsize", 4, math.MinInt32, math.MaxInt32)
	if err := c.close(); err != nil {
		return nil, err
	}
	return shuffleCodec{max(size, 1)}, nil // numcodecs leaves bytes as they are up to 1
}

func (shuffleCodec) EncodedSize(n int64) int64 { return n }
func (shuffleCodec) Worst(n int64) int64       { return n }

// Encode refuses bytes that are no whole elements, as numcodecs does, which would not read them
// either.
func (s shuffleCodec) Encode(dst, src []byte) ([]byte, error) {
	if len(src)%s.size != 0 {
		return dst, fault.Newf(fault.Metadata, "%d bytes are no whole elements of %d", len(src), s.size)
	}
	dst, out := extend(dst, len(src))
	planes.Split(out, src, s.size)
	return dst, nil
}

func (s shuffleCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	switch {
	case len(src) > limit:
		return dst, fault.Newf(fault.Corrupt, "%d bytes, at most %d are due", len(src), limit)
	case len(src)%s.size != 0:
		return dst, fault.Newf(fault.Corrupt, "%d bytes are no whole elements of %d", len(src), s.size)
	}
	dst, out := extend(dst, len(src))
	planes.Join(out, src, s.size)
	return dst, nil
}

// extend gives dst n more bytes, whose contents are undefined, and those alone too.
func extend(dst []byte, n int) (all, more []byte) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	return all, all[len(dst):]
}
