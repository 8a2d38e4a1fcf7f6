package meta

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

func (k KeyEncoding) encode() json.RawMessage {
	var sep writer
	sep.text("separator", k.Separator)
	base := Named{Name: k.Name, Config: sep.done()}.encode()
	if k.Suffix == "" {
		return base
	}
	var config writer
	config.text("suffix", k.Suffix)
	config.add("base_encoding", base)
	return Named{Name: "suffix", Config: config.done()}.encode()
}

// writer encodes a JSON object. It writes the members in the order of the calls that add them.
type writer struct {
	b []byte
	n int
}

func (w *writer) add(name string, raw json.RawMessage) {
	sep := byte(',')
	if w.n == 0 {
		sep = '{'
	}
	w.b = append(w.b, sep)
	w.b = appendString(w.b, name)
	w.b = append(append(w.b, ':'), raw...)
	w.n++
}

func (w *writer) text(name, s string) { w.add(name, appendString(nil, s)) }

func (w *writer) unknown(m map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		w.add(name, m[name])
	}
}

// done returns the object, without white space.
func (w *writer) done() json.RawMessage {
	if w.n == 0 {
		return json.RawMessage("{}")
	}
	return append(w.b, '}')
}

// encode returns an extension as an object, which every version of the specification allows.
func (n Named) encode() json.RawMessage {
	var w writer
	w.text("name", n.Name)
	if len(n.Config) > 0 {
		w.add("configuration", n.Config)
	}
	if n.Optional {
		w.add("must_understand", json.RawMessage("false"))
	}
	return w.done()
}

// EncodeV3 returns the zarr.json document of a v3 group without consolidated metadata.
// [ConsolidateV3] adds consolidated metadata from stored documents.
func (g *Group) EncodeV3() ([]byte, error) {
	if g.Format != 3 {
		return nil, fault.Newf(fault.Metadata, "a group of v%d cannot be written as v3", g.Format)
	}
	attrs, err := attributes(g.Attrs)
	if err != nil {
		return nil, err
	}
	var w writer
	w.add("attributes", attrs)
	w.add("zarr_format", json.RawMessage("3"))
	w.text("node_type", "group")
	w.unknown(g.Unknown)
	return indent(w.done(), nil)
}

// indent formats a document as zarr-python does.
func indent(doc json.RawMessage, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return indented(doc, "", "  "), nil
}

// EncodeV2 returns the .zarray document of a v2 array and its .zattrs document. The latter is nil
// if there are no attributes. EncodeV2 returns errors.ErrUnsupported for codecs that v2 cannot
// represent: a transpose other than the reversal of all dimensions, and codecs that do not belong
// to numcodecs.
func (a *Array) EncodeV2() (zarray, zattrs []byte, err error) {
	doc, err := a.documentV2()
	if zarray, err = indent(doc, err); err != nil {
		return nil, nil, err
	}
	zattrs, err = attrsDocument(a.Attrs)
	return zarray, zattrs, err
}

func (a *Array) documentV2() (json.RawMessage, error) {
	if err := a.consistent(2); err != nil {
		return nil, err
	}
	if a.Keys.Suffix != "" {
		return nil, fault.Newf(errors.ErrUnsupported, "v2 has no key encoding with a suffix")
	}
	order, bytes, rest, err := a.splitV2()
	if err != nil {
		return nil, err
	}
	typ := dtype.InOrder(a.DType, bytes) // fill values of structures depend on the byte order
	t, err := typ.V2(bytes)
	if err != nil {
		return nil, err
	}
	fill := json.RawMessage("null")
	if a.Fill != nil {
		if fill, err = typ.FormatFill(a.Fill, 2); err != nil {
			return nil, err
		}
	}
	codecs := make([]json.RawMessage, len(rest))
	for i, c := range rest {
		if codecs[i], err = c.numcodecs(); err != nil {
			return nil, err
		}
	}
	filters, compressor := json.RawMessage("null"), json.RawMessage("null")
	if n := len(rest); n > 0 && !a.AllFilters && !onlyFilter(rest[n-1].Name) {
		compressor, codecs = codecs[n-1], codecs[:n-1]
	}
	if len(codecs) > 0 {
		filters = list(codecs)
	}
	var w writer
	w.add("shape", intList(a.Shape))
	w.add("chunks", intList(a.Grid.Shape))
	w.add("dtype", t)
	w.add("fill_value", fill)
	w.text("order", order)
	w.add("filters", filters)
	if !a.NoSeparator {
		w.text("dimension_separator", a.Keys.Separator)
	}
	w.add("compressor", compressor)
	w.add("zarr_format", json.RawMessage("2"))
	w.unknown(a.Unknown)
	return w.done(), nil
}

// consistent returns an error if the array, encoded in the given format, would be an invalid
// document.
func (a *Array) consistent(format int) error {
	switch {
	case a.Format != format:
		return fault.Newf(fault.Metadata, "an array of v%d cannot be written as v%d", a.Format, format)
	case a.DType == nil:
		return fault.Newf(fault.Metadata, "the array has no data type")
	case a.Dims != nil && len(a.Dims) != len(a.Shape):
		return fault.Newf(fault.Metadata, "the array has %d dimension names for %d axes", len(a.Dims), len(a.Shape))
	case len(a.Codecs) == 0:
		return fault.Newf(fault.Metadata, "the array has no codecs")
	case a.Keys.Separator != "/" && a.Keys.Separator != ".":
		return fault.Newf(fault.Metadata, "separator must be / or ., is %q", a.Keys.Separator)
	}
	if err := checkRank(len(a.Shape)); err != nil {
		return err
	}
	return a.Grid.consistent(a.Shape, format)
}

