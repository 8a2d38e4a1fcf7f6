package spec

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// Of returns a Spec that Model converts to equal metadata. For a v1 array, which is read-only, Of
// returns a Spec of a v2 array.
func Of(of *meta.Array, o Options) Spec {
	m := *of
	m.Format = max(m.Format, 2)
	s := Spec{
		Format: m.Format, Shape: slices.Clone(m.Shape), DType: m.DType, Fill: fillOf(&m),
		Dims: slices.Clone(m.Dims), Attrs: maps.Clone(m.Attrs), Keys: m.Keys,
	}
	for _, c := range m.Codecs {
		s.Codecs = append(s.Codecs, codec.Spec{Name: c.Name, Config: bytes.Clone(c.Config)})
	}
	if m.Grid.Edges == nil {
		s.Chunks = slices.Clone(m.Grid.Shape)
	}
	for _, e := range m.Grid.Edges {
		e.Runs = slices.Clone(e.Runs)
		s.Grid.Edges = append(s.Grid.Edges, e)
	}
	if is, err := s.Model(o); err == nil && !slices.EqualFunc(is.Codecs, m.Codecs, func(a, b meta.Named) bool { return a.Name == b.Name }) {
		s.InOrder = true
	}
	// Use the simpler fields of the Spec if the metadata stays the same.
	for _, plainer := range []func(*Spec){plainKeys, plainOrder, plainEdges, plainShards} {
		other := s
		plainer(&other)
		was, err := s.Model(o)
		if err != nil {
			return s // Create returns the error
		}
		if is, err := other.Model(o); err == nil && was.Difference(is) == "" {
			s = other
		}
	}
	return s
}

// fillOf returns the fill value as a Go value, or as JSON if a Go value is not exact.
func fillOf(m *meta.Array) any {
	if m.Fill == nil {
		return NoFill{}
	}
	if _, ok := m.DType.(*dtype.Struct); !ok {
		v := reflect.New(m.DType.Go()).Elem()
		err := error(nil)
		switch _, vary := m.DType.(dtype.VarLen); {
		case vary && v.Kind() == reflect.String:
			v.SetString(string(m.Fill))
		case vary:
			v.SetBytes(bytes.Clone(m.Fill))
		default:
			err = dtype.Decode(m.DType, v, m.Fill)
		}
		if err == nil {
			if b, ok, err := dtype.Value(m.DType, v.Interface()); ok && err == nil && bytes.Equal(b, m.Fill) {
				return v.Interface()
			}
		}
	}
	raw, err := m.DType.FormatFill(m.Fill, m.Format)
	if err != nil {
		return bytes.Clone(m.Fill) // Create returns the error
	}
	return raw
}

// plainKeys replaces Keys by Separator.
func plainKeys(s *Spec) { s.Separator, s.Keys = s.Keys.Separator, meta.KeyEncoding{} }

// plainOrder replaces the transpose that v2 uses for Fortran order by Order.
func plainOrder(s *Spec) {
	if s.Format == 2 && len(s.Codecs) > 0 && s.Codecs[0].Name == "transpose" {
		s.Order, s.Codecs = "F", s.Codecs[1:]
	}
}

// maxPlainEdges bounds the chunk lengths that plainEdges lists.
const maxPlainEdges = 1 << 12

// plainEdges replaces Grid by ChunkEdges.
func plainEdges(s *Spec) {
	if s.Grid.Edges == nil {
		return
	}
	edges, left := make([][]int, len(s.Grid.Edges)), maxPlainEdges
	for i, e := range s.Grid.Edges {
		if e.Every > 0 {
			edges[i] = []int{e.Every}
			continue
		}
		edges[i] = []int{}
		for _, r := range e.Runs {
			if left -= min(r.Count, left+1); left < 0 {
				return
			}
			edges[i] = append(edges[i], slices.Repeat([]int{r.Edge}, r.Count)...)
		}
	}
	s.Grid, s.ChunkEdges = meta.Grid{}, edges
}

// plainShards replaces the sharding codec by Shards, Chunks and the codecs of the inner chunks.
func plainShards(s *Spec) {
	if len(s.Codecs) != 1 || s.Codecs[0].Name != "sharding_indexed" || s.Grid.Edges != nil {
		return
	}
	var config struct {
		Chunk  []int             `json:"chunk_shape"`
		Codecs []json.RawMessage `json:"codecs"`
	}
	if json.Unmarshal(s.Codecs[0].Config, &config) != nil {
		return
	}
	codecs := make([]codec.Spec, len(config.Codecs))
	for i, raw := range config.Codecs {
		var c struct {
			Name   string          `json:"name"`
			Config json.RawMessage `json:"configuration"`
		}
		if json.Unmarshal(raw, &c.Name) != nil && json.Unmarshal(raw, &c) != nil {
			return
		}
		codecs[i] = codec.Spec{Name: c.Name, Config: c.Config}
	}
	s.Shards, s.ShardEdges, s.ChunkEdges = s.Chunks, s.ChunkEdges, nil
	s.Chunks, s.Codecs = config.Chunk, codecs
}

// OfField returns the Spec of an array that contains one field of an array of structures. s is the
// Spec and base the metadata of the array of structures. m is the metadata of the field, and inner
// is the shape of the field.
func OfField(s Spec, base, m *meta.Array, inner []int, o Options) Spec {
	s.Shape, s.DType, s.Dims = slices.Clone(m.Shape), m.DType, m.Dims
	switch {
	case s.Grid.Edges != nil:
		s.Grid = s.Grid.And(inner)
	case s.ChunkEdges != nil, s.ShardEdges != nil:
		for _, n := range inner {
			if s.ChunkEdges != nil {
				s.ChunkEdges = append(s.ChunkEdges, []int{n})
			} else {
				s.ShardEdges = append(s.ShardEdges, []int{n})
			}
		}
	}
	if s.Chunks != nil {
		s.Chunks = append(s.Chunks, inner...)
	}
	if s.Shards != nil {
		s.Shards = append(s.Shards, inner...)
	}
	of := *m
	of.Format = s.Format
	if s.Fill = fillOf(&of); m.Fill == nil && (s.Format != 2 || base.Fill != nil) {
		s.Fill = nil // the fill value differs within an element
	}
	if _, err := s.Model(o); err != nil {
		s.Codecs, s.Order = nil, ""
	}
	return s
}
