package pyramid_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestOutdatedLevels changes the array of a pyramid, and removes a level.
func TestOutdatedLevels(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		if _, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format}); err != nil {
			t.Fatal(err)
		}
		spec := zarr.Spec{Format: format, Shape: []int{4, 4}, Chunks: []int{2, 2}, DType: dtype.Int32, Fill: zarr.NoFill, Attrs: map[string]any{"_ARRAY_DIMENSIONS": []string{"y", "x"}}}
		if format == 3 {
			spec.Attrs, spec.Dims, spec.Fill = nil, []string{"y", "x"}, 0
		}
		a, err := zarr.Create(t.Context(), st, "g/a", spec)
		if err == nil {
			err = zarr.Write(t.Context(), a, slices.Repeat([]int32{1}, 16))
		}
		if err == nil {
			_, err = pyramid.Build(t.Context(), st, "g/a", pyramid.Options{Levels: 2})
		}
		if err != nil {
			t.Fatal(err)
		}
		outdated := func(step, want string) {
			t.Helper()
			var found []rule.Finding
			_, err := validate.Run(t.Context(), st, "", validate.Options{}, func(f rule.Finding) {
				if f.Rule == rule.OutdatedLevels {
					found = append(found, f)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || found[0].Path != "g" || found[0].Severity() != rule.Warning || !strings.Contains(found[0].Text, want)) {
				t.Errorf("v%d, %s: %+v", format, step, found)
			}
		}
		outdated("built", "")
		succeed(t, zarr.Write(t.Context(), a, []int32{7}, zarr.At(0), zarr.At(0)))
		outdated("after a write", `the levels of "g/a" are not current`)
		if _, err := pyramid.Build(t.Context(), st, "g/a", pyramid.Options{Levels: 2}); err != nil {
			t.Fatal(err)
		}
		outdated("built again", "")
		succeed(t, store.DeleteBelow(t.Context(), st, "g/1"))
		outdated("after the removal of a level", `the levels of "g/a" are not complete`)
	}
}
