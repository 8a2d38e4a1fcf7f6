package codec

import (
	"errors"
	"slices"

	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// FiltersFirst converts a v2 pipeline to the order of v3 metadata: filters after the codec "bytes"
// move before it, and "bytes" gets the byte order of the last filter's output. "bytes" is omitted
// if the next codec makes bytes of an array itself ([Either]). The stored bytes stay the same. It
// returns errors.ErrUnsupported for a filter that views bytes as another type than they have, or
// that follows a bytes-to-bytes codec, because v3 cannot express these.
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
		if !ok || e.Array == nil && t.own[s.Name] { // takes any bytes, as far as is known
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
	if t.serial(rest[len(filters):], in) {
		return slices.Concat(out, filters, rest[len(filters):]), nil
	}
	if len(filters) == 0 {
		return specs, nil
	}
	return slices.Concat(out, filters, []Spec{Bytes(in.Order)}, rest[len(filters):]), nil
}

// takes reports whether the filter views the bytes as numbers of the type that they have.
func (b bytesFilter) takes(in Repr) bool {
	is, err := viewed(in.Type, in.Order)
	return err == nil && is.number.Size == b.dec.number.Size && is.number.Big == b.dec.number.Big
}

// serial reports whether the first codec makes bytes of the array in itself, in place of "bytes".
func (t *Table) serial(specs []Spec, in Repr) bool {
	if len(specs) == 0 {
		return false
	}
	in.Order = dtype.NoOrder
	c, err := t.Bind(specs[0], in)
	e, ok := c.(Either)
	return err == nil && ok && e.Serial != nil
}
