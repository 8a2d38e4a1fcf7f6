package codec

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zargo-io/zargo/zarr/codec/internal/number"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// filter transforms arrays of one number type to arrays of another number type with the same number
// of elements, and back. It implements numcodecs' filters and similar codecs of the registry.
// arrayFilter and bytesFilter are the codecs built on it.
type filter struct {
	dec, enc elements
	encode   func() []number.Step // makes the steps for one array, because steps may have state
	decode   func() []number.Step
	refuse   error // the error of encoding, if the filter can only decode
}

// elements describes the input or output of a filter: a data type, and its number type with the
// byte order of the configuration.
type elements struct {
	typ    dtype.Type
	number number.Type
}

// viewed returns the elements of a data type in a byte order. It returns errors.ErrUnsupported if
// numpy does not implement arithmetic on the type.
func viewed(t dtype.Type, o dtype.Order) (elements, error) {
	n, ok := number.Of(t)
	if !ok {
		return elements{}, fault.Newf(errors.ErrUnsupported, "arithmetic on %v is not supported", t)
	}
	return elements{t, n.In(o)}, nil
}

// elements reads a data type as numpy writes it, such as "<f8" or "float64".
func (c *config) elements(key string, def elements) elements {
	raw, ok := c.take(key)
	if !ok || string(raw) == "null" {
		return def
	}
	typ, order, err := dtype.ParseV2(raw)
	var name string
	if err != nil && json.Unmarshal(raw, &name) == nil {
		if typ, err = dtype.Parse(name); err == nil && typ.HasOrder() {
			order = dtype.Little
		}
	}
	if err != nil {
		c.wrap(key, err)
		return def
	}
	e, err := viewed(typ, order)
	if err != nil {
		c.wrap(key, err)
		return def
	}
	return e
}

// wrap records err as the error of member key, unless there is an earlier error.
func (c *config) wrap(key string, err error) {
	if c.err == nil {
		c.err = fmt.Errorf("%q: %w", key, err)
	}
}

// defaultElements returns the elements of a filter whose configuration lacks a data type. Their
// type is that of the array.
func defaultElements(in Repr) elements {
	e, err := viewed(in.Type, in.Order)
	if err != nil {
		return elements{typ: in.Type}
	}
	return e
}

// known returns an error if arithmetic on the input or output elements is not supported.
func (f filter) known() error {
	for _, e := range []elements{f.dec, f.enc} {
		if e.number.Size == 0 {
			return fault.Newf(errors.ErrUnsupported, "arithmetic on %v is not supported", e.typ)
		}
	}
	return nil
}

// either returns the filter as an [Either], for the two positions of numcodecs' filters. Its field
// Array is nil if the elements of the array and of the filter differ in size.
func (f filter) either(in Repr) (any, error) {
	if err := f.known(); err != nil {
		return nil, err
	}
	e := Either{Bytes: bytesFilter{f}}
	if in.Type.Size() == f.dec.number.Size {
		a, err := f.array(in)
		if err != nil {
			return nil, err
		}
		e.Array = a
	}
	return e, nil
}

// array binds the filter to an array. As in zarr-python, the fill value of the output is the same
// number as that of the input. The output has no fill value if its type cannot represent the
// number.
func (f filter) array(in Repr) (*arrayFilter, error) {
	out := in
	if out.Type = f.enc.typ; f.enc.typ.Size() == in.Type.Size() && f.enc.number.Kind == f.dec.number.Kind {
		out.Type = in.Type // the filter may view the type as another, such as datetimes as integers
	}
	if _, err := out.Bytes(); err != nil {
		return nil, err
	}
	a := &arrayFilter{f, out}
	a.dec.number.Big, a.enc.number.Big = false, false // memory form
	a.out.Fill = a.recast(in.Fill)
	return a, nil
}

