package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/internal/grid"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// readStructs reads elements of a structured data type into Go structs, which were checked to fit.
func readStructs[T any](ctx context.Context, a *Array, t *dtype.Struct, dst []T, r grid.Selection) error {
	b := make([]byte, len(dst)*t.Size())
	if err := a.read(ctx, b, r); err != nil {
		return err
	}
	if err := bytesview.TakeStructs(t, dst, b); err != nil {
		return a.errf(err)
	}
	return nil
}

// writeStructs writes Go structs, which were checked to fit.
func writeStructs[T any](ctx context.Context, a *Array, t *dtype.Struct, src []T, r grid.Selection) error {
	b := make([]byte, len(src)*t.Size())
	if err := bytesview.PutStructs(t, b, src); err != nil {
		return a.errf(err)
	}
	return a.write(ctx, b, r)
}
