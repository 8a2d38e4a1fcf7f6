package number

import "math"

// Cast returns a step that converts elements as numpy's astype does. It ignores byte orders.
func Cast(from, to Type) Step {
	switch {
	case from.Whole() && to.Whole():
		return wraps(from, to)
	case from.Whole():
		return widens(from, to)
	case to.Whole():
		return cuts(from, to)
	}
	return rounds(from, to)
}

// wraps returns a step that converts between integer types by keeping the low bits.
func wraps(from, to Type) Step {
	larger := to.Size > from.Size && to.Kind != Bool && (from.Kind != Int || to.Kind != Uint)
	return func(b *Block) {
		if larger || to.Size == 8 {
			return // the block has them sign extended to 64 bits
		}
		for i, u := range b.Int[:b.N] {
			b.Int[i] = to.wrap(u)
		}
	}
}

// widens returns a step that converts integers to floats with a single rounding.
func widens(from, to Type) Step {
	unsigned, single := from.Kind == Uint, to.unit() == 4
	return func(b *Block) {
		clear(b.Im[:b.N])
		for i, u := range b.Int[:b.N] {
			switch {
			case unsigned && single:
				b.Re[i] = float64(float32(u))
			case unsigned:
				b.Re[i] = float64(u)
			case single:
				b.Re[i] = float64(float32(int64(u)))
			default:
				b.Re[i] = float64(int64(u))
			}
		}
	}
}

// cuts returns a step that converts floats to integers by dropping the fraction.
func cuts(from, to Type) Step {
	if to.Kind == Bool {
		return func(b *Block) {
			for i, f := range b.Re[:b.N] {
				b.Int[i] = 0
				if f != 0 || from.Kind == Complex && b.Im[i] != 0 {
					b.Int[i] = 1
				}
			}
		}
	}
	cut := cut32
	switch {
	case to.Kind == Uint && to.Size == 8:
		cut = cutUint64
	case to.Size == 8 || to.Kind == Uint && to.Size == 4:
		cut = cut64
	}
	return func(b *Block) {
		for i, f := range b.Re[:b.N] {
			b.Int[i] = to.wrap(cut(f))
		}
	}
}

// rounds returns a step that converts between float types. The step drops the imaginary part if the
// new type is not complex.
func rounds(from, to Type) Step {
	return func(b *Block) {
		if from.Kind != Complex {
			clear(b.Im[:b.N])
		}
		to.recast(b.Re[:b.N], from)
		if to.Kind == Complex {
			to.recast(b.Im[:b.N], from)
		}
	}
}

// recast converts floats from another type to t. Floats are rounded if t is narrower. As in numpy,
// NaNs become quiet between float32 and float64, but not to or from float16.
func (t Type) recast(list []float64, from Type) {
	u, v := t.unit(), from.unit()
	switch {
	case u < v:
		for i, f := range list {
			list[i] = t.round(f)
		}
	case u > v && v == 4:
		for i, f := range list {
			if f != f {
				list[i] = math.Float64frombits(math.Float64bits(f) | 1<<51)
			}
		}
	}
}

// cut32 returns the result of the conversion of f to 32 bits by x86-64 processors.
func cut32(f float64) uint64 {
	if f > math.MinInt32-1 && f < math.MaxInt32+1 {
		return uint64(int64(f))
	}
	var none int64 = math.MinInt32
	return uint64(none)
}

// cut64 returns the result of the conversion of f to 64 bits by x86-64 processors.
func cut64(f float64) uint64 {
	if f >= math.MinInt64 && f < 1<<63 {
		return uint64(int64(f))
	}
	return 1 << 63
}

// cutUint64 returns the result of the code that compilers for x86-64 emit for a conversion of f to
// uint64.
func cutUint64(f float64) uint64 {
	if f >= 1<<63 {
		return cut64(f-1<<63) ^ 1<<63
	}
	return cut64(f)
}
