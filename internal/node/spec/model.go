package spec

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Model returns the metadata of a new array.
func (s Spec) Model(o Options) (*meta.Array, error) {
	bad := func(format string, args ...any) error { return fault.Newf(fault.Metadata, format, args...) }
	m := &meta.Array{Format: s.Format, Shape: slices.Clone(s.Shape), DType: s.DType, Dims: slices.Clone(s.Dims), Attrs: s.Attrs}
	if m.Shape == nil {
		m.Shape = []int{}
	}
	if m.Format == 0 {
		m.Format = 3
	}
	if m.Format != 2 && m.Format != 3 {
		return nil, bad("format must be 2 or 3, is %d", m.Format)
	}
	if s.DType == nil {
		return nil, bad("DType must be set")
	}
	for i, d := range s.Shape {
		if d < 0 {
			return nil, bad("the length of axis %d must be at least 0, is %d", i, d)
		}
	}
	m.DType = s.storedType(m.Format)
	s.DType = m.DType
	if s.Dims != nil && len(s.Dims) != len(s.Shape) {
		return nil, bad("Dims has %d names, want %d", len(s.Dims), len(s.Shape))
	}
	if s.Dims != nil && m.Format == 2 {
		return nil, bad("format v2 does not support dimension names: xarray stores them in the attribute _ARRAY_DIMENSIONS")
	}
	var chunk []int
	var err error
	if chunk, m.Grid, err = s.grid(m.Format); err != nil {
		return nil, err
	}
	if m.Fill, err = s.fill(m.Format); err != nil {
		return nil, err
	}
	if m.Keys, err = s.keys(m.Format); err != nil {
		return nil, err
	}
	if _, err := Separated(m, o.Separator); err != nil {
		return nil, err // the option is not stored, but must not contradict the Spec
	}
	m.Codecs, err = s.codecs(m, chunk, o.Table)
	return m, err
}

// fill returns the fill value in memory form, or nil for an undefined fill value.
func (s Spec) fill(format int) ([]byte, error) {
	switch v := s.Fill.(type) {
	case nil:
		return s.DType.DefaultFill(), nil
	case NoFill:
		if format != 2 {
			return nil, fault.Newf(fault.Metadata, "arrays of format v%d must have a fill value", format)
		}
		return nil, nil
	case json.RawMessage:
		return s.DType.ParseFill(v, format)
	}
	if b, ok, err := dtype.Value(s.DType, s.Fill); ok {
		return b, err
	}
	raw, err := fillJSON(s.Fill)
	if err != nil {
		return nil, fault.Newf(fault.Type, "fill value %v of type %T: %w", s.Fill, s.Fill, err)
	}
	b, err := s.DType.ParseFill(raw, format)
	if err != nil {
		return nil, fault.Newf(fault.Type, "fill value %v of type %T for %v: %w", s.Fill, s.Fill, s.DType, err)
	}
	return b, nil
}

// storedType returns the data type as metadata of the format stores it. Fields of a structure have
// a byte order in v2, but not in v3.
func (s Spec) storedType(format int) dtype.Type {
	if format == 3 {
		t, _, _ := dtype.Uniform(s.DType)
		return t
	}
	order := dtype.Little
	for _, c := range s.Codecs {
		var config struct{ Endian string }
		if c.Name == "bytes" && json.Unmarshal(c.Config, &config) == nil && config.Endian == dtype.Big.String() {
			order = dtype.Big
		}
	}
	return dtype.InOrder(s.DType, order)
}

// fillJSON encodes a Go number as a fill value in JSON. ParseFill then checks that the data type
// can represent it.
func fillJSON(v any) (json.RawMessage, error) {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Float32, reflect.Float64:
		f := r.Float()
		switch {
		case math.IsNaN(f):
			return json.RawMessage(`"NaN"`), nil
		case math.IsInf(f, 1):
			return json.RawMessage(`"Infinity"`), nil
		case math.IsInf(f, -1):
			return json.RawMessage(`"-Infinity"`), nil
		}
		return json.Marshal(v)
	case reflect.Complex64, reflect.Complex128:
		re, err := fillJSON(real(r.Complex()))
		if err != nil {
			return nil, err
		}
		im, err := fillJSON(imag(r.Complex()))
		return fmt.Appendf(nil, "[%s,%s]", re, im), err
	}
	return json.Marshal(v)
}

