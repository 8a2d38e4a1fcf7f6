package upkeep_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// linkedArray creates an array of eight chunks, which are stored in another directory behind a
// symbolic link.
func linkedArray(t *testing.T) (st *dir.Store, a *zarr.Array, root, chunks string) {
	t.Helper()
	root, chunks = t.TempDir(), t.TempDir()
	st = dir.New(root)
	a, err := zarr.Create(t.Context(), st, "x", zarr.Spec{Shape: []int{8}, Chunks: []int{1}, DType: dtype.Int8})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(chunks, filepath.Join(root, "x/c")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	check(t, zarr.Write(t.Context(), a, []int8{1, 2, 3, 4, 5, 6, 7, 8}))
	return st, a, root, chunks
}

func files(t *testing.T, folder string) int {
	t.Helper()
	names, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// TestResizeFollowsNoLink checks that a resize that would delete chunks behind a link is refused
// and deletes none, and that a resize with MetadataOnly succeeds.
func TestResizeFollowsNoLink(t *testing.T) {
	_, a, _, chunks := linkedArray(t)
	if _, err := a.Resize(t.Context(), []int{4}, zarr.ResizeOptions{}); !errors.Is(err, fault.Refused) {
		t.Errorf("want refused, got %v", err)
	}
	if n := files(t, chunks); n != 8 {
		t.Errorf("%d chunks stay", n)
	}
	now, err := a.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := now.Resize(t.Context(), []int{2}, zarr.ResizeOptions{MetadataOnly: true}); err != nil {
		t.Error(err)
	}
	if n := files(t, chunks); n != 8 {
		t.Errorf("%d chunks stay", n)
	}
}

// TestOrphansBehindLinksStay checks that orphans behind links are counted, and that Delete keeps
// them.
func TestOrphansBehindLinksStay(t *testing.T) {
	_, a, _, chunks := linkedArray(t)
	a, err := a.Resize(t.Context(), []int{4}, zarr.ResizeOptions{MetadataOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	o, err := upkeep.FindOrphans(t.Context(), a)
	if err != nil || o.Beyond != 0 || o.Linked != 4 {
		t.Fatalf("%+v, %v", o, err)
	}
	if err := o.Delete(t.Context()); err != nil {
		t.Error(err)
	}
	if n := files(t, chunks); n != 8 {
		t.Errorf("%d chunks stay", n)
	}
}

// TestReplaceFollowsNoLink checks that the link to the chunks is removed, so that the new array
// does not read them, and that the chunks remain.
func TestReplaceFollowsNoLink(t *testing.T) {
	st, a, root, chunks := linkedArray(t)
	spec := a.Spec()
	b, err := zarr.Replace(t.Context(), st, "x", spec)
	if err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[int8](t.Context(), b)
	if err != nil || !slices.Equal(got, make([]int8, 8)) {
		t.Errorf("%v, %v", got, err)
	}
	if n := files(t, chunks); n != 8 {
		t.Errorf("%d chunks stay", n)
	}
	if _, err := os.Lstat(filepath.Join(root, "x/c")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link stays: %v", err)
	}
}

// TestWriteThroughLinks checks that a write of fill values deletes chunks behind a link.
func TestWriteThroughLinks(t *testing.T) {
	_, a, _, chunks := linkedArray(t)
	check(t, zarr.Write(t.Context(), a, make([]int8, 8)))
	if n := files(t, chunks); n != 0 {
		t.Errorf("%d chunks stay", n)
	}
}
