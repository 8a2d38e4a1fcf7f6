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
			g.Attrs, err = p.attributesV3(m.raw)
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
			if a.Attrs, err = p.attributesV3(m.raw); err != nil {
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
			if string(m.raw) == "null" {
				if err := p.lenient(rule.NullMember, ""); err != nil {
					return nil, err
				}
				continue
			}
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

// attributesV3 parses attributes. It accepts null, as zarr-python does.
func (p place) attributesV3(raw []byte) (Attrs, error) {
	if string(raw) == "null" {
		return Attrs{}, p.lenient(rule.NullMember, "")
	}
	return p.attributes(raw)
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
	if a.Shape, err = p.lengths(raw, 0); err != nil {
		return err
	}
	return p.err(checkRank(len(a.Shape)))
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
	if mixed, err := at.mixed(list); err != nil || mixed {
		if err == nil {
			err = at.lenient(rule.GridSpelling, "a regular grid with lists of chunk lengths")
		}
		if err != nil {
			return err
		}
		return a.readAxes(at, list)
	}
	return a.readChunks(at, list, innerShape(o))
}

// mixed reports whether a chunk shape contains lengths and lists of lengths. zarr-python 3.2 stored
// rectilinear grids in this form under the name "regular".
func (p place) mixed(raw []byte) (bool, error) {
	all, err := p.list(raw)
	lists := 0
	for _, e := range all {
		if e[0] == '[' {
			lists++
			if bytes.IndexByte(e[1:], '[') >= 0 {
				return false, err // runs were never stored in a regular grid
			}
		}
	}
	return lists > 0 && lists < len(all), err
}

// innerShape returns the chunk shape of the sharding codec of an array, or nil.
func innerShape(o object) []int {
	quiet := o.place
	quiet.with.Lenient = nil
	if o.get("codecs") == nil {
		return nil
	}
	all, err := quiet.list(o.get("codecs"))
	if err != nil {
		return nil
	}
	for _, raw := range all {
		if n, config, err := quiet.named(raw); err == nil && n.Name == "sharding_indexed" && config.get("chunk_shape") != nil {
			inner, _ := quiet.lengths(config.get("chunk_shape"), 1)
			return inner
		}
	}
	return nil
}

// readChunks parses the chunk shape, whose lengths are at least 1 (core specification, since
// 2026-05). zarr-python wrote 0 for one chunk of an empty dimension. The array then has zero
// chunks, so any length is equivalent. Like zarr-python, it reads 0 as 1, or as the length of inner
// chunks. zarr-python stored the lengths of its caller, and reads true as 1.
func (a *Array) readChunks(p place, raw []byte, inner []int) error {
	all, err := p.list(raw)
	if err != nil {
		return err
	}
	a.Grid.Shape = make([]int, len(all))
	for i, e := range all {
		if string(e) == "true" {
			a.Grid.Shape[i], err = 1, p.index(i).lenient(rule.NumberSpelling, "true")
		} else {
			a.Grid.Shape[i], err = p.index(i).length(e, 0)
		}
		if err != nil {
			return err
		}
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
		if a.Grid.Shape[i] = 1; len(inner) == len(a.Shape) {
			a.Grid.Shape[i] = max(inner[i], 1)
		}
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