// EncodeV3 returns the zarr.json document of a v3 array, formatted as zarr-python does.
func (a *Array) EncodeV3() ([]byte, error) { return indent(a.documentV3()) }

func (a *Array) documentV3() (json.RawMessage, error) {
	if err := a.consistent(3); err != nil {
		return nil, err
	}
	if a.Fill == nil {
		return nil, fault.Newf(fault.Metadata, "v3 arrays must have a fill value")
	}
	t, err := a.DType.V3()
	if err != nil {
		return nil, err
	}
	fill, err := a.DType.FormatFill(a.Fill, 3)
	if err != nil {
		return nil, err
	}
	attrs, err := attributes(a.Attrs)
	if err != nil {
		return nil, err
	}
	codecs := make([]json.RawMessage, len(a.Codecs))
	for i, c := range a.Codecs {
		codecs[i] = c.encode()
	}
	var w writer
	w.add("shape", intList(a.Shape))
	w.add("data_type", t)
	w.add("chunk_grid", a.Grid.encode())
	w.add("chunk_key_encoding", a.Keys.encode())
	w.add("fill_value", fill)
	w.add("codecs", list(codecs))
	w.add("attributes", attrs)
	if a.Dims != nil {
		names := make([]json.RawMessage, len(a.Dims))
		for i, d := range a.Dims {
			if names[i] = json.RawMessage("null"); d != "" {
				names[i] = appendString(nil, d)
			}
		}
		w.add("dimension_names", list(names))
	}
	w.add("zarr_format", json.RawMessage("3"))
	w.text("node_type", "array")
	w.add("storage_transformers", json.RawMessage("[]"))
	w.unknown(a.Unknown)
	return w.done(), nil
}

func list(items []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, v := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

func intList(v []int) json.RawMessage {
	b := []byte{'['}
	for i, n := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, ']')
}

// splitV2 splits the codecs into the members of a v2 document. It is the inverse of readPipeline.
func (a *Array) splitV2() (order string, bytes dtype.Order, rest []Named, err error) {
	order, rest = "C", a.Codecs
	if rest[0].Name == "transpose" {
		var config struct{ Order []int }
		want := reversal(len(a.Shape))
		if json.Unmarshal(rest[0].Config, &config) != nil || string(intList(config.Order)) != string(want.Config[len(`{"order":`):len(want.Config)-1]) {
			return "", 0, nil, fault.Newf(errors.ErrUnsupported, "v2 cannot represent the transpose %s", brief(rest[0].Config))
		}
		if rest = rest[1:]; len(a.Shape) > 1 {
			order = "F"
		}
	}
	if a.DType.Size() == 0 && len(rest) > 0 { // a filter encodes the objects
		return order, dtype.NoOrder, rest, nil
	}
	if len(rest) == 0 || rest[0].Name != bytesName {
		return "", 0, nil, fault.Newf(errors.ErrUnsupported, "the first codec of a v2 array must be bytes")
	}
	var config struct{ Endian string }
	if len(rest[0].Config) > 0 && json.Unmarshal(rest[0].Config, &config) != nil {
		return "", 0, nil, fault.Newf(fault.Metadata, "codec bytes has the invalid configuration %s", brief(rest[0].Config))
	}
	for _, o := range []dtype.Order{dtype.Little, dtype.Big} {
		if config.Endian == o.String() {
			bytes = o
		}
	}
	return order, bytes, rest[1:], nil
}

// numcodecs returns a codec in v2's form: its configuration with an id.
func (n Named) numcodecs() (json.RawMessage, error) {
	id, ok := strings.CutPrefix(n.Name, numcodecs)
	if !ok {
		return nil, fault.Newf(errors.ErrUnsupported, "v2 has no codec %q", n.Name)
	}
	var w writer
	w.text("id", id)
	if len(n.Config) > 0 {
		if _, err := check(n.Config, false); err != nil || n.Config[0] != '{' {
			return nil, fault.Newf(fault.Metadata, "codec %s has the invalid configuration %s", id, brief(n.Config))
		}
		config, err := members(n.Config)
		if err != nil {
			return nil, err
		}
		for _, m := range config {
			w.add(m.name, m.raw)
		}
	}
	return w.done(), nil
}

// onlyFilter reports whether a codec can only be a filter because its input or output consists of
// elements. Readers do not expect such a codec as the compressor.
func onlyFilter(name string) bool {
	switch strings.TrimPrefix(name, numcodecs) {
	case "delta", "fixedscaleoffset", "quantize", "astype", "categorize", "packbits", "bitround",
		"vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "pickle", "n5_wrapper":
		return true
	}
	return false
}

// EncodeV2 returns the .zgroup document of a v2 group and its .zattrs document. The latter is nil
// if there are no attributes.
func (g *Group) EncodeV2() (zgroup, zattrs []byte, err error) {
	if g.Format != 2 {
		return nil, nil, fault.Newf(fault.Metadata, "a group of v%d cannot be written as v2", g.Format)
	}
	var w writer
	w.add("zarr_format", json.RawMessage("2"))
	w.unknown(g.Unknown)
	if zgroup, err = indent(w.done(), nil); err != nil {
		return nil, nil, err
	}
	zattrs, err = attrsDocument(g.Attrs)
	return zgroup, zattrs, err
}

func attrsDocument(attrs Attrs) ([]byte, error) {
	if len(attrs) == 0 {
		return nil, nil
	}
	return EncodeAttrs(attrs)
}
