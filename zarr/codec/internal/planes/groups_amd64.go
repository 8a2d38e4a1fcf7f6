//go:build !purego

package planes

import "math/bits"

// group is how many elements the assembly does at a time, with SSE2, which every amd64 processor
// has.
const group = 16

// The functions below do as many groups of elements as groups says, 1 or more. Planes begin stride
// bytes apart.

//go:noescape
func joinGroups2(dst, src *byte, stride, groups int)

//go:noescape
func joinGroups4(dst, src *byte, stride, groups int)

//go:noescape
func joinGroups8(dst, src *byte, stride, groups int)

//go:noescape
func splitGroups2(dst, src *byte, stride, groups int)

//go:noescape
func splitGroups4(dst, src *byte, stride, groups int)

//go:noescape
func splitGroups8(dst, src *byte, stride, groups int)

// fastJoin reports whether joinGroups joins elements of a size, which is 1<<shift.
func fastJoin(typeSize int) (shift uint, ok bool) {
	switch typeSize {
	case 2, 4, 8:
		return uint(bits.TrailingZeros(uint(typeSize))), true
	}
	return 0, false
}

// joinGroups is joinSlow of elements of 1<<shift bytes, of which dst has whole groups, 1 or more.
// src has all planes from the first element on, which begin n bytes apart.
func joinGroups(dst, src []byte, shift uint, n int) {
	groups := len(dst) / group >> shift
	_ = src[(1<<shift-1)*n+groups*group-1]
	switch shift {
	case 1:
		joinGroups2(&dst[0], &src[0], n, groups)
	case 2:
		joinGroups4(&dst[0], &src[0], n, groups)
	case 3:
		joinGroups8(&dst[0], &src[0], n, groups)
	}
}

// joinFast is joinSlow of the first elements, as many as it returns. src has all planes from the
// first element on, which begin n bytes apart; dst has whole elements.
func joinFast(dst, src []byte, typeSize, n int) (done int) {
	shift, ok := fastJoin(typeSize)
	groups := len(dst) / typeSize / group
	if !ok || groups == 0 {
		return 0
	}
	joinGroups(dst[:groups*group*typeSize], src, shift, n)
	return groups * group
}

// splitFast is splitSlow of the first elements, as many as it returns, to planes that begin n bytes
// apart in dst.
func splitFast(dst, src []byte, typeSize, n int) (done int) {
	groups := len(src) / typeSize / group
	if groups == 0 {
		return 0
	}
	_ = dst[(typeSize-1)*n+groups*group-1]
	switch typeSize {
	case 2:
		splitGroups2(&dst[0], &src[0], n, groups)
	case 4:
		splitGroups4(&dst[0], &src[0], n, groups)
	case 8:
		splitGroups8(&dst[0], &src[0], n, groups)
	default:
		return 0
	}
	return groups * group
}
