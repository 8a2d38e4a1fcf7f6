//go:build !purego

package planes

import "math/bits"

// group is the number of elements that the assembly code processes at a time. The code uses SSE2,
// which every amd64 processor has.
const group = 16

// The functions below process groups*16 elements. "groups" is at least 1, and planes are "stride"
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

// fastJoin reports whether joinGroups supports a type size, and returns the base-2 logarithm of the
// size.
func fastJoin(typeSize int) (shift uint, ok bool) {
	switch typeSize {
	case 2, 4, 8:
		return uint(bits.TrailingZeros(uint(typeSize))), true
	}
	return 0, false
}

// joinGroups is a fast joinSlow for elements of 1<<shift bytes. dst consists of one or more whole
// groups. src starts with the first element's byte of the first plane, and planes are n bytes
// apart.
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

// joinFast joins as many elements of dst as possible with joinGroups, and returns their number. dst
// consists of whole elements. src starts with the first element's byte of the first plane, and
// planes are n bytes apart.
func joinFast(dst, src []byte, typeSize, n int) (done int) {
	shift, ok := fastJoin(typeSize)
	groups := len(dst) / typeSize / group
	if !ok || groups == 0 {
		return 0
	}
	joinGroups(dst[:groups*group*typeSize], src, shift, n)
	return groups * group
}

// splitFast splits as many elements of src as possible with assembly code, and returns their
// number. Planes are n bytes apart in dst.
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
