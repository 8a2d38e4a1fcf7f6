package cf

import "math"

// Loop describes the stored values of a coding to loops that decode or reduce many of them.
type Loop[S Number] struct {
	// Missing marks missing elements, if Has is true. NaN is always missing.
	Missing S
	Has     bool
	// Several reports that more than one stored value is missing. Unify replaces them by Missing.
	Several bool
	// A decoded value is stored × Scale + Offset. They are 1 and 0 if the variable is not packed.
	Scale, Offset float64
	// Flipped reports that _Unsigned changes the sign of stored integers. Decode does so too.
	Flipped bool
}

// LoopOf returns the Loop of a coding. The error is fault.Type if S is not the Go type of the
// variable's data type, which is float32 for float16.
func LoopOf[S Number](c *Coding) (Loop[S], error) {
	l := Loop[S]{Scale: c.scale, Offset: c.offset, Flipped: c.flipped}
	missing, err := values[S](c, 0, 0)
	if err != nil {
		return l, err
	}
	l.Several = len(missing) > 1 || c.low != nil || c.high != nil
	switch {
	case len(missing) > 0:
		l.Missing, l.Has = missing[0], true
	case l.Several:
		l.Missing, l.Has = outside[S](c)
	}
	return l, nil
}

// outside returns a value outside of the valid range. It reports false if all values are valid.
func outside[S Number](c *Coding) (S, bool) {
	half := 0.5
	if S(half) != 0 {
		nan := math.NaN()
		return S(nan), true
	}
	low, high := c.bounds()
	least, most := stored[S](c, low), stored[S](c, math.Nextafter(high, 0)) // truncated to an integer
	if isMissing(c, nil, least) {
		return least, true
	}
	return most, isMissing(c, nil, most)
}

// Unify copies stored values, and replaces each missing value except NaN by l.Missing. The slices
// have the same length, and may be the same.
func Unify[S Number](c *Coding, l Loop[S], dst, src []S) error {
	missing, err := values[S](c, len(dst), len(src))
	if err != nil {
		return err
	}
	for i, v := range src {
		if v == v && isMissing(c, missing, v) {
			v = l.Missing
		}
		dst[i] = v
	}
	return nil
}

// Unpack decodes stored values as [Decode] does. It panics if l is Several or Flipped, or if dst is
// shorter than src.
func Unpack[D Float, S Number](l Loop[S], dst []D, src []S) {
	switch {
	case l.Several || l.Flipped:
		panic("cf: Unpack needs at most one missing value, and no _Unsigned")
	case l.Scale != 1 || l.Offset != 0:
		scaled(l, dst, src)
	default:
		plain(l, dst, src)
	}
}

// scaled decodes packed values of which at most one is missing.
func scaled[D Float, S Number](l Loop[S], dst []D, src []S) {
	dst = dst[:len(src)]
	scale, offset := l.Scale, l.Offset
	if !l.Has {
		for i, v := range src {
			dst[i] = D(float64(float64(v)*scale) + offset) // the conversion prevents a fused multiply-add
		}
		return
	}
	missing, nan := l.Missing, D(math.NaN())
	for i, v := range src {
		if v == missing {
			dst[i] = nan
			continue
		}
		dst[i] = D(float64(float64(v)*scale) + offset)
	}
}

// plain decodes values that are not packed, of which at most one is missing.
func plain[D Float, S Number](l Loop[S], dst []D, src []S) {
	dst = dst[:len(src)]
	if !l.Has {
		for i, v := range src {
			dst[i] = D(float64(v))
		}
		return
	}
	missing, nan := l.Missing, D(math.NaN())
	for i, v := range src {
		if v == missing {
			dst[i] = nan
			continue
		}
		dst[i] = D(float64(v))
	}
}

// sole is Missing for values of which at most one is missing, besides NaN.
func sole[S Number](dst []bool, src, missing []S) (n int) {
	var marker S
	has := len(missing) > 0
	if has {
		marker = missing[0]
	}
	dst = dst[:len(src)]
	for i, v := range src {
		m := v != v || has && v == marker
		if dst[i] = m; m {
			n++
		}
	}
	return n
}
