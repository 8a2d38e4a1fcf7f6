package zarr

import (
	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/internal/hugepages"
)

// alloc allocates memory that the caller sets completely. If the memory is large, alloc advises the
// system to use huge pages; the caller then undoes the advice.
func alloc[T any](n int) ([]T, hugepages.Advice) {
	dst := make([]T, n)
	view, _ := bytesview.Of(dst)
	return dst, hugepages.Advise(view)
}
