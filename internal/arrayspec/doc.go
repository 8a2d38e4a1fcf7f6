// Package arrayspec makes the metadata of new arrays from a Spec, and Specs of existing metadata.
//
//	m, err := arrayspec.Spec{Shape: []int{8, 8}, DType: dtype.Int8}.Model(arrayspec.Options{Table: codec.Builtin()})
//	s := arrayspec.Of(m, arrayspec.Options{Table: codec.Builtin()})
//
// It is what package zarr does with its Spec, whose fields are those here. It makes no request, and
// everything may be used concurrently. Errors are of the kinds fault.Metadata and fault.Type, or
// errors.ErrUnsupported.
package arrayspec
