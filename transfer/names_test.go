package transfer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
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

// TestEmptyNames checks that a copy distinguishes an empty dimension name, which TensorStore writes,
// from an absent one. xarray reads them as "" and None.
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
