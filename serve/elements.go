package serve

import (
	"context"
	"net/http"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// The memory for an element of a type without a fixed length, and for a time.
const (
	textBytes = 64
	timeBytes = 40
)

// elementsOf returns the elements of a variable of numbers, bools, times or texts.
func elementsOf(v *dataset.Variable) (elements, error) {
	e := elements{Variable: v}
	c, numbers := v.Coding()
	_, timed := v.Array().DType().(dtype.DateTime)
	if numbers {
		_, timed = c.Units()
	}
	switch t := v.Array().DType(); {
	case timed:
		e.each, e.numpy, e.kind, e.read = timeBytes, dtype.DateTime{Unit: dtype.Nanosecond}, "string", readTimes
	case t == dtype.Bool:
		e.each, e.numpy, e.kind = 1, dtype.Bool, ""
		e.read = func(ctx context.Context, part *dataset.Variable) (cells, error) {
			values, err := zarr.Read[bool](ctx, part.Array(), part.Selection()...)
			return truths(values), err
		}
	case numbers && (!c.Packed() && t.Size() <= 4 && isFloat(t)):
		e.each, e.numpy, e.kind, e.read = 4, dtype.Float32, "float", readFloats[float32]
	case numbers && (c.Packed() || isFloat(t)):
		e.each, e.numpy, e.kind, e.read = 8, dtype.Float64, "float", readFloats[float64]
	case numbers:
		of, _ := numeric.Pick(t, integersOf[int8], integersOf[int16], integersOf[int32], integersOf[int64],
			integersOf[uint8], integersOf[uint16], integersOf[uint32], integersOf[uint64], integersOf[float32], integersOf[float64])
		of(&e, c)
	case isText(t):
		e.each, e.kind, e.read = max(textBytes, int64(t.Size())), "string", readTexts
	default:
		return e, refuse(http.StatusBadRequest, "the elements of variable %q are neither numbers, times nor texts", v.Name())
	}
	return e, nil
}

func isFloat(t dtype.Type) bool {
	return t == dtype.Float16 || t == dtype.Float32 || t == dtype.Float64
}

func isText(t dtype.Type) bool {
	switch t.(type) {
	case dtype.S, dtype.U:
		return true
	}
	return t == dtype.String
}

// floats are decoded numbers.
type floats[F cf.Float] struct {
	values []F
	nan    string // of NaN in CSV: empty if the metadata declares a missing value
}

func readFloats[F cf.Float](ctx context.Context, part *dataset.Variable) (cells, error) {
	values, err := dataset.Read[F](ctx, part)
	f := floats[F]{values, "NaN"}
	a := part.Array()
	if c, _ := part.Coding(); !isFloat(a.DType()) || c.Packed() || a.Attrs()["_FillValue"] != nil || a.Attrs()["missing_value"] != nil || a.Format() == 2 && a.Fill() != nil {
		f.nan = ""
	}
	return f, err
}

func (f floats[F]) appendJSON(dst []byte, i int) []byte {
	if v := f.values[i]; v-v == 0 {
		return f.appendCSV(dst, i)
	}
	return append(dst, "null"...)
}

func (f floats[F]) appendCSV(dst []byte, i int) []byte {
	v := f.values[i]
	if v != v {
		return append(dst, f.nan...)
	}
	if _, single := any(v).(float32); single {
		return appendFloat(dst, float64(v), 32)
	}
	return appendFloat(dst, float64(v), 64)
}

func (f floats[F]) write(w *npy.Writer) error { return npy.Write(w, f.values) }

// times are decoded times.
type times []cf.Time

func readTimes(ctx context.Context, part *dataset.Variable) (cells, error) {
	values, err := part.Times(ctx)
	return times(values), err
}

func (t times) appendJSON(dst []byte, i int) []byte {
	if t[i].IsNaT() {
		return append(dst, "null"...)
	}
	return appendString(dst, t[i].String())
}

func (t times) appendCSV(dst []byte, i int) []byte {
	if t[i].IsNaT() {
		return dst
	}
	return append(dst, t[i].String()...)
}

func (t times) write(w *npy.Writer) error {
	instants := make([]dtype.Instant, len(t))
	for i, at := range t {
		instants[i] = dtype.NaT
		if at.IsNaT() {
			continue
		}
		std, ok := at.Std()
		var err error
		if ok {
			instants[i], err = dtype.DateTime{Unit: dtype.Nanosecond}.Instant(std)
		}
		if !ok || err != nil {
			return refuse(http.StatusBadRequest, "NumPy's datetime64 cannot represent %v: another format can", at)
		}
	}
	return npy.Write(w, instants)
}

// texts are strings.
type texts []string

func readTexts(ctx context.Context, part *dataset.Variable) (cells, error) {
	values, err := part.Strings(ctx)
	return texts(values), err
}

func (t texts) appendJSON(dst []byte, i int) []byte { return appendString(dst, t[i]) }
func (t texts) appendCSV(dst []byte, i int) []byte  { return appendCell(dst, t[i]) }
func (t texts) write(*npy.Writer) error             { return nil } // numpy is nil

// truths are bools.
type truths []bool

func (t truths) appendJSON(dst []byte, i int) []byte { return t.appendCSV(dst, i) }
func (t truths) write(w *npy.Writer) error           { return npy.Write(w, []bool(t)) }

func (t truths) appendCSV(dst []byte, i int) []byte {
	if t[i] {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}
