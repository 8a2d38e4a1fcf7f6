package reading

import (
	"fmt"
	"maps"
	"math"
	"path"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/internal/attributes/masked"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// cdlBuilder converts arrays to CDL variables.
type cdlBuilder struct {
	name    string               // name for an array at the root of a store
	special bool                 // add _Storage and _ChunkSizes, as ncdump -s does
	path    []string             // names of the current group and the groups above
	arrays  map[string]*cdlArray // variables with a CDL type, by path
	room    int64                // bytes of memory that the variables may still take
	find    func(text string)    // reports a violation of the conventions
}

// cdlArray is an array with its CDL dimensions and type.
type cdlArray struct {
	*zarr.Array
	dims    []string
	kind    cdl.Type
	missing []byte // element that marks missing values; or nil
}

// isIndex reports whether the array is an index coordinate.
func (a *cdlArray) isIndex() bool { return len(a.dims) == 1 && a.dims[0] == a.Name() }

// row returns the length of the last dimension, or 0 for a scalar.
func (a *cdlArray) row() int {
	if a == nil || len(a.dims) == 0 {
		return 0
	}
	return a.Shape()[len(a.dims)-1]
}

// withoutDims returns a copy of attributes without _ARRAY_DIMENSIONS and the attributes of NCZarr.
func withoutDims(attrs map[string]any) map[string]any {
	attrs = maps.Clone(attrs)
	maps.DeleteFunc(attrs, func(name string, _ any) bool {
		return name == "_ARRAY_DIMENSIONS" || strings.HasPrefix(strings.ToLower(name), "_nc")
	})
	return attrs
}

// dims returns the names of all dimensions of an array. It uses the names in the metadata of the
// array, else names, and creates missing names.
func (b *cdlBuilder) dims(a *zarr.Array, names []string) []string {
	shape := a.Shape()
	if own := a.Dims(); own != nil {
		names = own
	}
	dims := make([]string, len(shape))
	copy(dims, names)
	for i := range dims {
		switch {
		case dims[i] != "":
		case i == len(names) && i > 0: // NCZarr does not name the dimension of characters
			dims[i] = fmt.Sprintf("string%d", shape[i])
		default:
			dims[i] = fmt.Sprintf("dim_%d", i)
		}
	}
	return dims
}

// array adds an array to a group, together with its dimensions that neither the group nor a group
// above declares. names contains the dimension names if the metadata of the array lacks them; or
// nil.
func (b *cdlBuilder) array(to *cdl.Group, in *cdlScope, a *zarr.Array, names []string) error {
	shape, dims, attrs := a.Shape(), b.dims(a, names), withoutDims(a.Attrs())
	for i, name := range dims {
		n, ok := in.lens[name]
		if ok && n != shape[i] {
			dims[i] = fmt.Sprintf("%s_%d", name, shape[i])
			b.find(fmt.Sprintf("%s: the dimension %q has the length %d in another array; it is named %q", a.Path(), name, n, dims[i]))
			name = dims[i]
			n, ok = in.lens[name]
		}
		switch {
		case ok && n != shape[i]:
			return fault.Newf(fault.Metadata, "array %q: the dimension %q has the length %d in another array", a.Path(), name, n)
		case ok:
			continue
		}
		if n, ok := in.outer.length(name); !ok || n != shape[i] {
			to.Dims = append(to.Dims, cdl.Dim{Name: name, Len: shape[i]})
			in.lens[name] = shape[i]
		}
	}
	name := a.Name()
	if name == "" {
		name = b.name
	}
	v := cdl.Var{Name: name, Dims: dims}
	kind, note, ok := cdlType(a.DType())
	one := &cdlArray{Array: a, dims: dims, kind: kind}
	if !ok {
		v.Foreign = render.OneLine(a.DType().String())
		v.Attrs = attrsOf(attrs, nil)
	} else {
		v.Type, v.Note = kind, render.OneLine(note)
		if one.missing, attrs = missingOf(a, attrs); one.missing != nil {
			v.Attrs = append(v.Attrs, cdl.Attr{Name: masked.Attr, Type: kind, Values: []any{valueOf(a.DType(), one.missing)}})
		}
		if a.DType() == dtype.Bool {
			attrs["dtype"] = "bool" // as xarray stores booleans in netCDF files
		}
		v.Attrs = append(v.Attrs, attrsOf(attrs, &kind)...)
		b.arrays[path.Join(strings.Join(b.path, "/"), name)] = one
	}
	if chunks := a.Chunks(); b.special && len(chunks) > 0 {
		sizes := make([]any, len(chunks))
		for i, n := range chunks {
			sizes[i] = int64(n)
		}
		v.Attrs = append(v.Attrs, cdl.Attr{Name: "_Storage", Type: cdl.Char, Values: []any{"chunked"}}, cdl.Attr{Name: "_ChunkSizes", Type: cdl.Int, Values: sizes})
	}
	to.Vars = append(to.Vars, v)
	return nil
}

// cdlScope contains the dimensions that a group declares.
type cdlScope struct {
	outer *cdlScope // of the group above; nil for the root
	lens  map[string]int
}

func newScope(outer *cdlScope) *cdlScope { return &cdlScope{outer, map[string]int{}} }

// length returns the length in the innermost declaration of a dimension.
func (s *cdlScope) length(name string) (n int, ok bool) {
	for ; s != nil && !ok; s = s.outer {
		n, ok = s.lens[name]
	}
	return n, ok
}

// varMemory is the memory in bytes that dump takes for a variable without attributes: the opened
// array and its description. Attributes take attrMemory for each value, in addition to their text.
const (
	varMemory  = 6 << 10
	attrMemory = 192
)

// count subtracts the memory of a node from the memory that dump may take. It returns fault.Limit
// if the dataset does not fit.
func (b *cdlBuilder) count(n zarr.Node) error {
	if b.room -= varMemory + memoryOf(n.Attrs()); b.room < 0 {
		return fault.Newf(fault.Limit, "the variables and attributes do not fit the memory: dump the groups in it one by one, or use ls")
	}
	return nil
}

// memoryOf estimates the memory of a decoded JSON value and of its text in CDL.
func memoryOf(v any) (n int64) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			n += int64(len(name)) + memoryOf(x)
		}
	case []any:
		for _, x := range v {
			n += memoryOf(x)
		}
	case string:
		n = 3 * int64(len(v))
	}
	return n + attrMemory
}

