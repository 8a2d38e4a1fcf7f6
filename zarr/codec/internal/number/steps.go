package number

import "math"

// Differences returns a step that replaces each element by its difference from the previous
// element. The first element stays unchanged.
func Differences(t Type) Step {
	var last uint64
	var re, im float64
	first := true
	return func(b *Block) {
		if first && b.N > 0 {
			first = false
			defer func(u uint64, f, g float64) { b.Int[0], b.Re[0], b.Im[0] = u, f, g }(b.Int[0], b.Re[0], b.Im[0])
		}
		switch t.Kind {
		case Bool:
			for i, u := range b.Int[:b.N] {
				b.Int[i], last = u^last, u
			}
		case Int, Uint:
			for i, u := range b.Int[:b.N] {
				b.Int[i], last = t.wrap(u-last), u
			}
		case Time:
			for i, u := range b.Int[:b.N] {
				d := u - last
				if u == smallest || last == smallest {
					d = smallest
				}
				b.Int[i], last = d, u
			}
		default:
			for i, f := range b.Re[:b.N] {
				b.Re[i], re = t.round(f-re), f
			}
			if t.Kind == Complex {
				for i, f := range b.Im[:b.N] {
					b.Im[i], im = t.round(f-im), f
				}
			}
		}
	}
}

// smallest is the value of NaT (not a time) in a block.
const smallest = 1 << 63

// Sums returns a step that replaces each element by the sum of this element and all previous
// elements. The sum of booleans is true if any of them is true.
func Sums(t Type) Step {
	var sum uint64
	var re, im float64
	first := true
	return func(b *Block) {
		from := 0
		if first && b.N > 0 { // keeps a negative zero
			first, from = false, 1
			sum, re, im = b.Int[0], b.Re[0], b.Im[0]
		}
		switch t.Kind {
		case Bool:
			for i := from; i < b.N; i++ {
				sum |= b.Int[i]
				b.Int[i] = sum
			}
		case Int, Uint:
			for i := from; i < b.N; i++ {
				sum = t.wrap(sum + b.Int[i])
				b.Int[i] = sum
			}
		case Time:
			for i := from; i < b.N; i++ {
				if sum == smallest || b.Int[i] == smallest {
					sum = smallest
				} else {
					sum += b.Int[i]
				}
				b.Int[i] = sum
			}
		default:
			for i := from; i < b.N; i++ {
				re = t.round(re + b.Re[i])
				b.Re[i] = re
			}
			if t.Kind == Complex {
				for i := from; i < b.N; i++ {
					im = t.round(im + b.Im[i])
					b.Im[i] = im
				}
			}
		}
	}
}

// Subtract returns a step that subtracts the integer v from each element, with wrapping.
func Subtract(t Type, v uint64) Step {
	return func(b *Block) {
		for i, u := range b.Int[:b.N] {
			b.Int[i] = t.wrap(u - v)
		}
	}
}

// Multiply returns a step that multiplies each element by the integer v, with wrapping.
func Multiply(t Type, v uint64) Step {
	return func(b *Block) {
		for i, u := range b.Int[:b.N] {
			b.Int[i] = t.wrap(u * v)
		}
	}
}

// Add returns a step that adds the float v to each element.
func Add(t Type, v float64) Step {
	return each(t, func(b *Block) {
		for i, f := range b.Re[:b.N] {
			b.Re[i] = f + v
		}
	})
}

// Minus returns a step that subtracts the float v from each element.
func Minus(t Type, v float64) Step {
	return each(t, func(b *Block) {
		for i, f := range b.Re[:b.N] {
			b.Re[i] = f - v
		}
	})
}

// Times returns a step that multiplies each element by the float v.
func Times(t Type, v float64) Step {
	return each(t, func(b *Block) {
		for i, f := range b.Re[:b.N] {
			b.Re[i] = f * v
		}
	})
}

// Over returns a step that divides each element by the float v.
func Over(t Type, v float64) Step {
	return each(t, func(b *Block) {
		for i, f := range b.Re[:b.N] {
			b.Re[i] = f / v
		}
	})
}

// each returns a step that applies s and then rounds the results to the precision of the type.
func each(t Type, s Step) Step {
	if t.Size == 8 {
		return s
	}
	return func(b *Block) {
		s(b)
		for i, f := range b.Re[:b.N] {
			b.Re[i] = t.round(f)
		}
	}
}

// Around is a step that rounds floats to integers, with ties to even.
func Around(b *Block) {
	for i, f := range b.Re[:b.N] {
		b.Re[i] = math.RoundToEven(f)
	}
}
