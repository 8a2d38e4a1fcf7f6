package bzip2

// sorter sorts rotations; its buffers grow to the block's length.
type sorter struct {
	turned, last []byte
	rows         []int32
}

// transform sorts the rotations of a block and gives the byte before each of them, and the row of
// the block itself. The result is good until the next call.
//
// Sorting suffixes sorts rotations too if the block begins with its least rotation: where one
// suffix is the beginning of another, its rotation goes on with the least there is, and so is not
// greater.
func (s *sorter) transform(block []byte) (last []byte, row int) {
	n := len(block)
	turn := leastRotation(block)
	s.turned = append(append(s.turned[:0], block[turn:]...), block[:turn]...)
	if cap(s.rows) < n {
		s.rows = make([]int32, n)
		s.last = make([]byte, n)
	}
	rows := s.rows[:n]
	last = s.last[:n]
	sortSuffixes(s.turned, rows, 256)
	home := int32((n - turn) % n)
	for i, at := range rows {
		if at == home {
			row = i
		}
		if at == 0 {
			at = int32(n)
		}
		last[i] = s.turned[at-1]
	}
	return last, row
}

// leastRotation is where the least rotation begins (Booth; Duval): two candidates advance, and the
// one that is found greater jumps over all that it has in common with the other.
func leastRotation(b []byte) int {
	n := len(b)
	i, j, k := 0, 1, 0
	for i < n && j < n && k < n {
		x, y := b[wrap(i+k, n)], b[wrap(j+k, n)]
		switch {
		case x == y:
			k++
			continue
		case x > y:
			i += k + 1
		default:
			j += k + 1
		}
		if i == j {
			j++
		}
		k = 0
	}
	return min(i, j)
}

func wrap(i, n int) int {
	if i >= n {
		return i - n
	}
	return i
}
