// Package npy reads and writes NumPy's .npy files: one array, a header and then the elements.
//
//	h, err := npy.ReadHeader(r)
//	data := make([]byte, n)
//	err = h.ReadData(r, data)  // memory form: little-endian, in the file's order of elements
//	head, err := npy.AppendHeader(nil, npy.Header{Type: dtype.Float32, Shape: []int{3, 4}})
//
// Reading knows the versions 1.0, 2.0 and 3.0, both byte orders, and C and Fortran order; writing
// gives what numpy.save gives, byte for byte: the lowest version that does, little-endian, C order.
//
// Files are hostile: lengths are compared with bounds before anything is allocated, and the
// header's Python literal is parsed, never evaluated. Errors: fault.Corrupt for what is no .npy
// file or ends early, errors.ErrUnsupported for other data types (objects, structures with padding)
// and versions, fault.Limit for a shape whose bytes cannot be counted.
//
// Source: NumPy Enhancement Proposal 1 and the documentation of numpy.lib.format.
//
// Headers are values and functions keep no state: everything may be used from any number of
// goroutines.
package npy
