package validate_test

import (
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestConventions checks the key and the pointer of findings about attributes of conventions, and
// that an entry that two packages check is reported once.
func TestConventions(t *testing.T) {
	for format, want := range map[int][]string{
		2: {
			".zattrs/multiscales/layout/0/asset", ".zattrs/zarr_conventions/0",
			"red/.zattrs/proj:code", "red/.zattrs/spatial:dimensions/1", "red/.zattrs/spatial:dimensions", "red/.zattrs/proj:code",
		},
		3: {
			"zarr.json/attributes/multiscales/layout/0/asset", "zarr.json/attributes/zarr_conventions/0",
			"red/zarr.json/attributes/proj:code", "red/zarr.json/attributes/spatial:dimensions/1", "red/zarr.json/attributes/spatial:dimensions",
			"red/zarr.json/attributes/proj:code",
		},
	} {
		st := mem.New()
		g, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format, Attrs: map[string]any{
			"multiscales":      map[string]any{"layout": []any{map[string]any{"asset": "../red"}}},
			"zarr_conventions": []any{7, map[string]any{"uuid": "d35379db-88df-4056-af3a-620245f8e347"}},
		}})
		attrs, dims := map[string]any{"proj:code": "4326", "spatial:dimensions": []any{"y", "lon"}}, []string{"y", "x"}
		if format == 2 {
			attrs["_ARRAY_DIMENSIONS"], dims = []any{"y", "x"}, nil
		}
		if err == nil {
			_, err = g.CreateArray(t.Context(), "red", zarr.Spec{Shape: []int{2, 2}, DType: dtype.Uint8, Dims: dims, Attrs: attrs})
		}
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, f := range findings(t, st, false) {
			if f.Rule != rule.Convention || f.Severity() != rule.Note || f.Text == "" {
				t.Errorf("v%d: %+v", format, f)
			}
			got[f.Key+f.Pointer]++
		}
		for _, at := range want {
			if got[at]--; got[at] == 0 {
				delete(got, at)
			}
		}
		if len(got) != 0 {
			t.Errorf("v%d: findings at %s", format, strings.Join(want, " "))
			for at, n := range got {
				t.Errorf("%d more at %s", n, at)
			}
		}
	}
}
