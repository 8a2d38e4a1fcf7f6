package dir_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// listComplete lists a store with Complete. It calls during at the first entry.
func listComplete(t *testing.T, s store.Store, during func()) (keys int, err error) {
	t.Helper()
	for _, err := range s.List(t.Context(), "a", store.ListOptions{Complete: true}) {
		if err != nil {
			return keys, err
		}
		if keys == 0 {
			during()
		}
		keys++
	}
	return keys, nil
}

func remove(t *testing.T, s store.Store, key string) {
	t.Helper()
	succeed(t, s.Delete(t.Context(), key, store.DeleteOptions{}))
}

// TestCompleteListing checks that a listing with Complete fails if a directory is changed during
// the listing or was changed just before it.
func TestCompleteListing(t *testing.T) {
	if !store.ListingsOf(dir.New(t.TempDir())).Proves {
		t.Skipf("%s does not prove absence by listings", runtime.GOOS)
	}
	changes := map[string]func(t *testing.T, root string, s store.Store){
		"nothing":  func(*testing.T, string, store.Store) {},
		"replaced": func(t *testing.T, _ string, s store.Store) { put(t, s, "a/c/0", "new") },
		"added":    func(t *testing.T, _ string, s store.Store) { put(t, s, "a/c/x", "new") },
		"removed":  func(t *testing.T, _ string, s store.Store) { remove(t, s, "a/c/1") },
		"removed, with the time": func(t *testing.T, root string, s store.Store) {
			c := filepath.Join(root, "a/c")
			fi, err := os.Stat(c)
			if err == nil {
				remove(t, s, "a/c/1")
				err = os.Chtimes(c, time.Time{}, fi.ModTime())
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range changes {
		for _, confined := range []bool{false, true} {
			root := t.TempDir()
			s := dir.New(root, dir.Confined(confined))
			for _, key := range []string{"a/zarr.json", "a/c/0", "a/c/1", "a/c/2"} {
				put(t, s, key, "old")
			}
			if _, err := listComplete(t, s, func() {}); !errors.Is(err, fault.Conflict) {
				t.Errorf("%s: just before the listing: %v", name, err)
			}
			time.Sleep(100 * time.Millisecond)
			n, err := listComplete(t, s, func() { change(t, root, s) })
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			if (err == nil) != (name == "nothing") || err == nil && n != 4 || err != nil && !errors.Is(err, fault.Conflict) {
				t.Errorf("%s: %d keys, %v", name, n, err)
			}
			if got := keys(t, s, "a", store.Deep); len(got) < 3 {
				t.Errorf("%s, without Complete: %q", name, got)
			}
		}
	}
}
