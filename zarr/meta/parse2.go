package meta

import (
	"encoding/json"

	"github.com/zargo-io/zargo/internal/node/claim"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// ArrayV2 parses a .zarray document and the .zattrs document of the same array, which is nil
// if there is none. key and attrsKey name the documents in errors.
func (with Parser) ArrayV2(key string, zarray []byte, attrsKey string, zattrs []byte) (*Array, error) {
	return with.array(key, zarray, attrsKey, zattrs, arrayV2)
}

// GroupV2 parses a .zgroup document and the .zattrs document of the same group, which is nil
// if there is none.
func (with Parser) GroupV2(key string, zgroup []byte, attrsKey string, zattrs []byte) (*Group, error) {
	o, err := document(key, zgroup, with)
	if err != nil {
		return nil, err
	}
	g, err := groupV2(o)
	if err != nil {
		return nil, err
	}
	g.Attrs, err = with.AttrsV2(attrsKey, zattrs)
	return g, err
}

// AttrsV2 parses a .zattrs document. doc may be nil, for a node without attributes.
func (with Parser) AttrsV2(key string, doc []byte) (Attrs, error) {
	if doc == nil {
		return Attrs{}, nil
	}
	p, text, err := with.text(key, doc)
	if err != nil {
		return nil, err
	}
	return p.attributes(text)
}

func groupV2(o object) (*Group, error) {
	if err := o.format("2"); err != nil {
		return nil, err
	}
	g := &Group{Format: 2, Attrs: Attrs{}}
	for _, m := range o.all {
		if m.name == "zarr_format" {
			continue
		}
		if err := o.member(m.name).keep(m.raw, m.name, &g.Unknown); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// keep adds an unknown member to the map *dst. Unknown members are kept because v2 readers ignore
// them.
func (p place) keep(raw []byte, name string, dst *map[string]json.RawMessage) error {
	if err := p.strict(raw); err != nil {
		return err
	}
	if name == claim.Member || name == claim.RecordMember {
		return nil // package document handles them
	}
	if *dst == nil {
		*dst = map[string]json.RawMessage{}
	}
	(*dst)[name] = compact(raw)
	return p.lenient(rule.UnknownMember, "")
}

func arrayV2(o object) (*Array, error) {
	if err := o.format("2"); err != nil {
		return nil, err
	}
	a := &Array{Format: 2, Attrs: Attrs{}}
	if err := a.checkMembers(o, "zarr_format", "shape", "chunks", "dtype", "compressor", "order", "filters", "dimension_separator"); err != nil {
		return nil, err
	}
	order, err := a.readFacts(o)
	if err != nil {
		return nil, err
	}
	a.Keys = KeyEncoding{Name: "v2", Separator: "."}
	if raw := o.get("dimension_separator"); raw == nil {
		a.NoSeparator = true
	} else {
		if a.Keys.Separator, err = o.member("dimension_separator").oneOf(raw, ".", "/"); err != nil {
			return nil, err
		}
	}
	return a, a.readPipeline(o, order)
}

// firstCodec returns the configuration and the id of the first codec of an array: the first filter
// or, without filters, the compressor. In arrays of objects this codec encodes the objects. Without
// codecs, both results are "".
func firstCodec(o object) (config, id string) {
	raw := o.get("compressor")
	if filters := o.get("filters"); filters != nil {
		if all, err := o.member("filters").list(filters); err == nil && len(all) > 0 {
			raw = all[0]
		}
	}
	codec, err := o.object(raw)
	if err != nil {
		return "", ""
	}
	text := codec.get("id")
	if text == nil {
		return "", ""
	}
	if id, err = codec.text(text); err != nil {
		return "", ""
	}
	return string(raw), id
}

// readFacts parses the members that v1 and v2 have in common: shape, data type, chunks and fill
// value. It returns the byte order of the data type.
func (a *Array) readFacts(o object) (dtype.Order, error) {
	if err := a.readShape(o); err != nil {
		return dtype.NoOrder, err
	}
	raw, p, err := o.need("dtype")
	if err != nil {
		return dtype.NoOrder, err
	}
	first, _ := firstCodec(o)
	t, order, err := p.with.types().ParseV2(raw, first)
	if err != nil {
		return dtype.NoOrder, p.err(err)
	}
	a.DType = t
	if err := p.spelledV2(raw, t, order); err != nil {
		return dtype.NoOrder, err
	}
	if err := o.member("shape").fits(a.Shape, t.Size()); err != nil {
		return dtype.NoOrder, err
	}
	if raw, p, err = o.need("chunks"); err != nil {
		return dtype.NoOrder, err
	}
	if err := a.readChunks(p, raw, nil); err != nil {
		return dtype.NoOrder, err
	}
	return order, a.readFill(o)
}

// readPipeline appends the v3 codecs that are equivalent to the order, byte order, filters and
// compressor of the v2 array.
func (a *Array) readPipeline(o object, bytes dtype.Order) error {
	raw, p, err := o.need("order")
	if err != nil {
		return err
	}
	if err := a.readOrder(raw, p); err != nil {
		return err
	}
	if _, first := firstCodec(o); first == "json2" || first == "msgpack2" {
		// These codecs store nested lists, which lack a memory order. zarr-python 2 applies order F
		// when it reads the lists, and so transposes its own values; the stored lists are correct.
		a.Codecs = nil
	}
	if a.DType.Size() > 0 { // otherwise a filter encodes the objects
		a.Codecs = append(a.Codecs, serial(bytes))
	}

	// The specification requires the member "filters", but some writers omit it if there are no
	// filters.
	if raw := o.get("filters"); raw == nil {
		if err := o.lenient(rule.NoFilters, ""); err != nil {
			return err
		}
	} else if string(raw) != "null" {
		p := o.member("filters")
		all, err := p.list(raw)
		if err != nil {
			return err
		}
		for i, f := range all {
			n, err := p.index(i).numcodec(f)
			if err != nil {
				return err
			}
			a.Codecs = append(a.Codecs, n)
			a.AllFilters = true
		}
	}
	if raw, p, err = o.need("compressor"); err != nil || string(raw) == "null" {
		return err
	}
	a.AllFilters = false
	n, err := p.numcodec(raw)
	a.Codecs = append(a.Codecs, n)
	return err
}

// readOrder parses the memory order of the elements in a chunk.
func (a *Array) readOrder(raw []byte, p place) error {
	order, err := p.oneOf(raw, "C", "F")
	if err == nil && order == "F" && len(a.Shape) > 1 {
		a.Codecs = append(a.Codecs, reversal(len(a.Shape)))
	}
	return err
}

// serial returns the bytes codec for a byte order.
func serial(order dtype.Order) Named {
	n := Named{Name: bytesName}
	if order != dtype.NoOrder {
		n.Config = json.RawMessage(`{"endian":"` + order.String() + `"}`)
	}
	return n
}

// numcodec parses a numcodecs configuration: an object with an id.
func (p place) numcodec(raw []byte) (Named, error) {
	o, err := p.object(raw)
	if err != nil {
		return Named{}, err
	}
	text, at, err := o.need("id")
	if err != nil {
		return Named{}, err
	}
	id, err := at.text(text)
	if err != nil {
		return Named{}, err
	}
	if id == "" {
		return Named{}, at.bad("the id is empty")
	}
	n := Named{Name: numcodecs + id}
	var w writer
	for _, m := range o.all {
		if m.name != "id" {
			w.add(m.name, compact(m.raw))
		}
	}
	if id == "shuffle" && o.get("elementsize") == nil {
		w.add("elementsize", []byte("4")) // numcodecs' default; in v3 the default is another one
		if err := p.lenient(rule.CodecDefault, "shuffle without elementsize"); err != nil {
			return n, err
		}
	}
	if w.n > 0 {
		n.Config = w.done()
	}
	return n, nil
}

// numcodecs is the prefix of the names of numcodecs' codecs.
const numcodecs = "numcodecs."

// reversal returns the transpose codec for v2's order "F".
func reversal(rank int) Named {
	order := make([]int, rank)
	for i := range order {
		order[i] = rank - 1 - i
	}
	return Named{Name: "transpose", Config: json.RawMessage(`{"order":` + string(intList(order)) + `}`)}
}
