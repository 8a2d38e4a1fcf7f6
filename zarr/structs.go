package zarr

import (
	"context"
	"reflect"

	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// readStructs reads elements of a structured data type into Go structs. The caller has checked T.
func readStructs[T any](ctx context.Context, a *Array, t *dtype.Struct, dst []T, r grid.Selection) error {
	moves, err := a.structs.moves(t, reflect.TypeFor[T]())
	if err != nil {
		return a.errf(err)
	}
	b, advice := alloc[byte](len(dst) * t.Size())
	defer advice.Undo()
	if err := a.of.Read(ctx, b, r); err != nil {
		return err
	}
	if err := bytesview.TakeStructs(t, moves, dst, b); err != nil {
		return a.errf(err)
	}
	return nil
}

// writeStructs writes Go structs. The caller has checked that T fits t.
func writeStructs[T any](ctx context.Context, a *Array, t *dtype.Struct, src []T, r grid.Selection) error {
	moves, err := a.structs.moves(t, reflect.TypeFor[T]())
	if err != nil {
		return a.errf(err)
	}
	b := make([]byte, len(src)*t.Size())
	if err := bytesview.PutStructs(t, moves, b, src); err != nil {
		return a.errf(err)
	}
	return a.of.Write(ctx, b, r)
}
