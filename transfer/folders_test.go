package transfer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestCleanFolders checks that Clean removes all files and folders of a transfer in a directory,
// and no other folder.
func TestCleanFolders(t *testing.T) {
	root := t.TempDir()
	w := newWorld(t, mem.New(), dir.New(root))
	a := maps16(t, w, 1024)
	p := w.plan(a, series(transfer.Options{Target: transfer.Place{Path: "out/a"}}))
	check(t, transfer.Save(t.Context(), w.dst, p))
	w.run(p)
	work := filepath.Join(root, "out", "a", "__zargo_transfer")
	for _, f := range []string{"../claim", "done/0", "tmp/0/zarr.json", "tmp/0/c"} {
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
	check(t, transfer.Clean(t.Context(), p, open)) // is a no-op the second time

	// Simulate a Clean that was killed before it removed the directories.
	check(t, os.MkdirAll(filepath.Join(work, p.ID()), 0o777))
	if _, err := transfer.Saved(t.Context(), dir.New(root), "out/a"); !errors.Is(err, fault.NotFound) {
		t.Errorf("after Clean: %v", err)
	}
	if _, err := os.Stat(work); !os.IsNotExist(err) {
		t.Errorf("after Saved: %v", err)
	}
}

// TestCleanRemnants checks that Clean removes temporary files of killed writers in the directory of
// the transfer, and no others.
func TestCleanRemnants(t *testing.T) {
	for _, below := range []string{"", "out/a"} {
		root := t.TempDir()
		st := must(store.Prefix(dir.New(root), below))
		w := newWorld(t, mem.New(), st)
		a := maps16(t, w, 8)
		p := w.plan(a, transfer.Options{Target: transfer.Place{Path: "t"}, Codecs: []codec.Spec{codec.Gzip(1)}})
		w.run(p)
		target := filepath.Join(root, filepath.FromSlash(below), "t")
		work := filepath.Join(target, "__zargo_transfer")
		for _, folder := range []string{work, filepath.Join(work, p.ID()), filepath.Join(work, p.ID(), "done", "0"), filepath.Join(work, p.ID(), "tmp", "0"), target} {
			check(t, os.MkdirAll(folder, 0o777))
			check(t, os.WriteFile(filepath.Join(folder, ".zargo-tmp-0123456789abcdef"), nil, 0o666))
		}
		open := func(context.Context, string) (store.Store, error) { return st, nil }
		check(t, transfer.Clean(t.Context(), p, open))
		if _, err := os.Stat(work); !os.IsNotExist(err) {
			t.Errorf("%q: after Clean: %v", below, err)
		}
		if _, err := os.Stat(filepath.Join(target, ".zargo-tmp-0123456789abcdef")); err != nil {
			t.Errorf("%q: beside the chunks: %v", below, err)
		}
		equal(t, a, must(zarr.OpenArray(t.Context(), w.dst, "t")))
	}
}
