package codec

import (
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// values encodes the bytes of numbers or of fixed-length text in a notation.
type values struct {
	notation
	in Repr
}

func (c *values) EncodedSize(int64) int64 { return -1 }

// Worst allows 32 bytes per input byte, or 64 bytes for a float16. A float16 has up to 24 bytes of
// digits, and the rest is for white space.
func (c *values) Worst(n int64) int64 {
	if n > math.MaxInt64/32 {
		return math.MaxInt64
	}
	return addSat(32*n, 64<<10)
}

// Typical allows 28 bytes per number of any size, and 8 per byte of text, because text may be
// escaped.
func (c *values) Typical(n int64) int64 {
	each, size := int64(28), int64(c.in.Type.Size())
	if _, ok := c.in.Type.(dtype.Basic); !ok {
		each, size = 8, 1
	}
	return addSat(mulSat(n/size+1, each), 1<<10)
}

func (c *values) Encode(dst, src []byte) ([]byte, error) {
	t := c.in.Type
	if n, err := c.in.Bytes(); err != nil || n != len(src) {
		return dst, fault.Newf(errors.ErrUnsupported, "%d bytes have no known type after another filter", len(src))
	}
	if err := listable(t); err != nil {
		return dst, err
	}
	typ, err := t.V2(c.in.Order)
	if err != nil {
		return dst, err
	}
	if swap := dtype.Reorder(t, c.in.Order); swap != nil {
		src = slices.Clone(src)
		swap(src)
	}
	items := make([][]byte, 0, len(src)/t.Size())
	for b := range slices.Chunk(src, t.Size()) {
		item, err := toItem(t, b)
		if err != nil {
			return dst, err
		}
		items = append(items, item)
	}
	list, err := compose(items, c.in.Shape, string(typ))
	if err != nil {
		return dst, err
	}
	return c.write(dst, list)
}

func (c *values) Decode(dst, src []byte, limit int) ([]byte, error) {
	list, err := c.read(src)
	if err != nil {
		return dst, err
	}
	d, err := parse(list)
	if err != nil {
		return dst, err
	}
	t, order, err := dtype.ParseV2(json.RawMessage(jsontext.AppendString(nil, d.dtype)))
	if err != nil {
		return dst, fault.Newf(fault.Corrupt, "dtype %.40q: %v", d.dtype, err)
	}
	if err := listable(t); err != nil {
		return dst, err
	}
	if d.elems > limit/t.Size() {
		return dst, fault.Newf(fault.Corrupt, "%d elements of %v exceed %d bytes", d.elems, t, limit)
	}
	start, out := len(dst), dst
	err = d.each(func(item []byte) error {
		b, err := fromItem(t, item)
		if err != nil {
			return fault.Newf(fault.Corrupt, "%.40s is not a valid %v: %v", item, t, err)
		}
		out = append(out, b...)
		return nil
	})
	if err != nil {
		return dst, err
	}
	if swap := dtype.Reorder(t, order); swap != nil {
		swap(out[start:])
	}
	return out, nil
}

// listable returns an error for types that numcodecs cannot write or read. numcodecs converts
// elements to Python's own types, which are bool, int, float, str and bytes.
func listable(t dtype.Type) error {
	switch t := t.(type) {
	case dtype.S, dtype.U:
		if t.Size() > 0 {
			return nil
		}
	case dtype.Basic:
		if t <= dtype.Float64 {
			return nil
		}
	}
	return fault.Newf(errors.ErrUnsupported, "elements of %v have no equivalent in Python's lists", t)
}

// toItem formats one element as an item of the list.
func toItem(t dtype.Type, b []byte) ([]byte, error) {
	if _, ok := t.(dtype.S); ok {
		return jsontext.AppendBytes(nil, []byte(dtype.Text(b))), nil
	}
	if k, ok := t.(dtype.Basic); ok && k >= dtype.Float16 {
		var f [1]float64 // Python's only float type
		if err := dtype.Convert(t, f[:], b); err != nil {
			return nil, err
		}
		return jsontext.AppendNumber(nil, f[0]), nil
	}
	raw, err := t.FormatFill(b, 2)
	if err != nil {
		return nil, fault.Newf(fault.Type, "%v", err)
	}
	return raw, nil
}

// fromItem returns the memory form of an item of the list.
func fromItem(t dtype.Type, item []byte) ([]byte, error) {
	_, text := t.(dtype.U)
	raw, special := json.RawMessage(item), false
	if name, ok := jsontext.Float(item); ok {
		raw, special = jsontext.AppendString(nil, name), true
	}
	if b, ok := jsontext.Bytes(item); ok {
		if s, ok := t.(dtype.S); ok && len(b) <= s.Size() {
			return append(b, make([]byte, s.Size()-len(b))...), nil
		}
		return nil, fault.Newf(fault.Corrupt, "bytes do not fit the data type")
	}
	if quoted := raw[0] == '"'; quoted != text && !special {
		return nil, fault.Newf(fault.Corrupt, "the kind of the value does not match the data type")
	}
	return t.ParseFill(raw, 2)
}
