package meta

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
)

// ArrayV1 parses a v1 "meta" document and the "attrs" document of the same array, which is nil
// if there is none. key and attrsKey name the documents in errors. The chunk keys of v1 are those
// of v2. Its compression and compression options become a numcodecs codec. Source: the persistence
// document of zarr 1.0.
func (with Parser) ArrayV1(key string, doc []byte, attrsKey string, attrs []byte) (*Array, error) {
	return with.array(key, doc, attrsKey, attrs, arrayV1)
}

// array parses a v1 or v2 document by calling read, and the document with the attributes.
func (with Parser) array(key string, doc []byte, attrsKey string, attrs []byte, read func(object) (*Array, error)) (*Array, error) {
	o, err := document(key, doc, with)
	if err != nil {
		return nil, err
	}
	a, err := read(o)
	if err != nil {
		return nil, err
	}
	a.Attrs, err = with.AttrsV2(attrsKey, attrs)
	return a, err
}

func arrayV1(o object) (*Array, error) {
	if err := o.format("1"); err != nil {
		return nil, err
	}
	a := &Array{Format: 1, Keys: KeyEncoding{Name: "v2", Separator: "."}, Attrs: Attrs{}}
	if err := a.checkMembers(o, "zarr_format", "shape", "chunks", "dtype", "compression", "compression_opts", "order"); err != nil {
		return nil, err
	}
	order, err := a.readFacts(o)
	if err != nil {
		return nil, err
	}
	return a, a.readPipelineV1(o, order)
}

// checkMembers checks the text of each member of a v1 or v2 document, and keeps unknown members.
// Only the fill value may contain bare tokens, because old writers wrote such fill values.
func (a *Array) checkMembers(o object, known ...string) error {
	for _, m := range o.all {
		p := o.member(m.name)
		if err := p.modest(m.raw); err != nil {
			return err
		}
		var err error
		switch {
		case m.name == "fill_value":
			err = p.bareToken(m.raw)
		case slices.Contains(known, m.name):
			err = p.strict(m.raw)
		default:
			err = p.keep(m.raw, m.name, &a.Unknown)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readPipelineV1 appends the codecs for order, byte order and compression. Documents written before
// v1 had the member "order" have order C.
func (a *Array) readPipelineV1(o object, bytes dtype.Order) error {
	if raw := o.get("order"); raw == nil {
		if err := o.lenient(rule.NoOrder, ""); err != nil {
			return err
		}
	} else if err := a.readOrder(raw, o.member("order")); err != nil {
		return err
	}
	a.Codecs = append(a.Codecs, serial(bytes))
	raw, p, err := o.need("compression")
	if err != nil || string(raw) == "null" {
		return err
	}
	name, err := p.text(raw)
	if err != nil || name == "none" {
		return err
	}
	config, err := o.member("compression_opts").options(o.get("compression_opts"))
	if name == "" {
		err = p.bad("the name is empty")
	}
	a.Codecs = append(a.Codecs, Named{Name: numcodecs + name, Config: config})
	return err
}

// options parses the value of "compression_opts", a level, an object or null, and returns it as the
// configuration of a numcodecs codec.
func (p place) options(raw []byte) (json.RawMessage, error) {
	switch {
	case raw == nil || string(raw) == "null":
		return nil, nil
	case raw[0] == '{':
		_, err := p.object(raw)
		return compact(raw), err
	}
	level, err := strconv.Atoi(string(raw))
	if err != nil {
		return nil, p.wrong("a level, an object or null", raw)
	}
	return json.RawMessage(`{"level":` + strconv.Itoa(level) + `}`), nil
}
