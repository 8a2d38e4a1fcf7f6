package codec

import (
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// rawBytes is the v3 core codec "bytes": the elements in C order, each in one byte order.
type rawBytes struct {
	typ  dtype.Type
	size int  // of the array
	swap bool // stored big-endian
}

// newBytes refuses numbers of more than one byte without an order, as the specification and TensorStore do: zarr-python
// takes the machine's own, which is a guess.
func newBytes(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	endian := c.text("endian", "", "little", "big")
	if err := c.close(); err != nil {
		return nil, err
	}
	if endian == "" && in.Type.HasOrder() {
		return nil, fault.Newf(fault.Metadata, "%v needs \"endian\"", in.Type)
	}
	if in.Type.Size() == 0 {
		return nil, fault.Newf(fault.Metadata, "elements of %v have no fixed size", in.Type)
	}
	size, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	return &rawBytes{in.Type, size, endian == "big" && in.Type.HasOrder()}, nil
}

func (c *rawBytes) EncodedSize() int64 { return int64(c.size) }
func (c *rawBytes) MaxEncoded() int64  { return int64(c.size) }

func (c *rawBytes) Encode(dst []byte, src Block) ([]byte, error) {
	start := len(dst)
	dst = append(dst, src.Bytes...)
	if c.swap {
		c.typ.Swap(dst[start:])
	}
	return dst, nil
}

// plain gives the encoded form where it is that of memory, so that it need not be copied.
func (c *rawBytes) plain(src Block) ([]byte, bool) { return src.Bytes, !c.swap }

func (c *rawBytes) Decode(dst Block, src []byte) error {
	if len(src) != c.size {
		return fault.Newf(fault.Corrupt, "%d bytes, the chunk has %d", len(src), c.size)
	}
	copy(dst.Bytes, src)
	return c.DecodeInPlace(dst.Bytes)
}

func (c *rawBytes) DecodeInPlace(b []byte) error {
	if c.swap {
		c.typ.Swap(b)
	}
	c.typ.Canon(b)
	return nil
}
