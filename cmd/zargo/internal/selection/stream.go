package selection

import (
	"context"
	"iter"

	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/internal/walk"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Stream reads an array band by band and calls write with the elements in C order. most is the
// maximum number of bytes of a band, unless chunks are longer. If a row of chunks is cut into
// several bands, its chunks are read once for each band.
func Stream(ctx context.Context, a *zarr.Array, r Region, most int64, t dtype.Type, read render.Reader, write func(elems []byte) error) error {
	if n, ok := t.(render.Items); ok {
		return streamItems(ctx, a, r, most, n, write)
	}
	bands := walk.Bands{Axes: r.axes(a, walk.Chunks), Each: int64(t.Size()), Target: walk.Always(min(most, BandBytes)), Limit: walk.Always(most)}
	return eachBox(ctx, r, bands.Each, heldBands(ctx, a, r, bands, bands.Whole()), walk.Options{Bytes: most}, read, write)
}

// eachBox reads the boxes of a region and calls use with the elements of each.
func eachBox(ctx context.Context, r Region, each int64, boxes iter.Seq[walk.Box], o walk.Options, read render.Reader, use func(elems []byte) error) error {
	if _, err := r.Bytes(int(each)); err != nil {
		return err
	}
	var buffers walk.Buffers[byte]
	o.Need = walk.Each(each)
	return eachOf(ctx, boxes, o, func(ctx context.Context, b walk.Box) ([]byte, error) {
		buf := buffers.Make(int(b.Bytes(each)))
		return buf, read(ctx, buf, r.in(b).Selections()...)
	}, func(buf []byte) error {
		defer buffers.Put(buf)
		return use(buf)
	})
}

const (
	// BandBytes is the approximate size of a band that is read. It takes longer to decode than to
	// request.
	BandBytes = 32 << 20
	// firstItems is the maximum number of elements in the first read, before the lengths of
	// elements are known.
	firstItems = 1 << 16
)

// eachOf reads boxes and calls use with each result. The memory in o is a part of the memory that
// all calls share.
func eachOf[V any](ctx context.Context, boxes iter.Seq[walk.Box], o walk.Options, read func(context.Context, walk.Box) (V, error), use func(V) error) error {
	o.Budget = concurrency.Default().Bytes
	for v, err := range walk.Read(ctx, o, boxes, read) {
		if err == nil {
			err = use(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// streamItems implements stream for elements that vary in length.
func streamItems(ctx context.Context, a *zarr.Array, r Region, most int64, n render.Items, write func(elems []byte) error) error {
	buf := make([]byte, n.Size()<<12)
	return EachPacked(ctx, a, r, most, func(p *zarr.Packed) error {
		n.Set(p)
		defer n.Set(nil) // free the items before the next read
		for i := 0; i < p.Len(); i += len(buf) / n.Size() {
			piece := buf[:min(len(buf), n.Size()*(p.Len()-i))]
			render.Number(piece, i)
			if err := write(piece); err != nil {
				return err
			}
		}
		return nil
	})
}

// itemBytes is the memory of an element of varying length besides its bytes.
const itemBytes = 8

// EachPacked reads elements that vary in length and calls use with them in C order. The lengths are
// unknown before reading, so EachPacked first reads one row of chunks, at most firstItems elements.
// Each later read may have up to eight times as many elements as the previous read, as long as the
// elements fit in memory.
func EachPacked(ctx context.Context, a *zarr.Array, r Region, most int64, use func(*zarr.Packed) error) error {
	if _, err := r.Bytes(itemBytes); err != nil {
		return err
	}
	most = min(most, 2*BandBytes)
	elems, fit := int64(1), int64(firstItems)
	bands := walk.Bands{Axes: r.axes(a, walk.Chunks), Each: itemBytes,
		Target: func() int64 { return itemBytes * min(elems, fit) }, Limit: func() int64 { return itemBytes * fit }}
	o := walk.Options{Bytes: most, Need: func(walk.Box) int64 { return most }}
	return eachOf(ctx, heldBands(ctx, a, r, bands, bands.Whole()), o, func(ctx context.Context, b walk.Box) (*zarr.Packed, error) {
		return a.ReadPacked(ctx, r.in(b).Selections()...)
	}, func(p *zarr.Packed) error {
		each := max(p.Bytes()/int64(p.Len()), itemBytes)
		elems, fit = 8*int64(p.Len()), max(min(8*fit, most/each), 1)
		return use(p)
	})
}

// Arrays are read and written in large bands. Within a band, the run's report counts the decoded or
// encoded bytes, but not missing chunks or chunks of only fill values. Progress is therefore the
// larger of two counts: the elements of the finished bands, and the count of the report.

// ShowReading starts the progress display for reading the elements that r selects. The unit is
// elements if they vary in length, and bytes otherwise.
func ShowReading(p *progress.Display, a *zarr.Array, r Region, report *zarr.Report) {
	t, _ := render.ReaderOf(a)
	w := progress.Work{Verb: "read", Ahead: report.BytesUsed.Load, Total: BytesOf(r, t)}
	if size := int64(unitOf(t)); size > 1 {
		w.Unit, w.Total, w.Moved = "elements", w.Total/size, report.BytesRead.Load
		w.Ahead = func() int64 { return report.BytesUsed.Load() / size }
	}
	p.Begin(w)
}

// ShowWriting starts the progress display for writing the elements that r selects.
func ShowWriting(p *progress.Display, a *zarr.Array, r Region, report *zarr.Report) {
	p.Begin(progress.Work{Verb: "written", Total: BytesOf(r, a.DType()), Ahead: report.BytesUsed.Load})
}

// unitOf returns the number of bytes in a band that count as one unit of progress.
func unitOf(t dtype.Type) int {
	if n, ok := t.(render.Items); ok {
		return n.Size()
	}
	return 1
}

// UnitsOf returns the progress that printing elements in memory makes. Decoded elements may have
// another size than stored elements.
func UnitsOf(a *zarr.Array, t dtype.Type, elems []byte) int {
	if size := a.DType().Size(); size > 0 {
		return len(elems) / t.Size() * size
	}
	return len(elems) / unitOf(t)
}

// BytesOf returns the size of the elements that r selects, or 0 if it overflows.
func BytesOf(r Region, t dtype.Type) int64 {
	n, err := r.Bytes(t.Size())
	if err != nil {
		return 0
	}
	return n
}

// PlanWrite plans a write of a region of an array, whose elements have at most the given size.
func PlanWrite(ctx context.Context, r *session.Rehearsed, a *zarr.Array, where Region, each int) error {
	bands, err := BandsToWrite(ctx, a, where, each)
	if err != nil {
		return err
	}
	for b := range bands {
		p, err := a.PlanWrite(b.Selections()...)
		if err != nil {
			return err
		}
		r.Add(p.Bounds())
	}
	return nil
}
