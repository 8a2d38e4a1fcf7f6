package number

// Promote returns the type of the sum of numbers of two types in numpy.
func Promote(a, b Type) Type {
	a.Big, b.Big = false, false
	if a.Kind > b.Kind {
		a, b = b, a
	}
	switch {
	case a.Kind == b.Kind:
		a.Size = max(a.Size, b.Size)
		return a
	case a.Kind == Bool || b.Kind == Time:
		return b
	case b.Kind == Uint: // a is signed
		if b.Size < a.Size {
			return a
		}
		if b.Size == 8 {
			return Type{Kind: Float, Size: 8}
		}
		return Type{Kind: Int, Size: 2 * b.Size}
	}
	// The float type must be at least twice as large as the integer type, up to 8 bytes. For
	// example, int16 needs float32.
	unit := b.unit()
	if need := min(2*a.Size, 8); a.Kind != Float && a.Kind != Complex && need > unit {
		unit = need
	} else if a.Kind == Float {
		unit = max(unit, a.Size)
	}
	b.Size = unit
	if b.Kind == Complex {
		b.Size = 2 * max(unit, 4)
	}
	return b
}
