package optional

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Add returns a table with the codec. Inner codecs are looked up in the returned table.
func Add(t *codec.Table) *codec.Table {
	var all *codec.Table
	f := func(config json.RawMessage, in codec.Repr) (any, error) { return bind(all, config, in) }
	all = t.With(Name, f).With(ShortName, f)
	return all
}

// headerSize is the number of bytes of the two lengths before the mask.
const headerSize = 16

// masked is the codec, bound to a chunk.
type masked struct {
	table *codec.Table
	inner dtype.Type
	size  int          // bytes of a value
	elems int          // elements of the chunk
	specs []codec.Spec // codecs of the values
	mask  *codec.Chain
	full  *codec.Chain // values of a chunk without missing elements
}

func bind(t *codec.Table, config json.RawMessage, in codec.Repr) (any, error) {
	f, ok := formOf(in.Type)
	if !ok {
		return nil, fault.Newf(fault.Metadata, "the elements must be optional, are %v", in.Type)
	}
	mask, data, err := parseConfig(config)
	if err != nil {
		return nil, err
	}
	m := &masked{table: t, inner: f.inner, size: f.inner.Size(), specs: data}
	if m.elems, err = in.Elems(); err != nil {
		return nil, err
	}
	if m.mask, err = t.Chain(mask, codec.Repr{Shape: in.Shape, Type: dtype.Bool, Fill: []byte{0}}); err != nil {
		return nil, fmt.Errorf("mask: %w", err)
	}
	if m.full, err = m.chain(m.elems); err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return m, nil
}

// parseConfig returns the codecs of the mask and of the values.
func parseConfig(config json.RawMessage) (mask, data []codec.Spec, err error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(config, &members) != nil {
		return nil, nil, fault.Newf(fault.Metadata, "the configuration is not a JSON object")
	}
	for key := range members {
		if key != "mask_codecs" && key != "data_codecs" {
			return nil, nil, fault.Newf(fault.Metadata, "the configuration has an unknown member %.80q", key)
		}
	}
	if mask, err = parseSpecs("mask_codecs", members["mask_codecs"]); err != nil {
		return nil, nil, err
	}
	data, err = parseSpecs("data_codecs", members["data_codecs"])
	return mask, data, err
}

// parseSpecs parses a list of codecs: names, or objects with a name and a configuration.
func parseSpecs(key string, raw json.RawMessage) ([]codec.Spec, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return nil, fault.Newf(fault.Metadata, "%q must be a list of codecs", key)
	}
	specs := make([]codec.Spec, len(list))
	for i, one := range list {
		var c named
		if json.Unmarshal(one, &c.Name) != nil && json.Unmarshal(one, &c) != nil || c.Name == "" {
			return nil, fault.Newf(fault.Metadata, "codec %d of %q has no name", i, key)
		}
		specs[i] = codec.Spec(c)
	}
	return specs, nil
}

// chain returns the codecs of n values. n varies between chunks.
func (m *masked) chain(n int) (*codec.Chain, error) {
	if m.full != nil && n == m.elems {
		return m.full, nil
	}
	return m.table.Chain(m.specs, codec.Repr{Shape: []int{n}, Type: m.inner, Fill: make([]byte, m.size)})
}

func (m *masked) EncodedSize() int64 { return -1 }

func (m *masked) MinEncoded() int64 { return headerSize + m.mask.MinEncoded() }

func (m *masked) Worst() int64 {
	mask, data := m.mask.Worst(), m.full.Worst()
	if mask > math.MaxInt64-headerSize-data {
		return math.MaxInt64
	}
	return headerSize + mask + data
}

func (m *masked) Encode(dst []byte, src codec.Block) ([]byte, error) {
	mask := make([]byte, 0, m.elems)
	var values []byte
	for b := src.Bytes; len(b) > 0; b = b[1+m.size:] {
		mask = append(mask, b[0])
		if b[0] != 0 {
			values = append(values, b[1:1+m.size]...)
		}
	}
	start := len(dst)
	out, err := m.mask.Encode(append(dst, make([]byte, headerSize)...), codec.Block{Bytes: mask}, nil)
	if err != nil {
		return dst, fmt.Errorf("mask: %w", err)
	}
	middle := len(out)
	if n := len(values) / m.size; n > 0 {
		c, err := m.chain(n)
		if err == nil {
			out, err = c.Encode(out, codec.Block{Bytes: values}, nil)
		}
		if err != nil {
			return dst, fmt.Errorf("data: %w", err)
		}
	}
	binary.LittleEndian.PutUint64(out[start:], uint64(middle-start-headerSize))
	binary.LittleEndian.PutUint64(out[start+8:], uint64(len(out)-middle))
	return out, nil
}

func (m *masked) Decode(dst codec.Block, src []byte) error {
	if len(src) < headerSize {
		return fault.Newf(fault.Corrupt, "the chunk has %d bytes, want at least %d", len(src), headerSize)
	}
	rest := uint64(len(src) - headerSize)
	nMask, nData := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
	if nMask > rest || nData != rest-nMask {
		return fault.Newf(fault.Corrupt, "a mask of %d bytes and data of %d bytes in %d bytes", nMask, nData, rest)
	}
	mask := make([]byte, m.elems)
	if err := m.mask.Decode(codec.Block{Bytes: mask}, src[headerSize:headerSize+nMask], nil); err != nil {
		return fmt.Errorf("mask: %w", err)
	}
	n := 0
	for i, v := range mask {
		if v > 1 {
			mask[i] = 1
		}
		n += int(mask[i])
	}
	values := make([]byte, n*m.size)
	if n > 0 { // otherwise the part of the values is empty
		c, err := m.chain(n)
		if err == nil {
			err = c.Decode(codec.Block{Bytes: values}, src[headerSize+nMask:], nil)
		}
		if err != nil {
			return fmt.Errorf("data: %w", err)
		}
	} else if nData > 0 {
		return fault.Newf(fault.Corrupt, "data of %d bytes, but all elements are missing", nData)
	}
	clear(dst.Bytes)
	b := dst.Bytes
	for _, v := range mask {
		if b[0] = v; v == 1 {
			copy(b[1:1+m.size], values)
			values = values[m.size:]
		}
		b = b[1+m.size:]
	}
	return nil
}

var _ codec.MinEncoder = (*masked)(nil)