// missingOf returns the element that xarray treats as missing, or nil. It also returns a copy of
// the attributes without _FillValue if _FillValue is that element.
func missingOf(a *zarr.Array, attrs map[string]any) ([]byte, map[string]any) {
	t, fill := a.DType(), a.Fill()
	if attrs = maps.Clone(attrs); attrs == nil {
		attrs = map[string]any{}
	}
	if valueOf(t, t.DefaultFill()) == nil { // not a number
		return nil, attrs
	}
	if a.Format() == 2 {
		if fill != nil {
			delete(attrs, masked.Attr)
		}
		return fill, attrs
	}
	before := attrs[masked.Attr]
	v := masked.ToV2(t, fill, attrs)
	if _, left := v.Attrs[masked.Attr]; before == nil || left {
		return nil, attrs
	}
	delete(attrs, masked.Attr)
	switch {
	case v.Undefined:
		return encoded(t, `"NaN"`), attrs
	case v.Fill == nil:
		return fill, attrs
	}
	b, ok, err := dtype.Value(t, v.Fill)
	if err != nil || !ok {
		b = encoded(t, fmt.Sprint(v.Fill))
	}
	return b, attrs
}

// encoded parses an element in the notation of v3 fill values. It returns nil if text is malformed.
func encoded(t dtype.Type, text string) []byte {
	b, err := t.ParseFill([]byte(text), 3)
	if err != nil {
		return nil
	}
	return b
}

// cdlType returns the CDL type for a data type. If the types are not equivalent, note is the name
// of the data type. ok is false if no CDL type can represent the elements.
func cdlType(t dtype.Type) (kind cdl.Type, note string, ok bool) {
	switch t {
	case dtype.Bool, dtype.Int8:
		return cdl.Byte, "", true
	case dtype.Uint8:
		return cdl.UByte, "", true
	case dtype.Int16:
		return cdl.Short, "", true
	case dtype.Uint16:
		return cdl.UShort, "", true
	case dtype.Int32:
		return cdl.Int, "", true
	case dtype.Uint32:
		return cdl.UInt, "", true
	case dtype.Int64:
		return cdl.Int64, "", true
	case dtype.Uint64:
		return cdl.UInt64, "", true
	case dtype.Float32:
		return cdl.Float, "", true
	case dtype.Float64:
		return cdl.Double, "", true
	case dtype.String:
		return cdl.String, "", true
	case dtype.S(1):
		return cdl.Char, "", true
	case dtype.Int2, dtype.Int4:
		return cdl.Byte, t.String(), true
	case dtype.Uint2, dtype.Uint4:
		return cdl.UByte, t.String(), true
	}
	switch t := t.(type) {
	case dtype.S, dtype.U:
		return cdl.String, t.String(), true
	case dtype.DateTime, dtype.TimeDelta:
		return cdl.Int64, t.String(), true
	case dtype.Basic:
		if !strings.HasPrefix(t.String(), "complex") { // float16 and smaller floats
			return cdl.Float, t.String(), true
		}
	}
	return 0, "", false
}

// valueOf returns the element b as an int64, uint64 or float64, or nil if t is not numeric.
func valueOf(t dtype.Type, b []byte) any {
	kind, _, ok := cdlType(t)
	if !ok || len(b) != t.Size() {
		return nil
	}
	switch kind {
	case cdl.Byte, cdl.Short, cdl.Int, cdl.Int64:
		return converted[int64](t, b)
	case cdl.UByte, cdl.UShort, cdl.UInt, cdl.UInt64:
		return converted[uint64](t, b)
	case cdl.Float, cdl.Double:
		return converted[float64](t, b)
	}
	return nil
}

func converted[T any](t dtype.Type, b []byte) any {
	v := make([]T, 1)
	if convertNumbers(t, v, b) != nil {
		return nil
	}
	return v[0]
}

// isNaN reports whether an element is NaN.
func isNaN(v any) bool {
	f, ok := v.(float64)
	return ok && math.IsNaN(f)
}
