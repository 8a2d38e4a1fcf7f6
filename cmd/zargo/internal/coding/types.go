package coding

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// isNumber reports whether t is a type of integers or floats of 8 to 64 bits.
func isNumber(t dtype.Type) bool {
	b, ok := t.(dtype.Basic)
	return ok && b >= dtype.Int8 && b <= dtype.Float64
}

// isText reports whether t is a type of texts of a fixed length that is not zero.
func isText(t dtype.Type) bool {
	switch t.(type) {
	case dtype.S, dtype.U:
		return t.Size() > 0
	}
	return false
}

func isInstant(t dtype.Type) bool {
	_, ok := t.(dtype.DateTime)
	return ok
}

// toFloats converts elements of type t to float64.
func toFloats(t dtype.Type, dst []float64, src []byte) {
	size := t.Size()
	for i := range dst {
		b := src[i*size:]
		switch t {
		case dtype.Float16:
			dst[i] = float64(dtype.F16(binary.LittleEndian.Uint16(b)).Float32())
		case dtype.Float32:
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		case dtype.Float64:
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b))
		default:
			if n, negative := integerOf(t, b); negative {
				dst[i] = float64(int64(n)) //nolint:gosec // two's complement
			} else {
				dst[i] = float64(n)
			}
		}
	}
}

// integerOf returns the integer at the start of b in two's complement, and whether it is negative.
// t is a type of integers, or bool.
func integerOf(t dtype.Type, b []byte) (n uint64, negative bool) {
	switch t.Size() {
	case 1:
		n = uint64(b[0])
	case 2:
		n = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		n = uint64(binary.LittleEndian.Uint32(b))
	default:
		n = binary.LittleEndian.Uint64(b)
	}
	if !isSigned(t) {
		return n, false
	}
	unused := 64 - 8*t.Size()
	i := int64(n<<unused) >> unused //nolint:gosec // two's complement
	return uint64(i), i < 0         //nolint:gosec // two's complement
}

func integerText(n uint64, negative bool) string {
	if negative {
		return strconv.FormatInt(int64(n), 10) //nolint:gosec // two's complement
	}
	return strconv.FormatUint(n, 10)
}

// times returns the times in elements of a file: datetime64, or texts in ISO 8601.
func (e encoding) times(elems []byte) ([]cf.Time, error) {
	u, _ := e.c.Units()
	at := make([]cf.Time, len(elems)/e.from.Size())
	for i := range at {
		b := elems[i*e.from.Size():][:e.from.Size()]
		var err error
		if t, ok := e.from.(dtype.DateTime); ok {
			at[i], err = instantTime(t, b, u.Calendar())
		} else {
			at[i], err = textTime(FixedText(e.from, b), u.Calendar())
		}
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", i, err)
		}
	}
	return at, nil
}

// textTime parses a time in ISO 8601. An empty text and NaT are missing.
func textTime(text string, c cf.Calendar) (cf.Time, error) {
	if text == "" || text == "NaT" {
		return cf.NaT(c), nil
	}
	p, err := cf.ParsePeriod(text, c)
	if err != nil {
		return cf.Time{}, fault.Newf(fault.Type, "%v", err)
	}
	return p.First, nil
}

// instantTime returns the time of a datetime64.
func instantTime(t dtype.DateTime, b []byte, c cf.Calendar) (cf.Time, error) {
	i := dtype.Instant(binary.LittleEndian.Uint64(b)) //nolint:gosec // two's complement
	if i == dtype.NaT {
		return cf.NaT(c), nil
	}
	std, err := t.Time(i)
	if err != nil {
		return cf.Time{}, err
	}
	if back, err := t.Instant(std); err != nil || back != i {
		return cf.Time{}, fault.Newf(fault.Type, "%s is not a whole number of nanoseconds", t.Format(i))
	}
	return cf.NewTime(c, cf.TimeOf(std).Date())
}

// converted returns an encoder for texts and times in arrays of texts and of datetime64, or nil for
// other types.
func (e encoding) converted() *Encoder {
	if e.to == dtype.Type(dtype.String) && isText(e.from) {
		size := e.from.Size()
		return &Encoder{Items: func(elems []byte) [][]byte {
			items := make([][]byte, len(elems)/size)
			for i := range items {
				items[i] = []byte(FixedText(e.from, elems[i*size:][:size]))
			}
			return items
		}}
	}
	to, ok := e.to.(dtype.DateTime)
	if !ok || !isText(e.from) && !isInstant(e.from) {
		return nil
	}
	return &Encoder{Of: func(elems []byte) ([]byte, error) { return e.instants(to, elems) }}
}

// instants converts elements of a file to datetime64.
func (e encoding) instants(to dtype.DateTime, elems []byte) ([]byte, error) {
	size := e.from.Size()
	var out []byte
	for b := range slices.Chunk(elems, max(size, 1)) {
		var t cf.Time
		var err error
		if from, ok := e.from.(dtype.DateTime); ok {
			t, err = instantTime(from, b, cf.ProlepticGregorian)
		} else {
			t, err = textTime(FixedText(e.from, b), cf.ProlepticGregorian)
		}
		i := dtype.Instant(dtype.NaT)
		if err == nil && !t.IsNaT() {
			std, _ := t.Std()
			if i, err = to.Instant(std); err == nil {
				if back, e := to.Time(i); e != nil || !back.Equal(std) {
					err = fault.Newf(fault.Type, "%v cannot be stored as %v", t, to)
				}
			}
		}
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", len(out)/8, err)
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(i)) //nolint:gosec // two's complement
	}
	return out, nil
}

// FixedText returns the string in an element of the data types S and U.
func FixedText(t dtype.Type, b []byte) string {
	if _, ok := t.(dtype.U); !ok {
		return dtype.Text(b)
	}
	r := make([]rune, len(b)/4)
	for i := range r {
		r[i] = rune(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return dtype.Runes(r)
}

// conversion converts numbers from one type to another by the rules of the codec cast_value. It
// rounds to nearest, ties to even. A number out of range is an error. NaN is an error for an
// integer type.
type conversion struct {
	from, to dtype.Type
	n        int // number of elements that the chain is bound to
	chain    *codec.Chain
	out      []byte
}

func newConversion(from, to dtype.Type) (*conversion, error) {
	c := &conversion{from: from, to: to}
	if dtype.Equal(from, to) {
		return c, nil
	}
	return c, c.bind(1)
}

func (c *conversion) bind(n int) (err error) {
	if c.chain != nil && c.n == n {
		return nil
	}
	specs := []codec.Spec{codec.CastValue(codec.CastValueOptions{Type: c.to}), codec.Bytes(dtype.Little)}
	c.chain, err = codec.Builtin().Chain(specs, codec.Repr{Shape: []int{n}, Type: c.from})
	if err != nil {
		return fault.Newf(errors.ErrUnsupported, "%v cannot be converted to %v: %v", c.from, c.to, err)
	}
	c.n = n
	return nil
}

// of returns the converted elements. Input and output are in memory form. The result is valid until
// the next call.
func (c *conversion) of(elems []byte) (_ []byte, err error) {
	if c.chain == nil { // both types are the same
		return elems, nil
	}
	if err := c.bind(len(elems) / c.from.Size()); err != nil {
		return nil, err
	}
	if c.out, err = c.chain.Encode(c.out[:0], codec.Block{Bytes: elems}, nil); err != nil {
		return nil, fault.Newf(fault.Type, "conversion of %v to %v: %v", c.from, c.to, err)
	}
	return c.out, nil
}
