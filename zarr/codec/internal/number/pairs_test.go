package number

import (
	"math"
	"testing"

	"github.com/zargo-io/zargo/zarr/dtype"
)

// TestManyPairs checks that many pairs map numbers in the same way as few pairs.
func TestManyPairs(t *testing.T) {
	first := []Pair{
		{Value{Int: 3, Float: 3}, Value{Int: 30, Float: 30}}, {Value{Int: 3, Float: 3}, Value{Int: 31, Float: 31}},
		{Value{Int: 1<<64 - 1, Float: math.NaN()}, Value{Int: 9, Float: 9}}, {Value{Int: 1<<64 - 1, Float: math.NaN()}, Value{Int: 8, Float: 8}},
		{Value{Int: 0, Float: math.Copysign(0, -1)}, Value{Int: 5, Float: 5}}, {Value{Int: 0, Float: 0}, Value{Int: 6, Float: 6}},
		{Value{Int: 7, Float: math.Inf(1)}, Value{Int: 1, Float: 1}},
	}
	many := first
	for i := range 100 {
		v := Value{Int: uint64(1000 + i), Float: float64(1000 + i)}
		many = append(many[:len(many):len(many)], Pair{v, v})
	}
	for _, typ := range []dtype.Type{dtype.Int64, dtype.Uint64, dtype.Float64} {
		n := of(t, typ)
		few, lots := finder(first, n), finder(many, n)
		for _, v := range []Value{
			{Int: 3, Float: 3}, {Int: 1<<64 - 1, Float: math.NaN()}, {Int: 0, Float: 0}, {Int: 0, Float: math.Copysign(0, -1)},
			{Int: 7, Float: math.Inf(1)}, {Int: 8, Float: math.Inf(-1)}, {Int: 4, Float: 4},
		} {
			a, ok := few(v)
			if b, found := lots(v); a != b || ok != found {
				t.Errorf("%v of %v: %v %v, and among many %v %v", v, typ, a, ok, b, found)
			}
		}
		if v, ok := lots(Value{Int: 1050, Float: 1050}); !ok || v.Int != 1050 {
			t.Errorf("%v: the last are not found", typ)
		}
	}
	// There are 65,536 pairs and as many elements. A linear search would take four billion steps.
	for i := range 1 << 16 {
		v := Value{Int: uint64(5000 + i)}
		many = append(many, Pair{v, Value{Int: v.Int + 1}})
	}
	n := of(t, dtype.Int64)
	src, dst := make([]byte, 8<<16), make([]byte, 8<<16)
	if err := Run(dst, src, n, n, Convert(n, n, NearestEven, Refuse, many)); err != nil || dst[0] != 5 {
		t.Errorf("%d, %v", dst[0], err)
	}
}
