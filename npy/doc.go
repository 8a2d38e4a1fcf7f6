// Package npy reads and writes NumPy's .npy files. A file has a header and the elements of one
// array.
//
//	r, err := npy.NewReader(f)
//	n, err := npy.Read(r, dst) // dst is a []float32, for elements of float32
//
//	w, err := npy.NewWriter(f, npy.Header{Type: dtype.Float32, Shape: []int{3, 4}})
//	err = npy.Write(w, src)
//	err = w.Close()
//
// [Read] and [Write] may be called repeatedly, so that a file needs no more memory than one buffer.
// Programs that do not know the data type use [ReadHeader], [Header.ReadBytes] and [AppendHeader].
// They work with elements in memory form, which [zarr.Array.ReadBytes] and WriteBytes use too.
//
// The package reads versions 1.0, 2.0 and 3.0, both byte orders, and C and Fortran order, including
// structured data types, text and times. It writes the same bytes as numpy.save, with the lowest
// possible version.
//
// Files are untrusted. All lengths are checked against limits before memory is allocated, and the
// Python literal in the header is parsed, never evaluated. A shape in a header is not limited by the
// length of the file: compare [Header.Bytes] with a limit before you allocate memory for all
// elements.
//
// # Errors
//
// fault.Corrupt is returned for a file that is truncated or not a .npy file, errors.ErrUnsupported
// for unsupported versions and data types (objects, structures with padding), fault.Limit for a
// shape whose size in bytes overflows, fault.Type for Go types that do not fit the data type, and
// fault.Selection for a number of written elements that differs from the shape.
//
// # Concurrency
//
// All functions are safe for concurrent use with different Readers and Writers.
//
// Source: NumPy Enhancement Proposal 1 and the documentation of numpy.lib.format.
//
// [zarr.Array.ReadBytes]: https://pkg.go.dev/github.com/zargo-io/zargo/zarr#Array.ReadBytes
package npy
