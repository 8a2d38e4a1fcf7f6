package codec

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// categories is numcodecs' "categorize". It stores a text as the position of that text in a list of
// labels, counted from 1, or as 0 if the text is not in the list. The code 0 and invalid codes
// decode to empty text without an error, as in numcodecs.
type categories struct {
	labels [][]byte
	codes  map[string]uint64
	size   int // bytes of a code
	order  binary.ByteOrder
	max    uint64
}

func newCategorize(raw json.RawMessage, in Repr) (any, error) {
	c := openConfig(raw)
	var k categories
	var labels []string
	if text, ok := c.take("labels"); !ok || json.Unmarshal(text, &labels) != nil || text[0] != '[' {
		c.fail("\"labels\" is not a list of strings")
	}
	of, _ := c.take("dtype")
	as, ok := c.take("astype")
	if !ok {
		as = json.RawMessage(`"|u1"`)
	}
	if err := c.close(); err != nil {
		return nil, err
	}
	if err := k.as(as); err != nil {
		return nil, err
	}
	k.labels, k.codes = make([][]byte, len(labels)), make(map[string]uint64, len(labels))
	for i, label := range labels {
		k.labels[i] = []byte(label)
		k.codes[label] = uint64(i) + 1 // for equal labels, the index of the last one
	}
	if in.Type.Size() == 0 {
		if !dtype.Equal(in.Type, dtype.String) {
			return nil, fault.Newf(fault.Metadata, "elements must be text, are %v", in.Type)
		}
		n, err := in.Elems()
		if err == nil && int64(n) > math.MaxInt64/int64(k.size) {
			err = fault.Newf(fault.Limit, "the codes of %d elements do not fit in memory", n)
		}
		return &categorizeItems{k, int64(n)}, err
	}
	t, order, err := numpyType(of)
	if err != nil {
		return nil, err
	}
	u, ok := t.(dtype.U)
	if !ok || u == 0 {
		return nil, fault.Newf(fault.Metadata, "elements must be objects or fixed-length Unicode text, are %v", t)
	}
	return &categorizeText{k, u, order}, nil
}

// as reads the data type of the codes from the configuration.
func (k *categories) as(raw json.RawMessage) error {
	t, order, err := numpyType(raw)
	if err != nil {
		return err
	}
	b, ok := t.(dtype.Basic)
	if !ok || b < dtype.Int8 || b > dtype.Uint64 {
		return fault.Newf(errors.ErrUnsupported, "codes must be integers, are %v", t)
	}
	k.size, k.order = b.Size(), binary.LittleEndian
	if order == dtype.Big {
		k.order = binary.BigEndian
	}
	k.max = math.MaxUint64 >> (64 - 8*k.size)
	if b <= dtype.Int64 {
		k.max >>= 1
	}
	return nil
}

// put appends the code of text to dst.
func (k *categories) put(dst []byte, text string) []byte {
	var full [8]byte
	if code := k.codes[text]; k.order == binary.ByteOrder(binary.BigEndian) {
		binary.BigEndian.PutUint64(full[:], code)
		return append(dst, full[8-k.size:]...)
	} else {
		binary.LittleEndian.PutUint64(full[:], code)
	}
	return append(dst, full[:k.size]...)
}

// get returns the label of a code. It returns the label without a copy, because many codes of a
// chunk may have the same label.
func (k *categories) get(b []byte) []byte {
	var code uint64
	big := k.order == binary.ByteOrder(binary.BigEndian)
	for i, c := range b {
		if big {
			i = k.size - 1 - i
		}
		code |= uint64(c) << (8 * i)
	}
	if code == 0 || code > uint64(len(k.labels)) || code > k.max {
		return []byte{}
	}
	return k.labels[code-1]
}

// checkLabels returns an error if the codes cannot represent all labels.
func (k *categories) checkLabels() error {
	if uint64(len(k.labels)) > k.max {
		return fault.Newf(fault.Type, "%d labels do not fit in codes up to %d", len(k.labels), k.max)
	}
	return nil
}

// categorizeItems encodes text of varying length.
type categorizeItems struct {
	categories
	elems int64
}

func (c *categorizeItems) EncodedSize() int64 { return c.elems * int64(c.size) }
func (c *categorizeItems) Worst() int64       { return c.EncodedSize() }

func (c *categorizeItems) Encode(dst []byte, src Block) ([]byte, error) {
	if err := c.checkLabels(); err != nil {
		return dst, err
	}
	for _, b := range src.Items {
		dst = c.put(dst, string(b))
	}
	return dst, nil
}

func (c *categorizeItems) Decode(dst Block, src []byte) error {
	items := dst.Items[:0]
	return c.DecodeItems(src, func(item []byte) error {
		items = append(items, item)
		return nil
	})
}

func (c *categorizeItems) DecodeItems(src []byte, do func(item []byte) error) error {
	if int64(len(src)) != c.EncodedSize() {
		return fault.Newf(fault.Corrupt, "chunk must have %d codes of %d bytes, has %d bytes", c.elems, c.size, len(src))
	}
	for ; len(src) > 0; src = src[c.size:] {
		if err := do(c.get(src[:c.size])); err != nil {
			return err
		}
	}
	return nil
}

// categorizeText encodes text of a fixed number of code points. Its position is after the
// array-to-bytes codec.
type categorizeText struct {
	categories
	typ   dtype.U
	order dtype.Order
}

func (c *categorizeText) EncodedSize(n int64) int64 {
	return n / int64(c.typ.Size()) * int64(c.size)
}

func (c *categorizeText) Worst(n int64) int64 {
	if k := n / int64(c.typ.Size()); k <= math.MaxInt64/8 {
		return k * int64(c.size)
	}
	return math.MaxInt64
}

func (c *categorizeText) Encode(dst, src []byte) ([]byte, error) {
	if err := c.checkLabels(); err != nil {
		return dst, err
	}
	size := c.typ.Size()
	if len(src)%size != 0 {
		return dst, fault.Newf(fault.Type, "%d bytes are not a multiple of the element size %d", len(src), size)
	}
	order := c.points()
	var text strings.Builder
	for ; len(src) > 0; src = src[size:] {
		text.Reset()
		for i := 0; i < size; i += 4 {
			if r := rune(order.Uint32(src[i:])); utf8.ValidRune(r) {
				text.WriteRune(r)
			} else {
				text.WriteByte(0xff) // an invalid byte that no label contains
			}
		}
		dst = c.put(dst, strings.TrimRight(text.String(), "\x00"))
	}
	return dst, nil
}

func (c *categorizeText) points() binary.ByteOrder {
	if c.order == dtype.Big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func (c *categorizeText) Decode(dst, src []byte, limit int) ([]byte, error) {
	size := c.typ.Size()
	if len(src)%c.size != 0 || len(src)/c.size > limit/size {
		return dst, fault.Newf(fault.Corrupt, "%d bytes are not a multiple of the code size %d, or decode to more than %d bytes of text", len(src), c.size, limit)
	}
	order := c.points()
	one := make([]byte, size)
	for ; len(src) > 0; src = src[c.size:] {
		clear(one)
		at := 0
		for _, r := range string(c.get(src[:c.size])) {
			if at == size {
				break
			}
			order.PutUint32(one[at:], uint32(r))
			at += 4
		}
		dst = append(dst, one...)
	}
	return dst, nil
}
