package number

// Pair maps one number to another. A NaN matches every NaN.
type Pair struct{ From, To Value }

// fewPairs is the number of pairs up to which a linear search is faster than a map.
const fewPairs = 8

// finder returns a function that maps a number by the first matching pair and reports whether there
// is one. Metadata may contain very many pairs.
func finder(pairs []Pair, from Type) func(v Value) (Value, bool) {
	if len(pairs) > fewPairs {
		return index(pairs, from)
	}
	return func(v Value) (Value, bool) {
		for _, p := range pairs {
			if from.Kind != Float && p.From.Int == v.Int || from.Kind == Float && (p.From.Float == v.Float || p.From.Float != p.From.Float && v.Float != v.Float) {
				return p.To, true
			}
		}
		return Value{}, false
	}
}

// index is like finder, but the returned function looks numbers up in a map. It is for many pairs.
func index(pairs []Pair, from Type) func(v Value) (Value, bool) {
	if from.Kind != Float {
		m := make(map[uint64]Value, len(pairs))
		for _, p := range pairs {
			if _, ok := m[p.From.Int]; !ok {
				m[p.From.Int] = p.To
			}
		}
		return func(v Value) (Value, bool) { w, ok := m[v.Int]; return w, ok }
	}
	var nan Value // NaN cannot be a key
	hasNaN := false
	m := make(map[float64]Value, len(pairs))
	for _, p := range pairs {
		if f := p.From.Float; f != f {
			if !hasNaN {
				nan, hasNaN = p.To, true
			}
		} else if _, ok := m[f]; !ok {
			m[f] = p.To
		}
	}
	return func(v Value) (Value, bool) {
		if v.Float != v.Float {
			return nan, hasNaN
		}
		w, ok := m[v.Float]
		return w, ok
	}
}
