// Package number does arithmetic on elements of arrays as numpy does, bit for bit: casts between
// every two types of number, wrapping integers, floats that are rounded to their own precision
// after each operation.
//
//	in, _ := number.Of(dtype.Float64)
//	out, _ := number.Of(dtype.Int16)
//	number.Run(dst, src, in, out, number.Cast(in, out))
//
// Elements are worked on in a [Block] of some hundreds at a time, widened: integers to 64 bits,
// floats to float64. What is rounded from there to float32 or float16 after one addition,
// subtraction, multiplication or division is what that operation gives in the smaller type: float64
// has more than twice its bits. A step is a loop over a block, so that nothing is called for each
// element.
//
// # Casts
//
// Integers keep their low bits. Floats lose their fraction. What no integer of the type can hold,
// and NaN, numpy leaves to the processor; here it is what x86-64 gives, on every machine: to
// integers of up to 32 bits by way of the 32-bit conversion, whose answer is -2³¹ where it has
// none, to uint32, int64 and uint64 by way of the 64-bit one, whose is -2⁶³; the low bits of that.
// Only for uint32 is that not all there is to it: what numpy makes of floats below -2³¹ and from
// 2³² on depends on the element's place in the array. A NaN cast from float to float keeps its sign
// and the high bits of its payload, and becomes quiet between float32 and float64.
//
// The package is pure and has no state; everything may be used from any number of goroutines, a
// Block by one.
package number
