package meta

import (
	"bytes"
	"encoding/json"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// ParseV3 parses a zarr.json document. key names the document in errors.
func ParseV3(key string, doc []byte) (Node, error) { return Parser{}.V3(key, doc) }

// V3 is ParseV3 with the parser's settings.
func (with Parser) V3(key string, doc []byte) (Node, error) {
	o, err := document(key, doc, with)
	if err != nil {
		return nil, err
	}
	n, err := nodeV3(o)
	if err != nil {
		return nil, err
	}
	if g, ok := n.(*Group); ok {
		if raw := o.get("consolidated_metadata"); raw != nil {
			if err := g.inline(o.member("consolidated_metadata"), raw); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
}

// nodeV3 parses a node without its consolidated metadata.
func nodeV3(o object) (Node, error) {
	if err := o.format("3"); err != nil {
		return nil, err
	}
	raw, p, err := o.need("node_type")
	if err != nil {
		return nil, err
	}
	kind, err := p.oneOf(raw, "array", "group")
	if err != nil {
		return nil, err
	}
	if kind == "array" {
		return arrayV3(o)
	}
	return groupV3(o)
}

func groupV3(o object) (*Group, error) {
	g := &Group{Format: 3, Attrs: Attrs{}}
	for _, m := range o.all {
		p := o.member(m.name)
		var err error
		switch m.name {
		case "zarr_format", "node_type", "consolidated_metadata":
		case "attributes":
			g.Attrs, err = p.attributes(m.raw)
		default:
			err = p.unknown(m.raw, m.name, &g.Unknown)
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

func arrayV3(o object) (*Array, error) {
	a := &Array{Format: 3, Attrs: Attrs{}}
	for _, m := range o.all {
		p := o.member(m.name)
		if m.name == "attributes" {
			var err error
			if a.Attrs, err = p.attributes(m.raw); err != nil {
				return nil, err
			}
			continue
		}
		if err := p.strict(m.raw); err != nil {
			return nil, err
		}
		if err := p.modest(m.raw); err != nil {
			return nil, err
		}
		switch m.name {
		case "zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs", "dimension_names":
		case "storage_transformers":
			all, err := p.list(m.raw)
			if err != nil {
				return nil, err
			}
			if len(all) > 0 {
				return nil, p.index(0).unsupported("storage transformer %s", brief(all[0]))
			}
		default:
			if err := p.unknown(m.raw, m.name, &a.Unknown); err != nil {
				return nil, err
			}
		}
	}
	for _, read := range []func(object) error{a.readShape, a.readType, a.readGrid, a.readKeys, a.readFill, a.readCodecs, a.readDims} {
		if err := read(o); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// unknown keeps an unknown member if it may be ignored (core specification, "must_understand").
func (p place) unknown(raw []byte, name string, keep *map[string]json.RawMessage) error {
	if err := p.strict(raw); err != nil {
		return err
	}
	if raw[0] == '{' {
		o, err := p.object(raw)
		if err != nil {
			return err
		}
		if string(o.get("must_understand")) == "false" {
			if *keep == nil {
				*keep = map[string]json.RawMessage{}
			}
			(*keep)[name] = compact(raw)
			return nil
		}
	}
	return p.unsupported("unknown member without \"must_understand\": false")
}

func (a *Array) readShape(o object) error {
	raw, p, err := o.need("shape")
	if err != nil {
		return err
	}
	a.Shape, err = p.lengths(raw, 0)
	return err
}

func (a *Array) readType(o object) error {
	raw, p, err := o.need("data_type")
	if err != nil {
		return err
	}
	a.DType, err = p.with.types().ParseV3(raw)
	if err != nil {
		return p.err(err)
	}
	if err := p.spelledV3(raw, a.DType); err != nil {
		return err
	}
	return o.member("shape").fits(a.Shape, a.DType.Size())
}

func (a *Array) readGrid(o object) error {
	raw, p, err := o.need("chunk_grid")
	if err != nil {
		return err
	}
	n, config, err := p.named(raw)
	if err != nil {
		return err
	}
	switch n.Name {
	case "regular":
	case "rectilinear":
		return a.readEdges(config)
	default:
		return p.unsupported("chunk grid %q", n.Name)
	}
	list, at, err := config.need("chunk_shape")
	if err != nil {
		return err
	}
	if err := config.allow("chunk_shape"); err != nil {
		return err
	}
	return a.readChunks(at, list)
}

// readChunks parses the chunk shape, whose lengths are at least 1 (core specification, since
// 2026-05). zarr-python writes 0 for one chunk of an empty dimension. The array then has zero
// chunks, so any length is equivalent.
func (a *Array) readChunks(p place, raw []byte) (err error) {
	if a.Grid.Shape, err = p.lengths(raw, 0); err != nil {
		return err
	}
	if len(a.Grid.Shape) != len(a.Shape) {
		return p.bad("there are %d chunk lengths for %d axes", len(a.Grid.Shape), len(a.Shape))
	}
	for i, n := range a.Grid.Shape {
		if n > 0 {
			continue
		}
		if a.Shape[i] > 0 {
			return p.index(i).bad("a chunk length must be at least 1, is 0")
		}
		if err := p.index(i).lenient(rule.EmptyChunk, ""); err != nil {
			return err
		}
		a.Grid.Shape[i] = 1
	}
	return p.fits(a.Grid.Shape, a.DType.Size())
}

func (a *Array) readKeys(o object) error {
	raw, p, err := o.need("chunk_key_encoding")
	if err != nil {
		return err
	}
	a.Keys, err = p.keys(raw, 0)
	return err
}

// maxNested is the maximum depth of nested key encodings and codecs.
const maxNested = 4

func (p place) keys(raw []byte, depth int) (k KeyEncoding, err error) {
	n, config, err := p.named(raw)
	if err != nil {
		return k, err
	}
	switch n.Name {
	case "default":
		k = KeyEncoding{Name: n.Name, Separator: "/"}
	case "v2":
		k = KeyEncoding{Name: n.Name, Separator: "."}
	case "suffix":
		if depth == maxNested {
			return k, p.bad("key encodings are nested more than %d deep", maxNested)
		}
		return config.suffixed(depth)
	default:
		return k, p.unsupported("chunk key encoding %q", n.Name)
	}
	if sep := config.get("separator"); sep != nil {
		if k.Separator, err = config.member("separator").oneOf(sep, "/", "."); err != nil {
			return k, err
		}
	}
	return k, config.allow("separator")
}

// suffixed parses the configuration of the registered key encoding "suffix" (zarr-extensions),
// whose specification spells base_encoding in two ways.
func (config object) suffixed(depth int) (k KeyEncoding, err error) {
	base := "base_encoding"
	if config.get(base) == nil && config.get("base-encoding") != nil {
		base = "base-encoding"
	}
	raw, p, err := config.need(base)
	if err != nil {
		return k, err
	}
	if k, err = p.keys(raw, depth+1); err != nil {
		return k, err
	}
	if raw, p, err = config.need("suffix"); err != nil {
		return k, err
	}
	text, err := p.text(raw)
	if err != nil {
		return k, err
	}
	if key, err := NormalizePath("c" + text); err != nil || key != "c"+text {
		return k, p.err(fault.Newf(fault.Path, "a key that ends with %.40q is not safe", text))
	}
	k.Suffix += text
	return k, config.allow(base, "suffix")
}

func (a *Array) readFill(o object) error {
	if a.Format == 1 && o.get("fill_value") == nil {
		return o.lenient(rule.NoFillValue, "")
	}
	raw, p, err := o.need("fill_value")
	if err != nil {
		return err
	}
	if s, ok := a.DType.(*dtype.Struct); string(raw) == "null" && (!ok || s.Form() == nil) {
		if a.Format == 3 {
			return p.bad("null is not a fill value of %v", a.DType)
		}
		return nil
	}
	if a.Fill, err = a.DType.ParseFill(raw, a.Format); err != nil {
		return p.err(err)
	}
	return p.spelledFill(raw, a.DType, a.Format)
}

func (a *Array) readCodecs(o object) error {
	raw, p, err := o.need("codecs")
	if err != nil {
		return err
	}
	all, err := p.list(raw)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return p.bad("there must be a codec from array to bytes")
	}
	elem := a.DType // the input type of the codec
	for i, c := range all {
		n, config, err := p.index(i).named(c)
		if err != nil {
			return err
		}
		if err := config.spelledCodec(n, elem, 0); err != nil {
			return err
		}
		elem = config.leaving(n, elem)
		if n.Name == draftBytes {
			n.Name = bytesName
		}
		a.Codecs = append(a.Codecs, n)
	}
	return nil
}

// readDims parses "dimension_names". It also accepts a single null, which early implementations
// wrote although the specification does not allow it.
func (a *Array) readDims(o object) error {
	raw, p := o.get("dimension_names"), o.member("dimension_names")
	if raw == nil {
		return nil
	}
	if string(raw) == "null" {
		return p.lenient(rule.DimensionsNull, "")
	}
	all, err := p.list(raw)
	if err != nil {
		return err
	}
	if len(all) != len(a.Shape) {
		return p.bad("there are %d names for %d axes", len(all), len(a.Shape))
	}
	a.Dims = make([]string, len(all))
	for i, name := range all {
		if string(name) == "null" {
			continue
		}
		if a.Dims[i], err = p.index(i).text(name); err != nil {
			return err
		}
	}
	return nil
}

// named parses an extension, which is an object with a name, or only the name (core specification,
// "Extension definition").
func (p place) named(raw []byte) (Named, object, error) {
	config := object{place: p.member("configuration")}
	if raw[0] == '"' {
		name, err := p.text(raw)
		if err == nil && name == "" {
			err = p.bad("the name is empty")
		}
		return Named{Name: name}, config, err
	}
	if raw[0] != '{' {
		return Named{}, config, p.wrong("a name or an object with a name", raw)
	}
	o, err := p.object(raw)
	if err != nil {
		return Named{}, config, err
	}
	text, at, err := o.need("name")
	if err != nil {
		return Named{}, config, err
	}
	var n Named
	if n.Name, err = at.text(text); err != nil {
		return n, config, err
	}
	if n.Name == "" {
		return n, config, at.bad("the name is empty")
	}
	for _, m := range o.all {
		switch m.name {
		case "name":
		case "configuration":
			if config, err = config.object(m.raw); err != nil {
				return n, config, err
			}
			n.Config = compact(m.raw)
		case "must_understand":
			if !bytes.Equal(m.raw, []byte("true")) && !bytes.Equal(m.raw, []byte("false")) {
				return n, config, o.member(m.name).wrong("true or false", m.raw)
			}
			n.Optional = m.raw[0] == 'f'
		default:
			return n, config, o.member(m.name).unsupported("unknown member of an extension")
		}
	}
	return n, config, nil
}

// allow returns an error if o has a member that is not in names.
func (o object) allow(names ...string) error {
next:
	for _, m := range o.all {
		for _, n := range names {
			if m.name == n {
				continue next
			}
		}
		return o.member(m.name).unsupported("unknown member")
	}
	return nil
}
