package zarr

import (
	"github.com/zargo-io/zargo/internal/bytesview"
	"github.com/zargo-io/zargo/internal/hugepages"
)

// alloc allocates memory that the caller is going to write completely. It advises the system to
// use huge pages if the memory is large. The caller undoes the advice when the memory is full.
func alloc[T any](n int) ([]T, hugepages.Advice) {
	dst := make([]T, n)
	view, _ := bytesview.Of(dst)
	return dst, hugepages.Advise(view)
}
