package dataset

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/zargo-io/zargo/zarr"
)

// names returns the last segments of n paths. It returns nil if the list does not consist of n
// paths.
func names(list []any, n int) []string {
	if len(list) != n || n == 0 {
		return nil
	}
	out := make([]string, n)
	for i, v := range list {
		s, ok := v.(string)
		if !ok || s == "" {
			return nil
		}
		if out[i] = path.Base(s); out[i] == "/" || out[i] == "." {
			return nil
		}
	}
	return out
}

// dimensions returns the names of the dimensions of an array: dimension_names of v3, the attribute
// _ARRAY_DIMENSIONS of xarray, or the dimension references of NCZarr. Missing and repeated names
// become "dim_0", "dim_1" and so on; unnamed contains their axes. dimensions calls find to report
// each of them.
func dimensions(a *zarr.Array, find func(text string)) (dims []string, unnamed []int) {
	dims = a.Dims()
	switch {
	case dims == nil && len(a.Shape()) > 0:
		if dims = fromNCZarr(a); dims == nil {
			dims = make([]string, len(a.Shape()))
			find("the dimensions have no names; they are dim_0, dim_1, …")
		}
	case a.Format() == 3 && slices.Contains(dims, ""):
		if other := fromAttr(a); other != nil {
			dims = other
		}
		find("some dimensions have no names in dimension_names")
	}
	for i, d := range dims {
		if d != "" && slices.Contains(dims[:i], d) {
			dims[i], unnamed = free(dims, i), append(unnamed, i)
			find(fmt.Sprintf("the dimension name %q is repeated; axis %d is %s", d, i, dims[i]))
		}
	}
	for i, d := range dims {
		if d == "" {
			dims[i], unnamed = free(dims, i), append(unnamed, i)
		}
	}
	return dims, unnamed
}

// fromNCZarr returns the names of the dimensions to which an NCZarr array refers, or nil. NCZarr
// stores the paths of the dimensions in the attribute _nczarr_array; older versions used .zarray.
func fromNCZarr(a *zarr.Array) []string {
	var found []any
	read := func(members map[string]any) {
		for name, v := range members {
			if m, ok := v.(map[string]any); ok && strings.EqualFold(name, "_nczarr_array") {
				for _, refs := range []string{"dimrefs", "dimension_references"} {
					if list, ok := m[refs].([]any); ok {
						found = list
					}
				}
			}
		}
	}
	read(a.Attrs())
	if found == nil {
		docs, err := a.Documents()
		if err != nil {
			return nil
		}
		for key, doc := range docs {
			var members map[string]any
			if path.Base(key) == ".zarray" && json.Unmarshal(doc, &members) == nil {
				read(members)
			}
		}
	}
	return names(found, len(a.Shape()))
}

// fromAttr returns the names in the attribute _ARRAY_DIMENSIONS, or nil.
func fromAttr(a *zarr.Array) []string {
	list, _ := a.Attrs()["_ARRAY_DIMENSIONS"].([]any)
	return names(list, len(a.Shape()))
}

// free returns the name of axis i of dims: "dim_" and the axis, and an underscore for each other
// axis that has the name already.
func free(dims []string, i int) string {
	name := fmt.Sprintf("dim_%d", i)
	for slices.Contains(dims, name) {
		name += "_"
	}
	return name
}

// unique renames dimensions without a name whose name is that of a dimension of another length in
// another array. The length becomes part of the name.
func (d *Dataset) unique() {
	lengths := map[string]int{}
	for _, s := range d.vars {
		for i, dim := range s.dims {
			if !slices.Contains(s.unnamed, i) {
				lengths[dim] = s.array.Shape()[i]
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.vars)) {
		s := d.vars[name]
		for _, i := range s.unnamed {
			n, was := s.array.Shape()[i], s.dims[i]
			if other, ok := lengths[was]; ok && other != n {
				name := fmt.Sprintf("%s_%d", was, n)
				if other, ok = lengths[name]; ok && other != n || slices.Contains(s.dims, name) {
					continue // OpenGroup returns an error with both lengths
				}
				s.dims[i] = name
				d.find(s.array.Path(), "axis %d is %s, because another array has another length of %s", i, name, was)
			}
			lengths[s.dims[i]] = n
		}
	}
}
