// Package number computes with array elements as numpy does, bit for bit: casts between all number
// types, wrapping integers, and floats that are rounded to their own precision after each
// operation.
//
//	in, _ := number.Of(dtype.Float64)
//	out, _ := number.Of(dtype.Int16)
//	number.Run(dst, src, in, out, number.Cast(in, out))
//
// Elements are processed in a [Block] of 512 at a time. In a block, integers are widened to 64 bits
// and floats to float64. Rounding the float64 result of one addition, subtraction, multiplication
// or division to float32 or float16 yields the result of that operation in the smaller type,
// because float64 has more than twice its bits. A step is a loop over a block, so there are no
// calls per element.
//
// # Casts
//
// Integers keep their low bits. Floats lose their fraction. For NaN, and for floats that the
// integer type cannot represent, numpy's result depends on the processor. On all machines this
// package returns the result of x86-64. Integers of up to 32 bits, except uint32, are the low bits
// of the 32-bit conversion, which is -2³¹ if out of range. uint32, int64 and uint64 are the low
// bits of the 64-bit conversion, which is -2⁶³ if out of range. numpy itself is inconsistent for
// uint32: its result for floats below -2³¹ and from 2³² on depends on the position of the element
// in the array.
//
// A NaN that is cast between float types keeps its sign and the high bits of its payload, and
// becomes quiet between float32 and float64.
//
// # Concurrency
//
// The package has no state. All functions are safe for concurrent use. A Block must be used by one
// goroutine at a time.
package number
