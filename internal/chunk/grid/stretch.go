package grid

// Stretch is a sequence of N consecutive elements of a [Slice]. The first element has number Out.
type Stretch struct{ Out, N int }

// Stretch returns the stretch from the j-th element to the last consecutive element in the same
// block. A block has the given number of neighbouring chunks, at least 1, and block 0 begins with
// chunk 0. If an Index returns to a block, it has another stretch in that block.
func (s Slice) Stretch(j int, axis Axis, chunks int) Stretch {
	return Stretch{j, s.stretch(j, axis, chunks)}
}

// stretch returns the number of consecutive elements from the j-th element on that are in one
// block.
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

// Of returns a slice with the elements of a stretch of s.
func (s Slice) Of(t Stretch) Slice {
	if s.Index != nil {
		return Slice{Step: 1, Count: t.N, Index: s.Index[t.Out : t.Out+t.N]}
	}
	return Slice{Start: s.Start + t.Out*s.Step, Step: s.Step, Count: t.N}
}
