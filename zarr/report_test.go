package zarr_test

import (
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestReportCountsWhatIsAsked checks that metadata documents do not count as chunks, and that every
// listing and every delete counts.
func TestReportCountsWhatIsAsked(t *testing.T) {
	st := mem.New()
	var r zarr.Report
	spec := zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Uint8}
	a := mustCreate(t, st, "a", spec, zarr.WithReport(&r))
	if r.Chunks.Load() != 0 || r.Puts.Load() == 0 || r.Gets.Load() == 0 || r.Lists.Load() == 0 {
		t.Errorf("created: %v", &r)
	}
	if _, err := a.SetAttrs(t.Context(), map[string]any{"units": "K"}); err != nil || r.Chunks.Load() != 0 {
		t.Errorf("attributes: %v, %v", &r, err)
	}
	puts, written := r.Puts.Load(), r.BytesWritten.Load()
	succeed(t, zarr.Write(t.Context(), a, []uint8{1, 2, 3, 4}))
	if r.Chunks.Load() != 2 || r.Puts.Load() != puts+2 || r.BytesWritten.Load() == written {
		t.Errorf("written: %v", &r)
	}
	lists, deletes := r.Lists.Load(), r.Deletes.Load()
	succeed(t, second(zarr.Replace(t.Context(), st, "a", spec, zarr.WithReport(&r))))
	if r.Lists.Load() == lists || r.Deletes.Load() == deletes || r.Chunks.Load() != 2 {
		t.Errorf("replaced: %v", &r)
	}
}