// codecs returns all codecs of the array as metadata of the format lists them.
func (s Spec) codecs(m *meta.Array, chunk []int, table *codec.Table) ([]meta.Named, error) {
	specs := s.Codecs
	if specs == nil {
		specs = []codec.Spec{codec.Zstd(0)}
	}
	var arrays, bytes []codec.Spec
	var serial *codec.Spec
	rank, in := len(m.Shape), codec.Repr{Shape: pipeline.Largest(Axes(m)), Type: m.DType, Fill: m.Fill}
	whole := in
	if chunk != nil {
		in.Shape = chunk
	}
	first := in
	switch s.Order {
	case "", "C":
	case "F":
		if rank > 1 {
			order := make([]int, rank)
			for i := range order {
				order[i] = rank - 1 - i
			}
			arrays = append(arrays, codec.Transpose(order...))
			placeOf(arrays[0], m.Format, table, &in)
		}
	default:
		return nil, fault.Newf(fault.Metadata, "order must be C or F, is %q", s.Order)
	}
	for _, c := range specs {
		switch placeOf(c, m.Format, table, &in) {
		case beforeBytes:
			arrays = append(arrays, c)
		case makesBytes:
			serial = &c
		case unbound: // Normalize returns the error
			if serial == nil && m.DType.Size() == 0 {
				serial = &c
				continue
			}
			bytes = append(bytes, c)
		default:
			bytes = append(bytes, c)
		}
	}
	if serial == nil {
		order := dtype.NoOrder
		if m.DType.HasOrder() {
			order = dtype.Little
		}
		c := codec.Bytes(order)
		switch t := m.DType.(type) {
		case dtype.VarLen:
			if c = (codec.Spec{Name: t.Codec()}); t == dtype.JSON {
				c = codec.JSON2()
			}
		case dtype.Ragged:
			c = codec.VlenArray(t)
		}
		serial = &c
	}
	if serial.Name == "bytes" && len(serial.Config) == 0 && m.DType.HasOrder() {
		*serial = codec.Bytes(dtype.Little) // the form in which Normalize writes it
	}
	specs = slices.Concat(arrays, []codec.Spec{*serial}, bytes)
	if s.InOrder {
		specs = s.Codecs
	} else if m.Format == 3 {
		// A filter that reinterprets the elements as another type would have to come after the
		// codec "bytes". Other readers of v3 reject a filter in that position.
		if _, err := table.FiltersFirst(specs, first); err != nil {
			return nil, err
		}
	}
	if s.Shards != nil || s.ShardLayout != nil || s.ShardEdges != nil {
		specs = []codec.Spec{codec.Sharding(codec.ShardingOptions{Chunk: chunk, Codecs: specs})}
	}
	all, err := table.Normalize(specs, whole)
	if err != nil {
		return nil, err
	}
	named := make([]meta.Named, len(all))
	for i, c := range all {
		if m.Format == 2 && c.Name != "bytes" && c.Name != "transpose" {
			id, config, err := c.Numcodecs()
			if err != nil {
				return nil, err
			}
			c = codec.FromNumcodecs(id, config)
		}
		named[i] = meta.Named{Name: c.Name, Config: c.Config}
	}
	return named, nil
}

// place is the position of a codec in the list of codecs.
type place uint8

const (
	afterBytes place = iota
	makesBytes
	beforeBytes
	unbound
)

// placeOf returns the place of a codec. If the codec transforms arrays, placeOf sets *in to the
// output of the codec. In v3 a numcodecs filter comes before the codec that produces bytes, and in
// v2 after it. placeOf returns unbound for a codec that cannot be bound.
func placeOf(s codec.Spec, format int, table *codec.Table, in *codec.Repr) place {
	switch s.Name {
	case "bytes", "sharding_indexed":
		return makesBytes
	}
	c, err := table.Bind(s, *in)
	if e, ok := c.(codec.Either); ok && err == nil {
		switch {
		case format == 3 && e.Array != nil:
			c = e.Array
		case format == 3 && e.Serial != nil:
			c = e.Serial
		default:
			c = e.Bytes
		}
	}
	switch c := c.(type) {
	case codec.ArrayArray:
		*in = c.Out()
		return beforeBytes
	case codec.ArrayBytes:
		return makesBytes
	}
	switch {
	case s.Name == "transpose":
		return beforeBytes
	case err != nil:
		return unbound
	}
	return afterBytes
}
