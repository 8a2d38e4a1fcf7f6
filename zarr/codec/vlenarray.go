package codec

import (
	"bytes"
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// vlenArray is numcodecs' "vlen-array", whose format is that of vlen-bytes. Each element contains
// the numbers of an array, in the byte order of their type.
type vlenArray struct {
	vlen
	of dtype.Ragged
}

func newVlenArray(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	typ, _ := c.take("dtype")
	if err := c.close(); err != nil {
		return nil, err
	}
	elem, order, err := numpyType(typ)
	if err != nil {
		return nil, err
	}
	of, err := dtype.RaggedOf(elem, order)
	if err != nil {
		return nil, err
	}
	if have, ok := in.Type.(dtype.Ragged); !ok || !dtype.Equal(have.Elem, elem) {
		return nil, fault.Newf(fault.Metadata, "elements must be %v, are %v", of, in.Type)
	}
	in.Type = dtype.Bytes
	v, err := newVlen(dtype.Bytes)(nil, in)
	if err != nil {
		return nil, err
	}
	return &vlenArray{*v.(*vlen), of}, nil
}

// numpyType reads a dtype as in v2 metadata. A dtype without a byte order is little-endian.
func numpyType(raw json.RawMessage) (dtype.Type, dtype.Order, error) {
	t, o, err := dtype.ParseV2(raw)
	var s string
	if err == nil || json.Unmarshal(raw, &s) != nil {
		return t, o, err
	}
	for _, order := range [...]string{"<", "|"} {
		again, err := json.Marshal(order + s)
		if err != nil {
			continue
		}
		if t, o, err := dtype.ParseV2(again); err == nil {
			return t, o, nil
		}
	}
	return t, o, err
}

func (c *vlenArray) Encode(dst []byte, src Block) ([]byte, error) {
	items := src.Items
	swap := dtype.Reorder(c.of.Elem, c.of.Order)
	if swap != nil {
		items = make([][]byte, len(src.Items))
	}
	for i, b := range src.Items {
		if err := c.whole(i, b, fault.Type); err != nil {
			return dst, err
		}
		if k, ok := c.of.Elem.(dtype.Checker); ok {
			if err := k.Check(b); err != nil {
				return dst, err
			}
		}
		if swap != nil {
			items[i] = bytes.Clone(b)
			swap(items[i])
		}
	}
	return AppendItems(dst, items, dtype.Bytes)
}

func (c *vlenArray) whole(i int, b []byte, kind error) error {
	if len(b)%c.of.Elem.Size() != 0 {
		return fault.Newf(kind, "element %d has %d bytes, not a multiple of %d", i, len(b), c.of.Elem.Size())
	}
	return nil
}

func (c *vlenArray) DecodeItems(src []byte, do func(item []byte) error) error {
	swap := dtype.Reorder(c.of.Elem, c.of.Order)
	var one []byte
	i := 0
	return c.vlen.DecodeItems(src, func(item []byte) error {
		if err := c.whole(i, item, fault.Corrupt); err != nil {
			return err
		}
		i++
		one = append(one[:0], item...) // a copy, because its byte order is swapped
		if swap != nil {
			swap(one)
		}
		c.of.Elem.Canon(one)
		return do(one)
	})
}

func (c *vlenArray) Decode(dst Block, src []byte) error {
	src = bytes.Clone(src) // a copy, because its byte order is swapped
	if err := c.vlen.Decode(dst, src); err != nil {
		return err
	}
	swap := dtype.Reorder(c.of.Elem, c.of.Order)
	for i, b := range dst.Items {
		if err := c.whole(i, b, fault.Corrupt); err != nil {
			return err
		}
		if swap != nil {
			swap(b)
		}
		c.of.Elem.Canon(b)
	}
	return nil
}
