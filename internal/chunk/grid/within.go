package grid

// Within returns the part of the box at one position of the last axes. shape is the shape of these
// axes, which are within one chunk. i is the index of the position in C order.
func (b Box) Within(shape []int, i int) Box {
	if b.Pairs != nil {
		n := 1
		for _, d := range shape {
			n *= d
		}
		pairs := []Pair{}
		for _, p := range b.Pairs {
			if p.Off%n == i {
				pairs = append(pairs, p)
			}
		}
		return Box{Coord: b.Coord, Pairs: pairs}
	}
	parts := make([]Part, len(b.Parts))
	copy(parts, b.Parts)
	for k := len(shape) - 1; k >= 0; k-- {
		p := &parts[len(parts)-len(shape)+k]
		*p = p.only(i % shape[k])
		i /= shape[k]
	}
	return Box{Coord: b.Coord, Parts: parts}
}

// only returns the part of p that selects the element at the index "at". If p selects it several
// times, so does the result.
func (p Part) only(at int) Part {
	one := Part{Chunk: p.Chunk, Step: 1, At: []int{}, To: []int{}}
	for j := range p.N {
		i, to := p.Off+j*p.Step, p.Out+j
		if p.At != nil {
			i, to = p.At[j], p.To[j]
		}
		if i == at {
			one.At, one.To = append(one.At, i), append(one.To, to)
		}
	}
	one.N = len(one.At)
	return one
}
