package arrow

import "github.com/zargo-io/zargo/dataset"

// layout is the place of the elements of a part among the rows of a block: Element number
// Σ index×stride of the part belongs to the row with these indexes.
type layout struct {
	shape   []int // of the block
	strides []int // of the part along each dimension of the block; 0 if it lacks the dimension
	same    bool  // elements are in the order of the rows
}

// layoutOf returns the layout of a part with the dimensions part in a block with the dimensions
// block.
func layoutOf(block, part []dataset.Dim) layout {
	l := layout{shape: make([]int, len(block)), strides: make([]int, len(block))}
	each, of := 1, map[string]int{}
	for i := len(part) - 1; i >= 0; i-- {
		of[part[i].Name] = each
		each *= part[i].Len
	}
	rows := 1
	l.same = len(block) == len(part)
	for i := len(block) - 1; i >= 0; i-- {
		l.shape[i], l.strides[i] = block[i].Len, of[block[i].Name]
		l.same = l.same && (l.strides[i] == rows || l.shape[i] == 1)
		rows *= l.shape[i]
	}
	return l
}

// arrange returns the elements of a part in the order of the rows. It returns src itself if it is
// in this order.
func arrange[T any](l layout, src []T) []T {
	if l.same {
		return src
	}
	rows := 1
	for _, n := range l.shape {
		rows *= n
	}
	dst := make([]T, 0, rows)
	if rows == 0 {
		return dst
	}
	last := len(l.shape) - 1
	index, from := make([]int, len(l.shape)), 0
	for {
		for i := range l.shape[last] {
			dst = append(dst, src[from+i*l.strides[last]])
		}
		k := last - 1
		for ; k >= 0; k-- {
			from += l.strides[k]
			if index[k]++; index[k] < l.shape[k] {
				break
			}
			from -= index[k] * l.strides[k]
			index[k] = 0
		}
		if k < 0 {
			return dst
		}
	}
}
