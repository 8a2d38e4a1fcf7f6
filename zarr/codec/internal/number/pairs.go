package number

// Pair maps one number to another. A NaN stands for every NaN.
type Pair struct{ From, To Value }

// fewPairs is how many pairs are looked at one by one: that takes less time than a map, up to about
// so many.
const fewPairs = 8

// finder finds what a number of a type is mapped to, by the first pair that has it. Pairs are
// metadata, and can be as many as there are elements.
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

// index is the finder of many pairs.
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
	var nan Value // which is no key
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
