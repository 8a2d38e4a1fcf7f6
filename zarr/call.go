package zarr

import (
	"context"

	"github.com/zargo-io/zargo/internal/chunk/grid"
	"github.com/zargo-io/zargo/internal/chunk/pipeline"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// read reads a region into dst.
func (a *Array) read(ctx context.Context, dst []byte, r grid.Selection) error {
	if err := a.engine.Read(ctx, pipeline.Memory{Block: codec.Block{Bytes: dst}, Shape: r.Shape()}, r); err != nil {
		return a.errf(err)
	}
	return nil
}

// begin starts a call that reads a region in steps, each with the returned context and array.
func (a *Array) begin(ctx context.Context, r grid.Selection) (context.Context, *Array, error) {
	ctx, e, err := a.engine.Begin(ctx, r)
	if err != nil {
		return ctx, nil, a.errf(err)
	}
	b := *a
	b.engine = e
	return ctx, &b, nil
}

func (a *Array) write(ctx context.Context, src []byte, r grid.Selection) error {
	err := a.at.Writable()
	if err == nil {
		err = a.confirm(ctx)
	}
	m := pipeline.Memory{Block: codec.Block{Bytes: src}, Shape: r.Shape()}
	switch {
	case err != nil:
	case a.shards != nil:
		err = a.engine.PutShards(ctx, m, r, a.shards)
	default:
		err = a.engine.Write(ctx, m, r)
	}
	if err != nil {
		return a.errf(err)
	}
	return nil
}

// numbered returns a view of the array whose elements are uint64 numbers of elements in items.
func (a *Array) numbered(items *pipeline.Items) *Array {
	m := *a.meta
	m.DType = dtype.Uint64
	b := a.changed(a.node, &m)
	e := *a.engine
	e.Layout.Pipe = items.Numbers
	b.pipe, b.engine, b.shards = items.Numbers, &e, a.shards
	return b
}
