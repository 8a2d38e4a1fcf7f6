// Package npy reads and writes NumPy's .npy files. A file has a header and the elements of one
// array.
//
//	h, err := npy.ReadHeader(r)
//	data := make([]byte, n)
//	err = h.ReadData(r, data)  // memory form: little-endian, in the file's order of elements
//	head, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Float32, Shape: []int{3, 4}})
//
// The package reads versions 1.0, 2.0 and 3.0, both byte orders, and C and Fortran order. It writes
// the same bytes as numpy.save, with the lowest possible version, in little-endian byte order and C
// order.
//
// Files are untrusted. All lengths are checked against limits before memory is allocated, and the
// Python literal in the header is parsed, never evaluated.
//
// # Errors
//
// fault.Corrupt is returned for a file that is truncated or not a .npy file, errors.ErrUnsupported
// for unsupported versions and data types (objects, structures with padding), and fault.Limit for a
// shape whose size in bytes overflows.
//
// # Concurrency
//
// All functions are safe for concurrent use.
//
// Source: NumPy Enhancement Proposal 1 and the documentation of numpy.lib.format.
package npy
