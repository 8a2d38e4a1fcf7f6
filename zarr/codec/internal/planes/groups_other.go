//go:build !amd64 || purego

package planes

import "math"

const group = math.MaxInt // there is no assembly for this architecture

func fastJoin(typeSize int) (shift uint, ok bool) { return 0, false }

func joinGroups(dst, src []byte, shift uint, n int) {}

func joinFast(dst, src []byte, typeSize, n int) (done int) { return 0 }

func splitFast(dst, src []byte, typeSize, n int) (done int) { return 0 }
