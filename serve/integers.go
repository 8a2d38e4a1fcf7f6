package serve

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// integers are stored integers, or bools that are stored as integers.
type integers[S cf.Number] struct {
	*coded
	values  []S
	missing []bool
}

// coded is what the elements of a variable have in common.
type coded struct {
	numpy          dtype.Type
	signed, truths bool
	unused         int // bits of an int64 that the elements do not have
}

// integersOf sets the fields of e for integers of type S.
func integersOf[S cf.Number](e *elements, c *cf.Coding) {
	t := e.Array().DType()
	of := &coded{signed: c.Signed(), truths: c.IsBool(), unused: 64 - 8*t.Size()}
	of.numpy = integerType(t.Size(), of.signed)
	if e.kind = "integer"; of.truths {
		of.numpy, e.kind = dtype.Bool, ""
	}
	if c.CanMiss() {
		of.numpy = dtype.Float64
	}
	e.each, e.numpy = int64(t.Size())+9, of.numpy
	e.read = func(ctx context.Context, part *dataset.Variable) (cells, error) {
		values, missing, err := dataset.ReadMasked[S](ctx, part)
		return integers[S]{of, values, missing}, err
	}
}

// integerType returns the data type of integers of a size in bytes.
func integerType(size int, signed bool) dtype.Type {
	if signed {
		return map[int]dtype.Type{1: dtype.Int8, 2: dtype.Int16, 4: dtype.Int32, 8: dtype.Int64}[size]
	}
	return map[int]dtype.Type{1: dtype.Uint8, 2: dtype.Uint16, 4: dtype.Uint32, 8: dtype.Uint64}[size]
}

func (n integers[S]) appendJSON(dst []byte, i int) []byte {
	if n.missing[i] {
		return append(dst, "null"...)
	}
	return n.appendCSV(dst, i)
}

func (n integers[S]) appendCSV(dst []byte, i int) []byte {
	switch {
	case n.missing[i]:
		return dst
	case n.truths:
		return strconv.AppendBool(dst, n.values[i] != 0)
	case n.signed:
		return strconv.AppendInt(dst, n.integer(i), 10)
	}
	return strconv.AppendUint(dst, n.natural(i), 10)
}

// integer returns the bits of an element as a signed integer, and natural as an unsigned one.
func (n integers[S]) integer(i int) int64 {
	return int64(n.values[i]) << n.unused >> n.unused
}

func (n integers[S]) natural(i int) uint64 {
	return uint64(n.values[i]) << n.unused >> n.unused
}

func (n integers[S]) write(w *npy.Writer) error {
	switch n.numpy {
	case dtype.Float64: // elements may be missing
	case dtype.Bool:
		return writeEach(w, n.values, func(i int) bool { return n.values[i] != 0 })
	default:
		of, _ := numeric.Pick(n.numpy, writeAs[int8, S], writeAs[int16, S], writeAs[int32, S], writeAs[int64, S],
			writeAs[uint8, S], writeAs[uint16, S], writeAs[uint32, S], writeAs[uint64, S], writeAs[float32, S], writeAs[float64, S])
		return of(w, n.values)
	}
	for i := range n.values {
		if !n.missing[i] && (n.signed && int64(float64(n.integer(i))) != n.integer(i) || !n.signed && uint64(float64(n.natural(i))) != n.natural(i)) {
			return refuse(http.StatusBadRequest, "NumPy's float64 cannot represent %s: another format can", n.appendCSV(nil, i))
		}
	}
	return writeEach(w, n.values, func(i int) float64 {
		switch {
		case n.missing[i]:
			return math.NaN()
		case n.truths && n.values[i] != 0:
			return 1
		case n.truths:
			return 0
		case n.signed:
			return float64(n.integer(i))
		}
		return float64(n.natural(i))
	})
}

// writeAs writes the bits of integers of the same size.
func writeAs[T, S cf.Number](w *npy.Writer, values []S) error {
	return writeEach(w, values, func(i int) T { return T(values[i]) })
}

// writeEach writes one element for each value.
func writeEach[T, S any](w *npy.Writer, values []S, element func(i int) T) error {
	out := make([]T, len(values))
	for i := range out {
		out[i] = element(i)
	}
	return npy.Write(w, out)
}
