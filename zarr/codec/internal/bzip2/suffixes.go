package bzip2

// sortSuffixes fills rows with the starts of the suffixes of s in sorted order. All symbols are
// less than k. The algorithm is SA-IS (Nong, Zhang and Chan, 2009), which takes linear time for any
// input.
//
// A suffix is small (S-type) if it is less than the next suffix, and large (L-type) otherwise; the
// last suffix is large. A small suffix that follows a large suffix is leftmost (LMS). The order of
// the leftmost suffixes determines the order of all others. The leftmost suffixes are sorted by
// recursion on a text that has one symbol for each substring between two leftmost positions.
func sortSuffixes[T byte | int32](s []T, rows []int32, k int) {
	n := len(s)
	switch n {
	case 0:
		return
	case 1:
		rows[0] = 0
		return
	}
	small := make([]bool, n)
	for i := n - 2; i >= 0; i-- {
		small[i] = s[i] < s[i+1] || s[i] == s[i+1] && small[i+1]
	}
	in := inducer[T]{s, small, make([]int32, k+1), make([]int32, k)}
	for _, c := range s {
		in.first[int(c)+1]++
	}
	for c := range k {
		in.first[c+1] += in.first[c]
	}
	var left []int32
	for i := 1; i < n; i++ {
		if small[i] && !small[i-1] {
			left = append(left, int32(i))
		}
	}
	in.sort(rows, left)
	if len(left) < 2 {
		return
	}

	// The leftmost suffixes are now sorted by their substrings. Name each of them by its substring:
	// equal substrings have equal names.
	name := make([]int32, n/2+1) // two leftmost suffixes are never adjacent
	m := 0
	sorted := make([]int32, len(left))
	for _, at := range rows {
		if at > 0 && small[at] && !small[at-1] {
			sorted[m] = at
			m++
		}
	}
	names := int32(0)
	for i, at := range sorted {
		if i > 0 && !in.sameStretch(int(sorted[i-1]), int(at)) {
			names++
		}
		name[at/2] = names
	}
	short := make([]int32, len(left))
	for i, at := range left {
		short[i] = name[at/2]
	}
	order := rows[:len(left)] // reuses the memory of rows
	if int(names)+1 == len(left) {
		for i, c := range short {
			order[c] = int32(i)
		}
	} else {
		sortSuffixes(short, order, int(names)+1)
	}
	for i, j := range order {
		sorted[i] = left[j]
	}
	in.sort(rows, sorted)
}

// inducer holds a text, the types of its suffixes, and the bucket of each symbol in the sorted
// order.
type inducer[T byte | int32] struct {
	s     []T
	small []bool
	first []int32
	next  []int32
}

// sort fills rows from the leftmost suffixes, which it places at the ends of their buckets. From
// the leftmost suffixes it induces the order of the large suffixes, from left to right, and then
// the order of the small suffixes, from right to left.
func (in *inducer[T]) sort(rows, left []int32) {
	for i := range rows {
		rows[i] = -1
	}
	k := len(in.next)
	copy(in.next, in.first[1:])
	for i := len(left) - 1; i >= 0; i-- {
		c := in.s[left[i]]
		in.next[c]--
		rows[in.next[c]] = left[i]
	}
	copy(in.next, in.first[:k])
	n := len(in.s)
	in.put(rows, n-1) // the last suffix is large and the first of its bucket
	for i := range rows {
		if at := rows[i]; at > 0 && !in.small[at-1] {
			in.put(rows, int(at-1))
		}
	}
	copy(in.next, in.first[1:])
	for i := n - 1; i >= 0; i-- {
		if at := rows[i]; at > 0 && in.small[at-1] {
			c := in.s[at-1]
			in.next[c]--
			rows[in.next[c]] = at - 1
		}
	}
}

func (in *inducer[T]) put(rows []int32, at int) {
	c := in.s[at]
	rows[in.next[c]] = int32(at)
	in.next[c]++
}

// sameStretch reports whether the substrings from two leftmost positions to the next leftmost
// positions are equal.
func (in *inducer[T]) sameStretch(a, b int) bool {
	n := len(in.s)
	for i := 0; ; i++ {
		if a+i >= n || b+i >= n {
			return false // the end is less than any symbol
		}
		if in.s[a+i] != in.s[b+i] || in.small[a+i] != in.small[b+i] {
			return false
		}
		if i > 0 && in.small[a+i] && !in.small[a+i-1] {
			return true
		}
	}
}
