package validate_test

import (
	"fmt"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestDocumentNames checks that a node with the name of a metadata document is reported. zarr-python
// creates such nodes, and copies refuse them.
func TestDocumentNames(t *testing.T) {
	for _, tt := range []struct {
		name   string
		format int
		bad    bool
	}{
		{".zarray", 2, true}, {".zgroup", 2, true}, {".zattrs", 2, true}, {".zmetadata", 2, true}, {"zarr.json", 2, false},
		{"zarr.json", 3, true}, {".zattrs", 3, false}, {"__x", 3, false}, {"...", 3, false}, {"a\nb", 3, false},
	} {
		t.Run(fmt.Sprint(tt.name, tt.format), func(t *testing.T) {
			from, st := mem.New(), mem.New()
			spec := zarr.Spec{Format: tt.format}
			if _, err := zarr.CreateGroup(t.Context(), from, "n", spec); err != nil {
				t.Fatal(err)
			}
			if _, err := zarr.CreateGroup(t.Context(), st, "", spec); err != nil {
				t.Fatal(err)
			}
			for e, err := range store.Pages(t.Context(), from, "n", store.ListOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				v, err := from.Get(t.Context(), e.Key, store.GetOptions{}, nil)
				if err == nil {
					_, err = st.Put(t.Context(), tt.name+e.Key[len("n"):], v.Bytes, store.PutOptions{})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			var found []rule.Finding
			r, err := validate.Run(t.Context(), st, "", validate.Options{}, func(f rule.Finding) { found = append(found, f) })
			if err != nil || r.Nodes != 2 {
				t.Fatalf("%+v: %v", r, err)
			}
			if bad := len(found) == 1 && found[0].Rule == rule.Path && found[0].Path == tt.name; bad != tt.bad || len(found) > 1 {
				t.Errorf("%v", found)
			}
		})
	}
}
