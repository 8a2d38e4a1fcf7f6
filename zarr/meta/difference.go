package meta

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// Difference returns the name of the first stored property that differs between two arrays, such as
// "shape" or "data type", or "" if all properties are equal. It ignores attributes.
func (a *Array) Difference(b *Array) string {
	switch {
	case a.Format != b.Format:
		return "format"
	case !slices.Equal(a.Shape, b.Shape):
		return "shape"
	case !a.Grid.Equal(b.Grid):
		return "chunk shape"
	case !dtype.Equal(a.DType, b.DType):
		return "data type"
	case (a.Fill == nil) != (b.Fill == nil) || !bytes.Equal(a.Fill, b.Fill):
		return "fill value"
	case a.Keys != b.Keys:
		return "chunk key encoding"
	case !slices.Equal(a.Dims, b.Dims):
		return "dimension names"
	case !slices.EqualFunc(a.Codecs, b.Codecs, sameCodec):
		return "codecs"
	}
	return ""
}

// SameAttrs reports whether the attributes of two nodes have equal encodings.
func SameAttrs(a, b Attrs) bool {
	x, ex := EncodeAttrs(a)
	y, ey := EncodeAttrs(b)
	return ex == nil && ey == nil && bytes.Equal(x, y)
}

// sameCodec compares configurations as JSON values, without regard to spacing and the order of
// members.
func sameCodec(a, b Named) bool {
	var x, y any
	ex, ey := decodeConfig(a.Config, &x), decodeConfig(b.Config, &y)
	return a.Name == b.Name && errors.Join(ex, ey) == nil && reflect.DeepEqual(x, y)
}

func decodeConfig(raw json.RawMessage, v *any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	return json.Unmarshal(raw, v)
}
