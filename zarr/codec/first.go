package codec

import (
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/fault"
)

// FiltersFirst is a pipeline of v2 as v3 metadata has it: filters that stand behind the codec bytes
// come before it, and bytes gets the byte order that the last of them gives. What is stored stays
// the same. errors.ErrUnsupported for a filter that views the bytes as other elements than they
// are, or that comes after a codec that makes bytes of bytes: v3 has no place for it.
func (t *Table) FiltersFirst(specs []Spec, in Repr) ([]Spec, error) {
	at := slices.IndexFunc(specs, func(s Spec) bool { return s.Name == "bytes" })
	if at < 0 {
		return specs, nil
	}
	var filters []Spec
	out := slices.Clone(specs[:at])
	rest := specs[at+1:]
	for _, s := range specs[:at+1] {
		c, err := t.Bind(s, in)
		if err != nil {
			return nil, err
		}
		in = leaving(placed(c, false), in)
	}
	for i, s := range rest {
		c, err := t.Bind(s, in)
		if err != nil {
			return nil, err
		}
		e, ok := c.(Either)
		if !ok || e.Array == nil && t.own[s.Name] { // which takes any bytes, as far as anybody knows
			continue
		}
		f, views := e.Bytes.(bytesFilter)
		switch {
		case views && !f.takes(in):
			return nil, named(s.Name, fault.Newf(errors.ErrUnsupported, "takes elements of %v, which are %v there: v2 views bytes as others, v3 has no place for that", f.dec.typ, in.Type))
		case e.Array == nil || len(filters) < i:
			return nil, named(s.Name, fault.Newf(errors.ErrUnsupported, "stands after a codec that makes bytes: v3 has no place for a filter there"))
		}
		filters = append(filters, s)
		in = leaving(e.Bytes, in)
	}
	if len(filters) == 0 {
		return specs, nil
	}
	return slices.Concat(out, filters, []Spec{Bytes(in.Order)}, rest[len(filters):]), nil
}

// takes tells whether the filter views bytes as the numbers that they are.
func (b bytesFilter) takes(in Repr) bool {
	is, err := viewed(in.Type, in.Order)
	return err == nil && is.number.Size == b.dec.number.Size && is.number.Big == b.dec.number.Big
}
