package transfer_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestCleanFolders: in a directory nothing is left of a transfer, and no folder goes that is another's.
func TestCleanFolders(t *testing.T) {
	root := t.TempDir()
	w := newWorld(t, mem.New(), dir.New(root))
	a := maps16(t, w, 1024)
	p := w.plan(a, series(transfer.Options{Target: transfer.Place{Path: "out/a"}}))
	check(t, transfer.Save(t.Context(), w.dst, p))
	w.run(p)
	work := filepath.Join(root, "out", "a", "__zargo_transfer")
	for _, f := range []string{"plan.json", "done/0", "tmp/0/zarr.json", "tmp/0/c"} {
		if _, err := os.Stat(filepath.Join(work, p.ID(), f)); (err == nil) != (f != "tmp/0/zarr.json") {
			t.Errorf("while it runs: %s: %v", f, err)
		}
	}
	mine := filepath.Join(root, "out", "mine")
	check(t, os.Mkdir(mine, 0o777))
	open := func(context.Context, string) (store.Store, error) { return dir.New(root), nil }
	check(t, transfer.Clean(t.Context(), p, open))
	if _, err := os.Stat(work); !os.IsNotExist(err) {
		t.Errorf("after Clean: %v", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	equal(t, a, must(zarr.OpenArray(t.Context(), w.dst, "out/a")))
	check(t, transfer.Clean(t.Context(), p, open)) // again
}
