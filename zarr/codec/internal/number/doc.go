// Package number casts array elements between number types and computes with them. Results are
// equal to those of numpy, bit for bit: integers wrap, and floats are rounded to their type after
// each operation.
//
//	in, _ := number.Of(dtype.Float64)
//	out, _ := number.Of(dtype.Int16)
//	number.Run(dst, src, in, out, number.Cast(in, out))
//
// Elements are processed in a [Block] of 512 at a time. In a block, integers are widened to 64 bits
// and floats to float64. A float64 result of one addition, subtraction, multiplication or division
// can be rounded to float32 or float16. This yields the same number as the operation in the smaller
// type, because float64 has more than twice as many significant bits. A step is a loop over a
// block, so that no function has to be called for each element.
//
// # Casts
//
// Integers keep their low bits. Floats lose their fraction. For NaN, and for floats that the
// integer type cannot represent, numpy's result depends on the processor. On all machines this
// package returns the result of x86-64. Results of uint32, int64 and uint64 are the low bits of a
// conversion to 64 bits, which yields -2⁶³ for numbers out of range. Results of other integer types
// are the low bits of a conversion to 32 bits, which yields -2³¹ for numbers out of range. For
// uint32 numpy itself is inconsistent: its result for a float below -2³¹, or of 2³² or more,
// depends on the index of the element in the array.
//
// A NaN that is cast between float types keeps its sign and the high bits of its payload, and
// becomes quiet between float32 and float64.
//
// # Concurrency
//
// All functions are safe for concurrent use. A Block must be used by one goroutine at a time.
package number
