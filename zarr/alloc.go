package zarr

import (
	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/internal/hugepages"
)

// room makes memory that is going to be written from end to end, on huge pages where it is large.
// The advice is to be undone when it is full.
func room[T any](n int) ([]T, hugepages.Advice) {
	dst := make([]T, n)
	view, _ := bytesview.Of(dst)
	return dst, hugepages.Advise(view)
}
