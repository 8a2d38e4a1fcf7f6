package pyramid

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/zargo-io/zargo/cf"
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
	switch t := a.DType().(type) {
	case dtype.DateTime, dtype.TimeDelta:
		return timesOf(m), nil
	case dtype.Basic:
		switch t {
		case dtype.Bool:
			if m == Mode {
				return integers(of1[uint8](), m, nil, false), nil
			}
		case dtype.Int8:
			return integers(of1[int8](), m, c, signed(true)), nil
		case dtype.Int16:
			return integers(of2[int16](), m, c, signed(true)), nil
		case dtype.Int32:
			return integers(of4[int32](), m, c, signed(true)), nil
		case dtype.Int64:
			return integers(of8[int64](), m, c, signed(true)), nil
		case dtype.Uint8:
			return integers(of1[uint8](), m, c, signed(false)), nil
		case dtype.Uint16:
			return integers(of2[uint16](), m, c, signed(false)), nil
		case dtype.Uint32:
			return integers(of4[uint32](), m, c, signed(false)), nil
		case dtype.Uint64:
			return integers(of8[uint64](), m, c, signed(false)), nil
		case dtype.Float16:
			return halves(small[dtype.F16](), m, c), nil
		case dtype.BFloat16:
			return halves(small[dtype.BF16](), m, nil), nil
		case dtype.Float32:
			return floats(singles(), m, c), nil
		case dtype.Float64:
			return floats(doubles(), m, c), nil
		}
	}
	return nil, fault.Newf(fault.Type, "the method %v does not accept the data type %v", m, a.DType())
}

// integers returns the reducer of integers. c may be nil.
func integers[S cf.Number](e elements[S], m Method, c *cf.Coding, signed bool) reducer {
	o, empty := orderOf(e.size, signed), none[S](c)
	r := &reducing[S]{elements: e, missing: nan[S]}
	if c != nil && c.CanMiss() {
		r.missing = coded[S](c)
	}
	r.windows = func(most int) windows[S] {
		if m == Mode {
			return &modes[S]{less: compare[S](o), none: empty, most: most}
		}
		return &intMeans[S]{order: o, none: empty}
	}
	return r
}

// timesOf returns the reducer of datetime64 and timedelta64.
func timesOf(m Method) reducer {
	o := orderOf(8, true)
	r := &reducing[int64]{elements: of8[int64](), missing: func(dst []bool, row []int64) error {
		for i, v := range row {
			dst[i] = v == dtype.NaT
		}
		return nil
	}}
	r.windows = func(most int) windows[int64] {
		if m == Mode {
			return &modes[int64]{less: compare[int64](o), none: dtype.NaT, most: most}
		}
		return &intMeans[int64]{order: o, none: dtype.NaT}
	}
	return r
}

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
