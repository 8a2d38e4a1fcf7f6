package coding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/cmd/zargo/internal/argument"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// EncodeFlags are the flags of commands that take values.
type EncodeFlags struct {
	As     string `help:"Convert the numbers in the file to this data type, which must be that of the array. Numbers are rounded to the nearest; a number out of range is an error." placeholder:"TYPE"`
	Raw    bool   `help:"Store the numbers in the file as they are: they are not packed by scale_factor and add_offset."`
	Encode bool   `help:"Encode the values in the file by the CF conventions: pack them, store NaN as the missing value, and convert times to the units of the array. This is the default."`
}

// Target returns the data type in --as, or that of the file without the flag.
func (f EncodeFlags) Target(from dtype.Type) (dtype.Type, error) {
	if f.Raw && f.Encode {
		return nil, exit.Usagef("--raw and --encode cannot be combined")
	}
	if f.As == "" {
		return from, nil
	}
	to, err := argument.Type("--as", f.As)
	if err != nil || isText(from) || isInstant(from) {
		return to, err
	}
	_, err = newConversion(from, to)
	return to, exit.At("--as", err)
}

// Encoder converts the elements of a file to stored elements of an array. It is not safe for
// concurrent use.
type Encoder struct {
	// of returns stored elements in memory form. The result is valid until the next call.
	Of func(elems []byte) ([]byte, error)
	// items replaces of if the elements of the array vary in length.
	Items func(elems []byte) [][]byte
}

// Encoder returns the encoder for a file with elements of type from. name is the name of the file,
// and variable that of the array. attrs are the attributes of selection.AttrsOf.
func (f EncodeFlags) Encoder(s *session.Session, a *zarr.Array, attrs map[string]any, from dtype.Type, name, variable string) (*Encoder, error) {
	to := a.DType()
	as, err := f.Target(from)
	if err != nil {
		return nil, err
	}
	if f.As != "" && !dtype.Equal(to, as) {
		return nil, fault.Newf(fault.Type, "the array has data type %v, but --as is %v", to, as)
	}
	c, err := Of(a, variable, attrs)
	what := formPlain
	switch {
	case err == nil:
		what = formOf(a, c)
	case !errors.Is(err, fault.Type) && !f.Raw:
		return nil, err
	}
	e := encoding{s: s, a: a, c: c, form: what, from: from, to: to, file: name, name: variable}
	same := dtype.Equal(from, to)
	switch {
	case what == formPlain && isFloat(to) && same, f.Raw && same:
		return e.unchanged(), nil
	case f.Raw && f.As != "" && what != formPlain:
		s.Warn("%s has %v, and the array stores encoded values as %v: its numbers are stored without encoding", name, from, to)
	case f.Raw && what != formPlain:
		return nil, fault.Newf(fault.Type, "the array stores encoded values as %v, but %s has %v: without --raw they are encoded", to, name, from)
	case what != formPlain:
		return e.encoder()
	case same:
		return e.unchanged(), nil
	case !f.Raw:
		if of := e.converted(); of != nil {
			return of, nil
		}
	}
	if f.As == "" {
		return nil, fault.Newf(fault.Type, "the array has data type %v, but %s has %v: convert it with --as %v", to, name, from, to)
	}
	convert, err := newConversion(from, to)
	return &Encoder{Of: convert.of}, exit.At("--as", err)
}

// encoding describes the elements of a file and of the array that will contain them.
type encoding struct {
	s          *session.Session
	a          *zarr.Array
	c          *cf.Coding
	form       form
	from, to   dtype.Type
	file, name string
}

func (e encoding) unchanged() *Encoder {
	return &Encoder{Of: func(elems []byte) ([]byte, error) { return elems, nil }}
}

// encoder returns the encoder of values in a form other than formPlain.
func (e encoding) encoder() (*Encoder, error) {
	number := isNumber(e.from)
	switch {
	case e.form == formTimes && (isText(e.from) || isInstant(e.from)):
	case e.form == formBools && e.from == dtype.Type(dtype.Bool):
	case !number:
		return nil, fault.Newf(fault.Type, "%s has data type %v, whose values cannot be encoded as those of the array", e.file, e.from)
	}
	integers := !isFloat(e.to)
	if e.form == formPacked && integers && dtype.Equal(e.from, e.to) {
		e.s.Warn("%s has the data type in which the array stores packed values, and its numbers are packed: use --raw if they are packed already", e.file)
	}
	to, _ := numeric.Pick(e.to, encodeTo[int8], encodeTo[int16], encodeTo[int32], encodeTo[int64],
		encodeTo[uint8], encodeTo[uint16], encodeTo[uint32], encodeTo[uint64], encodeTo[float32], encodeTo[float64])
	return to(e), nil
}

