// Package numeric selects code by the Go type of stored numbers.
//
//	read, ok := numeric.Pick(t, as[int8], as[int16], as[int32], as[int64],
//		as[uint8], as[uint16], as[uint32], as[uint64], as[float32], as[float64])
//
// Its functions are safe for concurrent use.
package numeric
