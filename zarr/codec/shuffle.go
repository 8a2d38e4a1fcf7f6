package codec

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/zargo-io/zargo/zarr/codec/internal/planes"
	"github.com/zargo-io/zargo/zarr/fault"
)

// shuffleCodec is numcodecs' shuffle. It stores the first bytes of all elements, then the second
// bytes, and so on. Its element size may differ from the array's.
type shuffleCodec struct{ size int }

// newShuffle reads "elementsize". Every writer sets it. Without it, zarr-python assumes the size of
// the data type in v3. In v2, numcodecs assumes 4 bytes, which package meta adds to the
// configuration.
func newShuffle(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	c.dropNull("elementsize")
	size := c.integer("elementsize", in.Type.Size(), math.MinInt32, math.MaxInt32)
	if err := c.close(); err != nil {
		return nil, err
	}
	return shuffleCodec{max(size, 1)}, nil // numcodecs does not shuffle if the size is 1 or less
}

func (shuffleCodec) EncodedSize(n int64) int64 { return n }
func (shuffleCodec) Worst(n int64) int64       { return n }

// Encode rejects a partial element at the end, as numcodecs does, because Decode could not read it.
func (s shuffleCodec) Encode(dst, src []byte) ([]byte, error) {
	if len(src)%s.size != 0 {
		return dst, fault.Newf(fault.Metadata, "%d bytes are not a multiple of the element size %d", len(src), s.size)
	}
	dst, out := extend(dst, len(src))
	planes.Split(out, src, s.size)
	return dst, nil
}

func (s shuffleCodec) Decode(dst, src []byte, limit int) ([]byte, error) {
	switch {
	case len(src) > limit:
		return dst, fault.Newf(fault.Corrupt, "decoded to %d bytes, want at most %d", len(src), limit)
	case len(src)%s.size != 0:
		return dst, fault.Newf(fault.Corrupt, "%d bytes are not a multiple of the element size %d", len(src), s.size)
	}
	dst, out := extend(dst, len(src))
	planes.Join(out, src, s.size)
	return dst, nil
}

// extend grows dst by n bytes of undefined contents. It returns the whole slice and the new part.
func extend(dst []byte, n int) (all, more []byte) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	return all, all[len(dst):]
}
