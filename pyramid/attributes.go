package pyramid

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/attributes/convention"
	"github.com/zargo-io/zargo/zarr/fault"
)

// The names of attributes.
const (
	attrMultiscales = "multiscales"
	attrConventions = convention.Key
)

// asset is an entry of the member layout in the convention multiscales.
type asset struct {
	Asset       string    `json:"asset"`
	DerivedFrom string    `json:"derived_from,omitempty"`
	Transform   transform `json:"transform"`
	Method      string    `json:"resampling_method,omitempty"`
}

// transform maps an index of a level to an index of the previous level: index × scale +
// translation. Integers are the centers of elements.
type transform struct {
	Scale       []float64 `json:"scale"`
	Translation []float64 `json:"translation"`
}

// assetOf returns the entry of a level. Level 0 is the source.
func assetOf(l layout, level int, factor []int, m Method) asset {
	a := asset{Asset: l.assets(level)}
	if level > 0 {
		a.DerivedFrom, a.Method = l.assets(level-1), map[Method]string{Mean: "average", Nearest: "nearest", Mode: "mode"}[m]
	}
	for _, f := range factor {
		if level == 0 {
			f = 1
		}
		a.Transform.Scale = append(a.Transform.Scale, float64(f))
		a.Transform.Translation = append(a.Transform.Translation, float64(f-1)/2)
	}
	return a
}

// described reports whether the attributes of a group contain the entry of a level.
func described(attrs map[string]any, a asset) bool {
	entries, _, err := layoutIn(attrs)
	return err == nil && slices.ContainsFunc(entries, func(e any) bool { return same(e, a) })
}

// same reports whether an entry has the members of a with the same values. It ignores other
// members.
func same(entry any, a asset) bool {
	text, err := json.Marshal(entry)
	var got asset
	if err != nil || json.Unmarshal(text, &got) != nil {
		return false
	}
	x, err1 := json.Marshal(got)
	y, err2 := json.Marshal(a)
	return err1 == nil && err2 == nil && bytes.Equal(x, y)
}

// layoutIn returns the entries of the attribute multiscales, and the attribute itself. It returns
// an error if the attribute has another format, such as OME-Zarr.
func layoutIn(attrs map[string]any) (entries []any, of map[string]any, err error) {
	switch v := attrs[attrMultiscales].(type) {
	case nil:
		return nil, nil, nil
	case map[string]any:
		if entries, ok := v["layout"].([]any); ok {
			return entries, v, nil
		}
	}
	return nil, nil, fault.Newf(fault.Exists, "the group already has an attribute %q that is not a layout of levels", attrMultiscales)
}

// describe returns the attributes of a group with entries for the assets. It keeps the entries of
// other assets. It also keeps an existing entry of the first asset, which is the source array.
func describe(attrs map[string]any, assets []asset) (map[string]any, error) {
	entries, of, err := layoutIn(attrs)
	if err != nil {
		return nil, err
	}
	entries = slices.Clone(entries)
	for i, a := range assets {
		at := slices.IndexFunc(entries, func(e any) bool {
			m, ok := e.(map[string]any)
			return ok && m["asset"] == a.Asset
		})
		switch {
		case at < 0:
			entries = append(entries, a)
		case i > 0 && !same(entries[at], a):
			entries[at] = a
		}
	}
	if of = maps.Clone(of); of == nil {
		of = map[string]any{}
	}
	of["layout"] = entries
	if attrs = maps.Clone(attrs); attrs == nil {
		attrs = map[string]any{}
	}
	attrs[attrMultiscales] = of
	list, _ := attrs[attrConventions].([]any)
	if !slices.ContainsFunc(list, func(c any) bool {
		m, ok := c.(map[string]any)
		return ok && m["uuid"] == convention.Multiscales().UUID
	}) {
		attrs[attrConventions] = append(slices.Clone(list), convention.Multiscales().Declaration())
	}
	return attrs, nil
}
