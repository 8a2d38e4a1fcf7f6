package dir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRemoveFolders checks that only empty directories are removed, with and without Confined, also
// through decorators.
func TestRemoveFolders(t *testing.T) {
	for name, opts := range map[string][]dir.Option{"plain": nil, "confined": {dir.Confined(true)}} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			make := func(folders ...string) {
				for _, f := range folders {
					succeed(t, os.MkdirAll(filepath.Join(root, f), 0o777))
				}
			}
			file := func(name string) {
				make(filepath.Dir(name))
				succeed(t, os.WriteFile(filepath.Join(root, name), nil, 0o666))
			}
			make("a/b/c", "a/b/d/e", "other/x", "ab/c", "a/link")
			file("a/keep/f/key")
			file("a/temporary/.zargo-tmp-1")
			succeed(t, os.Symlink(filepath.Join(root, "other"), filepath.Join(root, "a/link/to")))
			st := store.Observe(dir.New(root, opts...), func(_ context.Context, _ store.Event) {})
			below, err := store.Prefix(st, "a")
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				st     store.Store
				prefix string
				left   []string
			}{
				{below, "b/d", []string{"a", "a/b", "a/b/c", "a/keep", "a/keep/f", "a/link", "a/temporary", "ab", "ab/c", "other", "other/x"}},
				{st, "a", []string{"a", "a/keep", "a/keep/f", "a/link", "a/temporary", "ab", "ab/c", "other", "other/x"}},
				{st, "missing/x", []string{"a", "a/keep", "a/keep/f", "a/link", "a/temporary", "ab", "ab/c", "other", "other/x"}},
				{st, "a/keep/f/key", []string{"a", "a/keep", "a/keep/f", "a/link", "a/temporary", "ab", "ab/c", "other", "other/x"}},
				{st, "ab", []string{"a", "a/keep", "a/keep/f", "a/link", "a/temporary", "other", "other/x"}},
			} {
				succeed(t, store.RemoveFolders(t.Context(), c.st, c.prefix))
				if got := folders(t, root); !slices.Equal(got, c.left) {
					t.Errorf("after %q: %q", c.prefix, got)
				}
			}
			for _, f := range []string{"a/keep/f/key", "a/temporary/.zargo-tmp-1"} {
				if _, err := os.Stat(filepath.Join(root, f)); err != nil {
					t.Error(err)
				}
			}
			if err := store.RemoveFolders(t.Context(), st, ""); !errors.Is(err, fault.Path) {
				t.Errorf("all of the store: %v", err)
			}
		})
	}
	if err := store.RemoveFolders(t.Context(), mem.New(), "a"); err != nil {
		t.Errorf("where there are no folders: %v", err)
	}
}

// folders returns the directories below root, in order.
func folders(t *testing.T, root string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root {
			rel, _ := filepath.Rel(root, path)
			found = append(found, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
