package bzip2

// sorter sorts the rotations of blocks. Its buffers grow to the block size.
type sorter struct {
	turned, last []byte
	rows         []int32
}

// transform computes the Burrows-Wheeler transform of a block: the last byte of each sorted
// rotation, and the row of the block itself. The result is valid until the next call.
//
// It sorts suffixes instead of rotations. Both orders are the same if the block starts with its
// least rotation: where a suffix is a prefix of another suffix, its rotation continues with the
// least rotation and therefore is not greater than the other rotation.
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

// leastRotation returns the start of the least rotation (Booth; Duval). It advances two candidates.
// The greater candidate skips all bytes that it has in common with the other.
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
