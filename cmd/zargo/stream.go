package main

import (
	"context"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// stream reads an array band by band and calls write with the elements in C order. most is the
// maximum number of bytes of a band, unless chunks are longer. If a row of chunks is cut into
// several bands, its chunks are read once for each band.
func stream(ctx context.Context, a *zarr.Array, r region, most int64, t dtype.Type, read render.Reader, write func(elems []byte) error) error {
	total, err := r.bytes(t.Size())
	if err != nil {
		return err
	}
	if n, ok := t.(render.Items); ok {
		return streamItems(ctx, a, r, most, n, write)
	}
	target := min(most, maxBand)
	c := cutter{chunksOf(a), t.Size(), always(target), always(most)}
	var buf []byte
	for b := range heldBands(ctx, a, r, c) {
		if cap(buf) < b.bytes {
			buf = make([]byte, max(int64(b.bytes), min(total, target)))
		}
		buf = buf[:b.bytes]
		if err := read(ctx, buf, b.selections()...); err != nil {
			return err
		}
		if err := write(buf); err != nil {
			return err
		}
	}
	return nil
}

const (
	// itemBand is the maximum number of bytes of variable-length elements in memory.
	itemBand = 64 << 20
	// firstItems is the maximum number of elements in the first read, before the lengths of
	// elements are known.
	firstItems = 1 << 16
)

// streamItems implements stream for elements that vary in length. The lengths are unknown before
// reading, so streamItems first reads one row of chunks, at most firstItems elements. Each later
// read may have up to eight times as many elements as the previous read, as long as the elements
// fit in memory.
func streamItems(ctx context.Context, a *zarr.Array, r region, most int64, n render.Items, write func(elems []byte) error) error {
	most = min(most, itemBand)
	elems, fit := int64(1), int64(firstItems)
	size := int64(n.Size())
	c := cutter{chunksOf(a), n.Size(), func() int64 { return size * min(elems, fit) }, func() int64 { return size * fit }}
	buf := make([]byte, size<<12)
	for b := range heldBands(ctx, a, r, c) {
		n.Set(nil) // free the previous items first
		p, err := a.ReadPacked(ctx, b.selections()...)
		if err != nil {
			return err
		}
		n.Set(p)
		for i := 0; i < p.Len(); i += len(buf) / n.Size() {
			piece := buf[:min(len(buf), n.Size()*(p.Len()-i))]
			render.Number(piece, i)
			if err := write(piece); err != nil {
				return err
			}
		}
		each := max(p.Bytes()/int64(p.Len()), size)
		elems, fit = 8*int64(p.Len()), max(min(8*fit, most/each), 1)
	}
	return nil
}
