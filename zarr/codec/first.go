package codec

import (
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// FiltersFirst converts a v2 pipeline to the order of v3 metadata. It moves filters that follow the
// codec "bytes" before it, and sets the byte order of "bytes" to that of the last filter's output.
// It drops "bytes" if the next codec converts an array to bytes itself, see [Either]. The stored
// bytes stay the same. FiltersFirst returns errors.ErrUnsupported for filters that v3 cannot
// express: a filter that views bytes as a type other than their own, or that follows a
// bytes-to-bytes codec.
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
		if !ok || e.Array == nil && t.own[s.Name] { // it may accept any bytes
			continue
		}
		f, views := e.Bytes.(bytesFilter)
		switch {
		case views && !f.takes(in):
			return nil, named(s.Name, fault.Newf(errors.ErrUnsupported, "views elements of %v as %v, which v3 metadata cannot express", in.Type, f.dec.typ))
		case e.Array == nil || len(filters) < i:
			return nil, named(s.Name, fault.Newf(errors.ErrUnsupported, "follows a codec that produces bytes, which v3 metadata cannot express"))
		}
		filters = append(filters, s)
		in = leaving(e.Bytes, in)
	}
	if t.serial(rest[len(filters):], in) {
		return slices.Concat(out, filters, rest[len(filters):]), nil
	}
	if len(filters) == 0 {
		return specs, nil
	}
	return slices.Concat(out, filters, []Spec{Bytes(in.Order)}, rest[len(filters):]), nil
}

// takes reports whether the numbers that the filter reads have the size and byte order of the
// elements.
func (b bytesFilter) takes(in Repr) bool {
	is, err := viewed(in.Type, in.Order)
	return err == nil && is.number.Size == b.dec.number.Size && is.number.Big == b.dec.number.Big
}

// serial reports whether the first codec serialises the array itself, instead of "bytes".
func (t *Table) serial(specs []Spec, in Repr) bool {
	if len(specs) == 0 {
		return false
	}
	in.Order = dtype.NoOrder
	c, err := t.Bind(specs[0], in)
	e, ok := c.(Either)
	return err == nil && ok && e.Serial != nil
}
