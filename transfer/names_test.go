package transfer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/meta"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestDocumentsOfOtherFormats copies groups whose members have the names of documents of the other
// format. In a directory such a member is a directory, so the key of the document has no value.
func TestDocumentsOfOtherFormats(t *testing.T) {
	for format, names := range map[int][]string{2: {"zarr.json"}, 3: {".zarray", ".zgroup", ".zattrs", ".zmetadata"}} {
		for _, name := range names {
			for _, of := range []string{name, "sub/" + name, name + "/" + name} {
				t.Run(fmt.Sprint(format, of), func(t *testing.T) {
					w := newWorld(t, dir.New(t.TempDir()), dir.New(t.TempDir()))
					ctx := node.Copying(t.Context())
					for _, group := range []string{"in", "in/sub", "in/deep/" + name} {
						must(zarr.CreateGroup(ctx, w.src, group, zarr.Spec{Format: format}))
					}
					a := must(zarr.Create(ctx, w.src, "in/"+of, zarr.Spec{Format: format, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int8}))
					check(t, zarr.Write(t.Context(), a, []int8{1, 2, 3, 4}))
					w.run(w.plan(must(zarr.OpenGroup(t.Context(), w.src, "in")), transfer.Options{Target: transfer.Place{Path: "out"}}))
					same(t, must(zarr.OpenGroup(t.Context(), w.src, "in")), must(zarr.OpenGroup(t.Context(), w.dst, "out")))
				})
			}
		}
	}
}

// TestEmptyNames checks that a copy distinguishes an empty dimension name, which TensorStore
// writes, from an absent one. xarray reads them as "" and None.
func TestEmptyNames(t *testing.T) {
	for _, names := range []string{`["",null]`, `["x",""]`, `["",""]`, `[null,null]`, `["x",null]`} {
		t.Run(names, func(t *testing.T) {
			w := newWorld(t, mem.New(), mem.New())
			must(zarr.CreateGroup(t.Context(), w.src, "", zarr.Spec{}))
			must(zarr.Create(t.Context(), w.src, "a", zarr.Spec{Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Int8, Dims: []string{"", ""}, Attrs: map[string]any{"n": 1}}))
			v := must(w.src.Get(t.Context(), "a/zarr.json", store.GetOptions{}, nil))
			doc := must(meta.Edit("a/zarr.json", v.Bytes, map[string]json.RawMessage{"dimension_names": json.RawMessage(names)}))
			must(w.src.Put(t.Context(), "a/zarr.json", doc, store.PutOptions{}))
			w.run(w.plan(must(zarr.OpenGroup(t.Context(), w.src, "")), transfer.Options{Target: transfer.Place{Path: "b"}}))
			v = must(w.dst.Get(t.Context(), "b/a/zarr.json", store.GetOptions{}, nil))
			if text := strings.Join(strings.Fields(string(v.Bytes)), ""); !strings.Contains(text, `"dimension_names":`+names) {
				t.Errorf("%s", v.Bytes)
			}
		})
	}
}

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
