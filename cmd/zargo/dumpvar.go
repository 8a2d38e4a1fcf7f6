package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/cdl"
	"github.com/zargo-io/zargo/internal/masked"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// cdlBuilder describes arrays as variables of CDL.
type cdlBuilder struct {
	name    string               // of an array at the root of a store
	special bool                 // add the special attributes of storage
	path    []string             // names of the current group and the groups above
	arrays  map[string]*cdlArray // variables with a type of CDL, by their paths
	find    func(text string)    // reports a departure from the conventions
}

// cdlArray is an array that is a variable of CDL.
type cdlArray struct {
	*zarr.Array
	dims    []string
	kind    cdl.Type
	missing []byte // element that is missing; or nil
}

// isIndex reports whether the array has the coordinates of a dimension.
func (a *cdlArray) isIndex() bool { return len(a.dims) == 1 && a.dims[0] == a.Name() }

// row returns the length of the last dimension.
func (a *cdlArray) row() int {
	if a == nil || len(a.dims) == 0 {
		return 0
	}
	return a.Shape()[len(a.dims)-1]
}

// array adds an array that is not opened as part of a dataset.
func (b *cdlBuilder) array(to *cdl.Group, a *zarr.Array) error {
	dims := a.Dims()
	if dims == nil {
		dims = make([]string, len(a.Shape()))
	}
	for i, name := range dims {
		if name == "" || slices.Contains(dims[:i], name) && slices.Index(dims, name) != i && a.Shape()[i] != a.Shape()[slices.Index(dims, name)] {
			dims[i] = fmt.Sprintf("dim_%d", i)
		}
	}
	attrs := a.Attrs()
	maps.DeleteFunc(attrs, func(name string, _ any) bool { return name == "_ARRAY_DIMENSIONS" })
	return b.variable(to, nil, a, dims, attrs)
}

// variable adds a variable to a group, and those of its dimensions that neither the group nor one
// above declares. dims lacks the last dimension of an array of characters.
func (b *cdlBuilder) variable(to *cdl.Group, outer []cdl.Dim, a *zarr.Array, dims []string, attrs map[string]any) error {
	shape := a.Shape()
	if len(dims) < len(shape) {
		name := fmt.Sprintf("string%d", shape[len(shape)-1])
		if names := a.Dims(); len(names) == len(shape) && names[len(dims)] != "" {
			name = names[len(dims)]
		}
		dims = append(slices.Clone(dims), name)
		if n, ok := lengthOf(to.Dims, name); ok && n != shape[len(shape)-1] {
			dims[len(dims)-1] = fmt.Sprintf("%s_%d", name, shape[len(shape)-1])
		}
	}
	for i, name := range dims {
		if _, ok := lengthOf(to.Dims, name); ok {
			continue
		}
		if n, ok := lengthOf(outer, name); !ok || n != shape[i] {
			to.Dims = append(to.Dims, cdl.Dim{Name: name, Len: shape[i]})
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
		v.Foreign = a.DType().String()
		v.Attrs = attrsOf(attrs, nil)
	} else {
		v.Type, v.Note = kind, note
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

// lengthOf returns the length of a dimension. The innermost declaration is the last.
func lengthOf(dims []cdl.Dim, name string) (int, bool) {
	for _, d := range slices.Backward(dims) {
		if d.Name == name {
			return d.Len, true
		}
	}
	return 0, false
}

// missingOf returns the element that is missing by xarray's rules, or nil, and the attributes
// without it. The attributes are a copy.
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

// encoded returns the element with the notation of a v3 fill value, or nil.
func encoded(t dtype.Type, text string) []byte {
	b, err := t.ParseFill([]byte(text), 3)
	if err != nil {
		return nil
	}
	return b
}
