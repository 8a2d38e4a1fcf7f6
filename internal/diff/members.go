package diff

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/zargo-io/zargo/internal/jsontext"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/meta"
)

// members returns the differences in metadata of two arrays or two groups.
func members(a, b zarr.Node) ([]Member, error) {
	d := &differences{}
	d.add("format", number(a.Format()), number(b.Format()))
	if x, ok := a.(*zarr.Array); ok {
		arrays(d, x, b.(*zarr.Array))
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
		d.add("attributes/"+name, p, q)
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
	d.add("codecs", codecsText(x.Codecs), codecsText(y.Codecs))
	d.add("chunk_key_encoding", text(x.Keys.Name+" "+x.Keys.Separator), text(y.Keys.Name+" "+y.Keys.Separator))
	d.add("dimension_names", names(x.Dims), names(y.Dims))
}

// differences collects the members that differ.
type differences struct{ list []Member }

func (d *differences) add(name string, a, b json.RawMessage) {
	if !bytes.Equal(a, b) {
		d.list = append(d.list, Member{name, a, b})
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

func names(dims []string) json.RawMessage {
	if dims == nil {
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