// encodeTo returns an encoder to stored elements of type S.
func encodeTo[S cf.Number](e encoding) *Encoder {
	var values []S
	var out []byte
	stored := func(n int, set func(dst []S) error) ([]byte, error) {
		if cap(values) < n {
			values, out = make([]S, n), make([]byte, n*e.to.Size())
		}
		values, out = values[:n], out[:n*e.to.Size()]
		if err := set(values); err != nil {
			return nil, err
		}
		toMemory(e.to, out, values)
		return out, nil
	}
	size := e.from.Size()
	integers := !isFloat(e.to) && e.form != formPacked && !isFloat(e.from)
	switch {
	case isText(e.from), isInstant(e.from):
		return &Encoder{Of: func(elems []byte) ([]byte, error) {
			at, err := e.times(elems)
			if err != nil {
				return nil, err
			}
			return stored(len(at), func(dst []S) error { return cf.EncodeTimes(e.c, dst, at) })
		}}
	case integers:
		return &Encoder{Of: func(elems []byte) ([]byte, error) {
			return stored(len(elems)/size, func(dst []S) error { return setIntegers(e, dst, elems) })
		}}
	}
	var floats []float64
	return &Encoder{Of: func(elems []byte) ([]byte, error) {
		n := len(elems) / size
		if cap(floats) < n {
			floats = make([]float64, n)
		}
		floats = floats[:n]
		toFloats(e.from, floats, elems)
		return stored(n, func(dst []S) error { return setFloats(e, dst, floats) })
	}}
}

// setIntegers sets dst to integers from a file, without a loss of digits.
func setIntegers[S cf.Number](e encoding, dst []S, elems []byte) error {
	size, bits := e.from.Size(), 8*e.to.Size()
	for i := range dst {
		n, negative := integerOf(e.from, elems[i*size:])
		ok := false
		switch {
		case !e.c.Signed():
			ok = !negative && n <= math.MaxUint64>>(64-bits)
		case negative:
			ok = int64(n) >= math.MinInt64>>(64-bits)
		default:
			ok = n <= math.MaxInt64>>(64-bits)
		}
		if !ok {
			return fault.Newf(fault.Type, "variable %s, value %d: %s is out of the range of %v", e.name, i, integerText(n, negative), e.to)
		}
		dst[i] = S(n)
	}
	return missingIn(e, dst, nil)
}

// missingIn checks stored values of a file. If values other than those that are NaN in the file
// equal the missing value, it prints a warning, or returns an error if the file has another data
// type than the array: the author of the file did not know the missing value.
func missingIn[S cf.Number](e encoding, values []S, file []float64) error {
	mask := make([]bool, len(values))
	n, err := cf.Missing(e.c, mask, values)
	if n == 0 || err != nil {
		return err
	}
	for i, v := range values {
		switch {
		case !mask[i] || v != v || file != nil && file[i] != file[i]:
		case dtype.Equal(e.from, e.to) || !e.declared():
			e.s.Warn("%s has elements that equal the missing value of the array, and are read as missing", e.file)
			return nil
		default:
			return fault.Newf(fault.Type, "variable %s, value %d: %v would be stored as a missing value", e.name, i, v)
		}
	}
	return nil
}

// declared reports whether the author of the array declared a missing value: by an attribute or, as
// xarray does in format 2, by a fill value. A fill value of 0 is the default of other programs; it
// is missing for readers, but NaN is not stored as 0.
func (e encoding) declared() bool {
	attrs := e.a.Attrs()
	return attrs["_FillValue"] != nil || attrs["missing_value"] != nil || e.a.Format() == 2 && len(bytes.Trim(e.a.Fill(), "\x00")) > 0
}

// setFloats sets dst to encoded floats.
func setFloats[S cf.Number](e encoding, dst []S, src []float64) error {
	float := isFloat(e.to)
	switch {
	case e.form == formPacked, float && e.declared() && !dtype.Equal(e.from, e.to):
		return cf.Encode(e.c, dst, src)
	case !float:
		for i, f := range src {
			if f != math.Trunc(f) && f == f {
				return fault.Newf(fault.Type, "variable %s, value %d: %v is not an integer", e.name, i, f)
			}
		}
	}
	// Elements that equal the missing value remain. NaN becomes the missing value, but stays NaN if
	// only the fill value of format 2 is missing.
	v := cf.Variable{Name: e.name, Type: e.to, Attrs: map[string]any{"_Unsigned": e.a.Attrs()["_Unsigned"]}}
	bare, err := cf.New(v, cf.Options{})
	if err != nil {
		return err
	}
	known := slices.Clone(src) // without NaN
	for i, f := range src {
		if f != f && (e.declared() || !float) {
			if err := cf.Encode(e.c, dst[i:i+1], src[i:i+1]); err != nil {
				return err
			}
			known[i] = 0
		}
	}
	stored := make([]S, len(src))
	if err := cf.Encode(bare, stored, known); err != nil {
		return err
	}
	for i, f := range src {
		if f == f || float && !e.declared() {
			dst[i] = stored[i]
		}
	}
	return missingIn(e, dst, src)
}

// toMemory converts stored values to elements of type t in memory form.
func toMemory[S cf.Number](t dtype.Type, dst []byte, src []S) {
	if t == dtype.Type(dtype.Float16) {
		for i, f := range src {
			binary.LittleEndian.PutUint16(dst[2*i:], uint16(dtype.F16From(float32(f))))
		}
		return
	}
	_, _ = binary.Encode(dst, binary.LittleEndian, src) // numbers of a fixed size, for which dst has room
}
