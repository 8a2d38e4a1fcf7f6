// Package spec makes the metadata of new arrays from a Spec, and a Spec from existing
// metadata.
//
//	o := spec.Options{Table: codec.Builtin()}
//	m, err := spec.Spec{Shape: []int{8, 8}, DType: dtype.Int8}.Model(o)
//	s := spec.Of(m, o)
//
// [Spec] has the same fields as the Spec of package zarr. The package makes no requests and is safe
// for concurrent use. Errors are of the kinds fault.Metadata and fault.Type, or
// errors.ErrUnsupported.
package spec
