package main

import (
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// Reads and writes of an array go band by band, and bands are large. Within one the run's report
// knows what was decoded or encoded, but not what is missing or only fill values: so how far it is
// is the larger of both.

// reading begins the work of reading what r selects of an array. Elements of varying length are
// counted, of others bytes.
func (p *progress) reading(a *zarr.Array, r region, report *zarr.Report) {
	t, _ := render.ReaderOf(a)
	w := work{verb: "read", ahead: report.BytesUsed.Load, total: bytesOf(r, t)}
	if size := int64(unitOf(t)); size > 1 {
		w.unit, w.total, w.moved = "elements", w.total/size, report.BytesRead.Load
		w.ahead = func() int64 { return report.BytesUsed.Load() / size }
	}
	p.begin(w)
}

// writing begins the work of writing what r selects of an array.
func (p *progress) writing(a *zarr.Array, r region, report *zarr.Report) {
	p.begin(work{verb: "written", total: bytesOf(r, a.DType()), ahead: report.BytesUsed.Load})
}

// unitOf is how many bytes of a band are one of what is counted.
func unitOf(t dtype.Type) int {
	if n, ok := t.(render.Items); ok {
		return n.Size()
	}
	return 1
}

// bytesOf is the length of what r selects; 0 where that is too large to be a number.
func bytesOf(r region, t dtype.Type) int64 {
	n, err := r.bytes(t.Size())
	if err != nil {
		return 0
	}
	return n
}
