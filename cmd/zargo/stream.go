package main

import (
	"context"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// stream reads an array band by band, and passes its elements to write in C order. A band has no
// more than most bytes, unless the array has longer chunks. A chunk of a longer row of chunks is
// read once for each band that has a part of it.
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
	// itemBand is how many bytes of elements that vary in length are held at a time.
	itemBand = 64 << 20
	// firstItems is how many elements are read first, before any length is known.
	firstItems = 1 << 16
)

// streamItems is stream for elements that vary in length. Lengths are unknown before reading: it
// begins with one row of chunks of at most firstItems elements, and takes up to eight times as many
// each time, while they are as short as those before.
func streamItems(ctx context.Context, a *zarr.Array, r region, most int64, n render.Items, write func(elems []byte) error) error {
	most = min(most, itemBand)
	elems, fit := int64(1), int64(firstItems)
	size := int64(n.Size())
	c := cutter{chunksOf(a), n.Size(), func() int64 { return size * min(elems, fit) }, func() int64 { return size * fit }}
	buf := make([]byte, size<<12)
	for b := range heldBands(ctx, a, r, c) {
		n.Set(nil) // before there are others
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
