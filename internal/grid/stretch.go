package grid

// Stretch is N consecutive elements of a [Slice], from element Out on.
type Stretch struct{ Out, N int }

// Stretch returns the elements from the j-th on up to the end of their block. A block is a number
// of neighbouring chunks of an axis, at least 1, and block 0 begins with chunk 0. If an Index
// returns to a block, it has another stretch there.
func (s Slice) Stretch(j int, axis Axis, chunks int) Stretch {
	return Stretch{j, s.stretch(j, axis, chunks)}
}

// stretch returns the number of elements from the j-th on that are in one block.
func (s Slice) stretch(j int, axis Axis, chunks int) int {
	if s.Index != nil {
		n, block := 1, axis.number(s.Index[j])/chunks
		for j+n < s.Count && axis.number(s.Index[j+n])/chunks == block {
			n++
		}
		return n
	}
	at := s.Start + j*s.Step
	first := axis.number(at) / chunks * chunks
	if s.Step < 0 {
		start, _ := axis.Chunk(first)
		return min((at-start)/-s.Step+1, s.Count-j)
	}
	last := axis.number(s.Start + (s.Count-1)*s.Step)
	if chunks > last-first {
		return s.Count - j
	}
	start, edge := axis.Chunk(first + chunks - 1)
	return min((start+edge-at-1)/s.Step+1, s.Count-j)
}

// Of returns the slice of the elements of a stretch.
func (s Slice) Of(t Stretch) Slice {
	if s.Index != nil {
		return Slice{Step: 1, Count: t.N, Index: s.Index[t.Out : t.Out+t.N]}
	}
	return Slice{Start: s.Start + t.Out*s.Step, Step: s.Step, Count: t.N}
}
