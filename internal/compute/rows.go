package compute

import "iter"

// rows yields the positions of the runs of a box at a position of an array: the index in the array
// and the index in the box of the first element.
func rows(at, box, whole []int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		first, stride, last, n := 0, 1, len(box), 1
		strides := make([]int, len(box))
		for k := len(box) - 1; k >= 0; k-- {
			first += at[k] * stride
			strides[k] = stride
			stride *= whole[k]
		}
		for last > 0 { // the axes from last on are one run
			last--
			if n *= box[last]; box[last] != whole[last] {
				break
			}
		}
		if n == 0 {
			return
		}
		i := make([]int, last)
		for off := 0; ; off += n {
			if !yield(first, off) {
				return
			}
			k := last - 1
			for ; k >= 0; k-- {
				i[k]++
				first += strides[k]
				if i[k] < box[k] {
					break
				}
				first -= i[k] * strides[k]
				i[k] = 0
			}
			if k < 0 {
				return
			}
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// run returns the number of consecutive elements of a box in an array of shape whole.
func run(box, whole []int) int {
	n := 1
	for k := len(box) - 1; k >= 0; k-- {
		if n *= box[k]; box[k] != whole[k] {
			break
		}
	}
	return n
}
