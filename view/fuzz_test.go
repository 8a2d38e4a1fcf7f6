package view_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// FuzzKeys gets, plans and lists any key of a view. Only keys in the listing have values.
func FuzzKeys(f *testing.F) {
	st := mem.New()
	for i, spec := range []zarr.Spec{
		{Format: 2, Shape: []int{3, 4}, Chunks: []int{2, 2}}, {Format: 2, Shape: []int{3, 4}, Chunks: []int{2, 2}, Separator: "/"}, {Format: 2},
	} {
		spec.DType = dtype.Int8
		a := must(zarr.Create(f.Context(), st, string(rune('a'+i)), spec))
		if err := a.WriteBytes(f.Context(), bytes.Repeat([]byte{1}, a.Len())); err != nil {
			f.Fatal(err)
		}
	}
	var views []*view.Store
	for _, format := range []int{2, 3} {
		views = append(views, must(view.New(f.Context(), must(dataset.Open(f.Context(), st, "", dataset.Options{}, zarr.IgnoreConsolidated())), view.Options{Format: format, Fresh: time.Hour})))
	}
	for _, key := range []string{"a/0.0", "a/1.1", "a/c/0/0", "b/0/1", "c/0", "c/c", "a/zarr.json", ".zmetadata", "a/-1.0", "a/00.0", "a/99999999999999999999.0", "a/c/0/0/", "../a", "a\x00", "a/c/+0/0"} {
		f.Add(key, int64(0), int64(1), uint8(0))
	}
	f.Fuzz(func(t *testing.T, key string, off, n int64, what uint8) {
		for _, v := range views {
			o := store.GetOptions{}
			switch what % 4 {
			case 1:
				o.Range = store.Within(off, n)
			case 2:
				o.Range = store.From(off)
			case 3:
				o.Range = store.Suffix(n)
			}
			got, err := v.Get(t.Context(), key, o, nil)
			if err != nil && kindOf(err) == err.Error() {
				t.Errorf("%q: %v", key, err)
			}
			if _, bad := v.Plan(key); err == nil && bad != nil || errors.Is(bad, fault.Limit) {
				t.Errorf("%q: the plan is %v", key, bad)
			}
			listed := 0
			for e, err := range v.List(t.Context(), "", store.ListOptions{KeyPrefix: key}) {
				if err == nil && e.Key == key {
					listed++
				}
			}
			if err == nil && (listed != 1 || len(got.Bytes) == 0) {
				t.Errorf("%q has %d bytes and is listed %d times", key, len(got.Bytes), listed)
			}
		}
	})
}
