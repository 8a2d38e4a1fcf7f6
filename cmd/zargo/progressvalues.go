package main

import (
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Arrays are read and written in large bands. Within a band, the run's report counts the decoded or
// encoded bytes, but not missing chunks or chunks of only fill values. Progress is therefore the
// larger of two counts: the elements of the finished bands, and the count of the report.

// reading starts the progress display for reading the elements that r selects. The unit is elements
// if they vary in length, and bytes otherwise.
func (p *progress) reading(a *zarr.Array, r region, report *zarr.Report) {
	t, _ := render.ReaderOf(a)
	w := work{verb: "read", ahead: report.BytesUsed.Load, total: bytesOf(r, t)}
	if size := int64(unitOf(t)); size > 1 {
		w.unit, w.total, w.moved = "elements", w.total/size, report.BytesRead.Load
		w.ahead = func() int64 { return report.BytesUsed.Load() / size }
	}
	p.begin(w)
}

// writing starts the progress display for writing the elements that r selects.
func (p *progress) writing(a *zarr.Array, r region, report *zarr.Report) {
	p.begin(work{verb: "written", total: bytesOf(r, a.DType()), ahead: report.BytesUsed.Load})
}

// unitOf returns the number of bytes in a band that count as one unit of progress.
func unitOf(t dtype.Type) int {
	if n, ok := t.(render.Items); ok {
		return n.Size()
	}
	return 1
}

// unitsOf returns the progress that printing elements in memory makes. Decoded elements may have
// another size than stored elements.
func unitsOf(a *zarr.Array, t dtype.Type, elems []byte) int {
	if size := a.DType().Size(); size > 0 {
		return len(elems) / t.Size() * size
	}
	return len(elems) / unitOf(t)
}

// bytesOf returns the size of the elements that r selects, or 0 if it overflows.
func bytesOf(r region, t dtype.Type) int64 {
	n, err := r.bytes(t.Size())
	if err != nil {
		return 0
	}
	return n
}
