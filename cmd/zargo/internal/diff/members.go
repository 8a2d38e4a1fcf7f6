package diff

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/internal/bits/jsontext"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// members returns the differences in metadata of two arrays or two groups.
func members(a, b zarr.Node) ([]Member, error) {
	d := &differences{}
	d.add("format", number(a.Format()), number(b.Format()))
	switch x := a.(type) {
	case *zarr.Array:
		y := b.(*zarr.Array)
		arrays(d, x, y)
		d.unknown(x.Metadata().Unknown, y.Metadata().Unknown)
	case *zarr.Group:
		d.unknown(x.Metadata().Unknown, b.(*zarr.Group).Metadata().Unknown)
	}
	x, y := a.Attrs(), b.Attrs()
	all := maps.Clone(x)
	maps.Copy(all, y)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p, err := attr(x, name)
		if err != nil {
			return nil, err
		}
		q, err := attr(y, name)
		if err != nil {
			return nil, err
		}
		if !sameJSON(p, q) {
			d.add("attributes/"+name, p, q)
		}
	}
	return d.list, nil
}

// arrays compares the metadata of two arrays, except attributes.
func arrays(d *differences, a, b *zarr.Array) {
	x, y := a.Metadata(), b.Metadata()
	d.add("shape", list(x.Shape), list(y.Shape))
	if dtype.Equal(x.DType, y.DType) {
		if (x.Fill == nil) != (y.Fill == nil) || !bytes.Equal(x.Fill, y.Fill) {
			d.list = append(d.list, Member{"fill_value", fillText(x), fillText(y)})
		}
	} else {
		d.list = append(d.list, Member{"data_type", typeText(x.DType), typeText(y.DType)})
		d.add("fill_value", fillText(x), fillText(y))
	}
	d.add("chunks", list(a.Chunks()), list(b.Chunks()))
	d.add("shards", list(a.Shards()), list(b.Shards()))
	if (!a.Regular() || !b.Regular()) && !x.Grid.Equal(y.Grid) {
		d.list = append(d.list, Member{"chunk_grid", marshal(x.Grid), marshal(y.Grid)})
	}
	if p, q := codecsText(x.Codecs), codecsText(y.Codecs); !bytes.Equal(p, q) && !sameCodecs(a, b) {
		d.add("codecs", p, q)
	}
	d.add("chunk_key_encoding", keysText(x), keysText(y))
	d.add("dimension_names", names(x.Dims), names(y.Dims))
}

// differences collects the members that differ.
type differences struct{ list []Member }

func (d *differences) add(name string, a, b json.RawMessage) {
	if !bytes.Equal(a, b) {
		d.list = append(d.list, Member{name, a, b})
	}
}

// unknown compares the members of documents that this version does not know.
func (d *differences) unknown(a, b map[string]json.RawMessage) {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]json.RawMessage{}
	}
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !sameJSON(a[name], b[name]) {
			d.add(name, a[name], b[name])
		}
	}
}

// attr returns an attribute as compact JSON, or nil if the attribute does not exist. Members of
// objects are sorted, so that equal values have equal texts. The bare tokens NaN, Infinity and
// -Infinity become objects, as in [jsontext.Canon], so that they differ from strings.
func attr(attrs meta.Attrs, name string) (json.RawMessage, error) {
	v, ok := attrs[name]
	if !ok {
		return nil, nil
	}
	b, err := meta.EncodeAttr(v)
	if err != nil || json.Valid(b) {
		return b, err
	}
	canon, err := jsontext.Canon(nil, b, jsontext.Tokens)
	if err != nil { // it also contains the canonical form of a token
		return text(string(b)), nil //nolint:nilerr // the text differs from that of every other value
	}
	return canon, nil
}

// sameCodecs reports whether the codecs of two arrays of one format and one data type have the same
// meaning: they are equal when they are written again. For example, "bytes" may have a byte order
// although the elements are single bytes, and a codec may be a name or an object.
func sameCodecs(a, b *zarr.Array) bool {
	if a.Format() != b.Format() {
		return false
	}
	x, ex := a.MetadataV3()
	y, ey := b.MetadataV3()
	return ex == nil && ey == nil && bytes.Equal(codecsText(x.Codecs), codecsText(y.Codecs))
}

// keysText describes the chunk keys of an array. The separator counts only if keys contain it.
func keysText(m *meta.Array) json.RawMessage {
	if n := len(m.Shape); n == 0 || n == 1 && m.Keys.Name == "v2" {
		return text(m.Keys.Name)
	}
	return text(m.Keys.Name + " " + m.Keys.Separator)
}

// sameJSON reports whether two JSON values have the same meaning: equal members in any order, and
// equal numbers. An integer differs from a float, as in most languages.
func sameJSON(a, b json.RawMessage) bool {
	if a == nil || b == nil || bytes.Equal(a, b) {
		return a == nil && b == nil || bytes.Equal(a, b)
	}
	var x, y any
	for _, of := range []struct {
		doc []byte
		to  *any
	}{{a, &x}, {b, &y}} {
		dec := json.NewDecoder(bytes.NewReader(of.doc))
		dec.UseNumber()
		if dec.Decode(of.to) != nil {
			return false
		}
	}
	return sameValue(x, y)
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(a.String(), b.String())
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameValue)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameValue)
	}
	return a == b
}

func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a, ".eE") || !strings.ContainsAny(b, ".eE") {
		return false
	}
	x, ex := strconv.ParseFloat(a, 64)
	y, ey := strconv.ParseFloat(b, 64)
	return ex == nil && ey == nil && math.Float64bits(x) == math.Float64bits(y)
}

// codecsText returns codecs as JSON. The members of their configurations are sorted.
func codecsText(codecs []meta.Named) json.RawMessage {
	type named struct {
		Name   string `json:"name"`
		Config any    `json:"configuration,omitempty"`
	}
	all := make([]named, len(codecs))
	for i, c := range codecs {
		all[i].Name = c.Name
		dec := json.NewDecoder(bytes.NewReader(c.Config))
		dec.UseNumber()
		if len(c.Config) > 0 && dec.Decode(&all[i].Config) != nil {
			all[i].Config = string(c.Config)
		}
		if m, ok := all[i].Config.(map[string]any); ok && len(m) == 0 {
			all[i].Config = nil
		}
	}
	return marshal(all)
}

func typeText(t dtype.Type) json.RawMessage {
	if raw, err := t.V3(); err == nil {
		return raw
	}
	return text(t.String())
}

func fillText(m *meta.Array) json.RawMessage {
	if m.Fill == nil {
		return json.RawMessage("null")
	}
	return elementText(m.DType, m.Fill)
}

// names returns dimension names as JSON, or nil if no dimension has a name.
func names(dims []string) json.RawMessage {
	if !slices.ContainsFunc(dims, func(name string) bool { return name != "" }) {
		return nil
	}
	return marshal(dims)
}

// list returns n as JSON, or nil if n is nil. For example, the chunk shape is nil if the chunks of
// an array differ in shape.
func list(n []int) json.RawMessage {
	if n == nil {
		return nil
	}
	return marshal(n)
}

func number(n int) json.RawMessage  { return marshal(n) }
func text(s string) json.RawMessage { return marshal(s) }

// marshal returns v as JSON. v must be a value that can be encoded.
func marshal(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
