// Package npy reads and writes NumPy's .npy files, which contain a header and the elements of one
// array.
//
//	h, err := npy.ReadHeader(r)
//	data := make([]byte, n)
//	err = h.ReadData(r, data)  // memory form: little-endian, in the file's order of elements
//	head, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Float32, Shape: []int{3, 4}})
//
// It reads the versions 1.0, 2.0 and 3.0 in both byte orders and in C and Fortran order. It writes
// the same bytes as numpy.save: the lowest possible version, little-endian, C order.
//
// Files are not trusted. Lengths are checked against bounds before memory is allocated. The Python
// literal in the header is parsed and never evaluated.
//
// Errors: fault.Corrupt for a file that is not .npy or is truncated, errors.ErrUnsupported for
// other versions and data types (objects, structures with padding), fault.Limit for a shape whose
// size in bytes overflows.
//
// Source: NumPy Enhancement Proposal 1 and the documentation of numpy.lib.format.
//
// Headers are values and the functions are stateless. Both may be used concurrently.
package npy
