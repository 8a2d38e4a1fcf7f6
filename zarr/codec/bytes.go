package codec

import (
	"encoding/json"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// rawBytes is the v3 core codec "bytes": the elements in C order, each in one byte order.
type rawBytes struct {
	typ   dtype.Type
	size  int // of the array
	order dtype.Order
	swap  func(b []byte) // from stored to memory form and back; nil where they are the same

	judge func(rule.Finding) error // asked about elements that are no memory form; nil lets them pass
}

// newBytes takes little-endian order where elements have an order and the configuration has none, which the specification
// requires and package meta reports (rule.NoEndian). zarr-python before 3.4 takes the machine's own order there, which is
// little-endian wherever it is used; zarr-python 3.4 and TensorStore refuse it. The data type "structured" is written so.
func newBytes(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	endian := c.text("endian", "", "little", "big")
	if err := c.close(); err != nil {
		return nil, err
	}
	if in.Type.Size() == 0 {
		return nil, fault.Newf(fault.Metadata, "elements of %v have no fixed size", in.Type)
	}
	size, err := in.Bytes()
	if err != nil {
		return nil, err
	}
	order := dtype.Little
	if endian == "big" {
		order = dtype.Big
	}
	return &rawBytes{in.Type, size, order, dtype.Reorder(in.Type, order), nil}, nil
}

func (c *rawBytes) setJudge(judge func(rule.Finding) error) { c.judge = judge }

func (c *rawBytes) EncodedSize() int64 { return int64(c.size) }
func (c *rawBytes) MaxEncoded() int64  { return int64(c.size) }

func (c *rawBytes) Encode(dst []byte, src Block) ([]byte, error) {
	if err := c.check(src.Bytes); err != nil {
		return dst, err
	}
	start := len(dst)
	dst = append(dst, src.Bytes...)
	if c.swap != nil {
		c.swap(dst[start:])
	}
	return dst, nil
}

// check refuses what is no memory form: nobody could tell what it meant.
func (c *rawBytes) check(b []byte) error {
	if k, ok := c.typ.(dtype.Checker); ok {
		return k.Check(b)
	}
	return nil
}

// plain gives the encoded form where it is that of memory, so that it need not be copied.
func (c *rawBytes) plain(src Block) ([]byte, bool) {
	return src.Bytes, c.swap == nil && c.check(src.Bytes) == nil
}

func (c *rawBytes) Decode(dst Block, src []byte) error {
	if len(src) != c.size {
		return fault.Newf(fault.Corrupt, "%d bytes, the chunk has %d", len(src), c.size)
	}
	copy(dst.Bytes, src)
	return c.DecodeInPlace(dst.Bytes)
}

func (c *rawBytes) DecodeInPlace(b []byte) error {
	if c.swap != nil {
		c.swap(b)
	}
	if c.judge != nil {
		if err := c.check(b); err != nil {
			if err := c.judge(rule.Finding{Rule: rule.ElementForm, Text: strings.TrimPrefix(err.Error(), fault.Type.Error()+": ")}); err != nil {
				return err
			}
		}
	}
	c.typ.Canon(b)
	return nil
}
