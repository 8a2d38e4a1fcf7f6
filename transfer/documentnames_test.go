package transfer_test

import (
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
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
