package codec

import (
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr/codec/internal/msgpack"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// The codecs json2 and msgpack2 of numcodecs store an array as one list: the elements, in nested
// lists if there are several axes, then the dtype, then the shape. They accept arrays of objects.
// They also accept numbers and text, which have already been converted to bytes in v2 pipelines.

// objects encodes arrays of objects in a notation.
type objects struct {
	notation
	shape []int
	count int
}

func (c *objects) EncodedSize() int64 { return -1 }

// notation is the syntax of one of the two codecs.
type notation interface {
	// read converts src to a list in the canonical form of package jsontext.
	read(src []byte) ([]byte, error)
	// write appends canon, a list in the canonical form, to dst in the syntax of the codec.
	write(dst, canon []byte) ([]byte, error)
}

// Worst returns math.MaxInt64, because the length of objects is unlimited.
func (c *objects) Worst() int64 { return math.MaxInt64 }

func (c *objects) Encode(dst []byte, src Block) ([]byte, error) {
	list, err := compose(src.Items, c.shape, `"|O"`)
	if err != nil {
		return dst, err
	}
	return c.write(dst, list)
}

// MinEncoded allows one byte per element.
func (c *objects) MinEncoded() int64 { return int64(c.count) }

func (c *objects) Decode(dst Block, src []byte) error {
	items := dst.Items[:0]
	return c.DecodeItems(src, func(item []byte) error {
		items = append(items, item)
		return nil
	})
}

func (c *objects) DecodeItems(src []byte, do func(item []byte) error) error {
	list, err := c.read(src)
	if err != nil {
		return err
	}
	d, err := parse(list)
	switch {
	case err != nil:
		return err
	case d.dtype != "|O":
		return fault.Newf(fault.Corrupt, "elements must be objects (|O), are %.40q", d.dtype)
	case d.elems != c.count:
		return fault.Newf(fault.Corrupt, "list of shape %v has %d elements, want %d", d.shape, d.elems, c.count)
	}
	return d.each(do)
}

type json2 struct {
	dialect jsontext.Dialect
	style   jsontext.Style
}

func (n json2) read(src []byte) ([]byte, error)         { return jsontext.Canon(nil, src, n.dialect) }
func (n json2) write(dst, canon []byte) ([]byte, error) { return n.style.Render(dst, canon) }

type msgpack2 struct {
	raw     bool
	options msgpack.Options
}

func (n msgpack2) read(src []byte) ([]byte, error)         { return msgpack.Decode(nil, src, n.raw) }
func (n msgpack2) write(dst, canon []byte) ([]byte, error) { return n.options.Encode(dst, canon) }

// newJSON2 reads the configuration of numcodecs. It ignores indentation and separators, because the
// output is compact.
func newJSON2(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	n := json2{dialect: jsontext.Tokens, style: jsontext.Style{ASCII: c.boolean("ensure_ascii", true), Sorted: c.boolean("sort_keys", true), Tokens: c.boolean("allow_nan", true)}}
	if !c.boolean("strict", true) {
		n.dialect |= jsontext.Controls
	}
	for _, name := range [...]string{"skipkeys", "check_circular"} {
		c.boolean(name, false) // settings for Python values without a JSON form
	}
	c.take("indent")
	c.take("separators")
	encoding := "utf-8"
	if text, ok := c.take("encoding"); ok && json.Unmarshal(text, &encoding) != nil {
		c.fail("\"encoding\" must be a string, is %.80s", text)
	}
	if err := c.close(); err != nil {
		return nil, err
	}
	switch strings.ReplaceAll(strings.ToLower(encoding), "_", "-") {
	case "utf-8", "utf8":
	case "ascii", "us-ascii":
		n.style.ASCII = true
	default:
		return nil, fault.Newf(errors.ErrUnsupported, "JSON in encoding %.40q is not supported", encoding)
	}
	return newObjects(n, in)
}

func newObjects(n notation, in Repr) (any, error) {
	if in.Type.Size() > 0 {
		return &values{notation: n, in: in}, nil
	}
	if !dtype.Equal(in.Type, dtype.JSON) {
		return nil, fault.Newf(fault.Metadata, "elements must be %v, are %v", dtype.JSON, in.Type)
	}
	count, err := in.Elems()
	if err != nil {
		return nil, err
	}
	return &objects{n, in.Shape, count}, nil
}

func newMsgPack2(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	n := msgpack2{c.boolean("raw", false), msgpack.Options{Single: c.boolean("use_single_float", false), Old: !c.boolean("use_bin_type", true)}}
	if err := c.close(); err != nil {
		return nil, err
	}
	if len(in.Shape) == 0 {
		return nil, fault.Newf(errors.ErrUnsupported, "arrays of zero dimensions are not supported, because numcodecs cannot read them")
	}
	return newObjects(n, in)
}
