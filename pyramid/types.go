package pyramid

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/internal/attributes/numeric"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
)

// reducerOf returns the reducer of an array. If masked is true, missing elements are determined by
// the CF conventions. Otherwise only NaN and NaT are missing.
func reducerOf(a *zarr.Array, m Method, masked bool) (reducer, error) {
	var c *cf.Coding
	if masked {
		var err error
		c, err = cf.New(cf.Variable{Name: a.Name(), Type: a.DType(), Fill: a.Fill(), V2: a.Format() == 2, Attrs: a.Attrs()}, cf.Options{})
		if err != nil && !errors.Is(err, fault.Type) {
			return nil, err
		}
	}
	signed := func(stored bool) bool {
		if text, ok := a.Attrs()["_Unsigned"]; ok && c != nil {
			if text := strings.ToLower(fmt.Sprint(text)); text == "true" || text == "false" {
				return text == "false"
			}
		}
		return stored
	}
	switch a.DType().(type) {
	case dtype.DateTime, dtype.TimeDelta:
		return integers(m, true, dtype.NaT, func(dst []bool, row []int64) error {
			for i, v := range row {
				dst[i] = v == dtype.NaT
			}
			return nil
		}), nil
	}
	of, ok := numeric.Pick(a.DType(), codedIntegers[int8], codedIntegers[int16], codedIntegers[int32], codedIntegers[int64],
		codedIntegers[uint8], codedIntegers[uint16], codedIntegers[uint32], codedIntegers[uint64], plainFloats[float32], plainFloats[float64])
	switch t := a.DType(); {
	case t == dtype.Bool && m == Mode:
		return codedIntegers[uint8](m, nil, false), nil
	case t == dtype.Float16:
		return halves(small[dtype.F16](), m, c), nil
	case t == dtype.BFloat16:
		return halves(small[dtype.BF16](), m, nil), nil
	case ok:
		return of(m, c, signed(numeric.Kind(t) == 'i')), nil
	}
	return nil, fault.Newf(fault.Type, "the method %v does not accept the data type %v", m, a.DType())
}

// codedIntegers returns the reducer of integers. c may be nil.
func codedIntegers[S cf.Number](m Method, c *cf.Coding, signed bool) reducer {
	missing := nan[S]
	if c != nil && c.CanMiss() {
		missing = coded[S](c)
	}
	return integers(m, signed, none[S](c), missing)
}

// integers returns the reducer of integers with their missing value.
func integers[S cf.Number](m Method, signed bool, empty S, missing func(dst []bool, row []S) error) reducer {
	r := &reducing[S]{elements: plain[S](), missing: missing}
	o := orderOf(r.size, signed)
	r.windows = func(most int) windows[S] {
		if m == Mode {
			return &modes[S]{less: compare[S](o), none: empty, most: most}
		}
		return &intMeans[S]{order: o, none: empty}
	}
	return r
}

func plainFloats[S cf.Float](m Method, c *cf.Coding, _ bool) reducer { return floats(plain[S](), m, c) }

// floats returns the reducer of floating-point numbers. c may be nil.
func floats[S cf.Float](e elements[S], m Method, c *cf.Coding) *reducing[S] {
	r := &reducing[S]{elements: e, missing: nan[S]}
	empty := S(math.NaN())
	if c != nil {
		r.missing, empty = coded[S](c), none[S](c)
	}
	r.windows = windowsOf(m, empty)
	return r
}

func windowsOf[S cf.Float](m Method, empty S) func(most int) windows[S] {
	return func(most int) windows[S] {
		if m == Mode {
			return &modes[S]{less: cmp.Compare[S], none: empty, most: most}
		}
		return &floatMeans[S]{none: empty}
	}
}

// halves returns the reducer of 2-byte floating-point numbers. c may be nil.
func halves(e elements[float64], m Method, c *cf.Coding) reducer {
	r := floats(e, m, nil)
	if c == nil {
		return r
	}
	r.windows = windowsOf(m, float64(none[float32](c)))
	r.missing = func(dst []bool, row []float64) error {
		single := make([]float32, len(row)) // package cf decodes float16 as float32
		for i, v := range row {
			single[i] = float32(v)
		}
		_, err := cf.Missing(c, dst, single)
		return err
	}
	return r
}
