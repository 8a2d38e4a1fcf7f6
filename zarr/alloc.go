package zarr

import (
	"github.com/zargo-io/zargo/internal/bits/bytesview"
	"github.com/zargo-io/zargo/internal/bits/hugepages"
)

// alloc allocates n elements. The caller must set all of them. If their memory is large, alloc
// advises the system to use huge pages. The caller must undo the returned advice.
func alloc[T any](n int) ([]T, hugepages.Advice) {
	dst := make([]T, n)
	view, _ := bytesview.Of(dst)
	return dst, hugepages.Advise(view)
}
