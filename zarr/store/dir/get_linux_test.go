package dir_test

import (
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

func TestGetAllocations(t *testing.T) {
	s := dir.New(t.TempDir())
	put(t, s, "c/0/0", strings.Repeat("x", 1000))
	ctx, buf := t.Context(), make([]byte, 0, 1000)
	n := testing.AllocsPerRun(100, func() { _, _ = s.Get(ctx, "c/0/0", store.GetOptions{Range: store.Suffix(17)}, buf) })
	if n > 3 { // the path, the path for the system call and the version
		t.Errorf("%v allocations", n)
	}
}
