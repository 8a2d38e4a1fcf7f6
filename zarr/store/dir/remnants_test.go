package dir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// TestRemoveRemnants checks that only temporary files below a prefix are removed, also through
// decorators.
func TestRemoveRemnants(t *testing.T) {
	for name, opts := range map[string][]dir.Option{"plain": nil, "confined": {dir.Confined(true)}} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			gone := []string{"a/b/.zargo-tmp-1", "a/b/c/.zargo-tmp-part-0-1-0", "a/b/c/d/.zargo-tmp-2"}
			stays := []string{"a/.zargo-tmp-1", "other/.zargo-tmp-1", "a/b/value", "a/b/.zargo-tmp-lock-1", "a/b/c/.zargo-tmp-folder/value"}
			for _, name := range append(gone, stays...) {
				succeed(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777))
				succeed(t, os.WriteFile(filepath.Join(root, name), nil, 0o666))
			}
			succeed(t, os.Symlink(filepath.Join(root, "other"), filepath.Join(root, "a/b/link")))
			st := store.Observe(dir.New(root, opts...), func(_ context.Context, _ store.Event) {})
			below, err := store.Prefix(st, "a")
			if err != nil {
				t.Fatal(err)
			}
			for _, prefix := range []string{"b", "none", "b/value"} {
				if err := store.RemoveRemnants(t.Context(), below, prefix); err != nil {
					t.Errorf("%s: %v", prefix, err)
				}
			}
			if err := store.RemoveRemnants(t.Context(), below, ""); !errors.Is(err, fault.Path) {
				t.Errorf("of the whole store: %v", err)
			}
			for _, name := range gone {
				if _, err := os.Stat(filepath.Join(root, name)); !os.IsNotExist(err) {
					t.Errorf("%s: %v", name, err)
				}
			}
			for _, name := range stays {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
