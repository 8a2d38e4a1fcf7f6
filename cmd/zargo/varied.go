package main

import (
	"context"
	"encoding/binary"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// numbered is a data type whose elements vary in length, with the number of an item in place of each.
type numbered struct {
	dtype.Vary
	items *[][]byte
}

// Size is that of a number.
func (numbered) Size() int { return 8 }

func (n numbered) item(b []byte) []byte { return (*n.items)[binary.LittleEndian.Uint64(b)] }

// reader fills a buffer with the elements of a selection.
type reader func(ctx context.Context, buf []byte, sel ...zarr.Selection) error

// readerOf gives how an array's elements are read for printing, and the type of what is then in the buffer.
func readerOf(a *zarr.Array) (dtype.Type, reader) {
	vary, ok := a.DType().(dtype.Vary)
	if !ok {
		return a.DType(), func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
			return zarr.ReadBytes(ctx, a, buf, sel...)
		}
	}
	n := numbered{vary, new([][]byte)}
	return n, func(ctx context.Context, buf []byte, sel ...zarr.Selection) error {
		items, err := readItems(ctx, a, vary, sel)
		if err != nil {
			return err
		}
		*n.items = items
		for i := range items {
			binary.LittleEndian.PutUint64(buf[8*i:], uint64(i))
		}
		return nil
	}
}

func readItems(ctx context.Context, a *zarr.Array, t dtype.Vary, sel []zarr.Selection) ([][]byte, error) {
	if t != dtype.String {
		return zarr.Read[[]byte](ctx, a, sel...)
	}
	texts, err := zarr.Read[string](ctx, a, sel...)
	items := make([][]byte, len(texts))
	for i, s := range texts {
		items[i] = []byte(s)
	}
	return items, err
}