// recast converts a fill value from the input type to the output type. It returns nil if the output
// type cannot represent the value.
func (a *arrayFilter) recast(fill []byte) []byte {
	from, to := a.dec.number, a.enc.number
	if len(fill) != from.Size {
		return nil
	}
	if from == to {
		return fill
	}
	there, back := make([]byte, to.Size), make([]byte, from.Size)
	err := errors.Join(number.Run(there, fill, from, to, number.Cast(from, to)), number.Run(back, there, to, from, number.Cast(to, from)))
	if err != nil || string(back) != string(fill) {
		return nil
	}
	return there
}

// arrayFilter is a filter before the array-to-bytes codec. Its elements are in memory form.
type arrayFilter struct {
	filter
	out Repr
}

func (a *arrayFilter) Out() Repr { return a.out }

func (a *arrayFilter) Encode(dst, src Block) error {
	if a.refuse != nil {
		return a.refuse
	}
	return number.Run(dst.Bytes, src.Bytes, a.dec.number, a.enc.number, a.encode()...)
}

func (a *arrayFilter) Decode(dst, src Block) error {
	return corrupt(number.Run(dst.Bytes, src.Bytes, a.enc.number, a.dec.number, a.decode()...))
}

// corrupt converts an error of decoding stored numbers to fault.Corrupt.
func corrupt(err error) error {
	if err != nil {
		return fault.Newf(fault.Corrupt, "%v", err)
	}
	return nil
}

// bytesFilter is a filter after the array-to-bytes codec. It views its input bytes as elements, as
// numcodecs does.
type bytesFilter struct{ filter }

// sized returns the length in bytes after a conversion of n bytes from elements of one size to
// elements of another. It returns -1 if n is not a multiple of the element size.
func sized(n int64, from, to elements) int64 {
	if n%int64(from.number.Size) != 0 {
		return -1
	}
	return mulSat(n/int64(from.number.Size), int64(to.number.Size))
}

func (b bytesFilter) EncodedSize(n int64) int64 { return sized(n, b.dec, b.enc) }

func (b bytesFilter) Worst(n int64) int64 {
	return mulSat(n/int64(b.dec.number.Size), int64(b.enc.number.Size))
}

func (b bytesFilter) Encode(dst, src []byte) ([]byte, error) {
	n := sized(int64(len(src)), b.dec, b.enc)
	switch {
	case b.refuse != nil:
		return dst, b.refuse
	case n < 0:
		return dst, fault.Newf(fault.Metadata, "%d bytes are not a multiple of %d, the size of %v", len(src), b.dec.number.Size, b.dec.typ)
	}
	out, room := extend(dst, int(n))
	if err := number.Run(room, src, b.dec.number, b.enc.number, b.encode()...); err != nil {
		return dst, err
	}
	return out, nil
}

func (b bytesFilter) Decode(dst, src []byte, limit int) ([]byte, error) {
	n := sized(int64(len(src)), b.enc, b.dec)
	switch {
	case n < 0:
		return dst, fault.Newf(fault.Corrupt, "%d bytes are not a multiple of %d, the size of %v", len(src), b.enc.number.Size, b.enc.typ)
	case n > int64(limit):
		return dst, fault.Newf(fault.Corrupt, "decoded to %d bytes, want at most %d", n, limit)
	}
	out, room := extend(dst, int(n))
	if err := number.Run(room, src, b.enc.number, b.dec.number, b.decode()...); err != nil {
		return dst, corrupt(err)
	}
	return out, nil
}

// leaves returns the Repr that later codecs assume when they view the output as elements.
func (b bytesFilter) leaves(in Repr) Repr {
	in.Type, in.Order, in.Fill = b.enc.typ, dtype.NoOrder, nil
	if in.Type.HasOrder() {
		if in.Order = dtype.Little; b.enc.number.Big {
			in.Order = dtype.Big
		}
	}
	return in
}

// mulSat multiplies two non-negative numbers, saturating at math.MaxInt64.
func mulSat(a, b int64) int64 {
	if b != 0 && a > maxInt64/b {
		return maxInt64
	}
	return a * b
}

const maxInt64 = 1<<63 - 1

// steps returns a function for filter.encode or filter.decode that always returns the same steps.
func steps(s ...number.Step) func() []number.Step {
	return func() []number.Step { return s }
}
