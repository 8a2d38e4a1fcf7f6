package validate_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestHiddenByDeadCreator creates a v2 array while a creator of a v3 node is suspended between its
// look and its put, and then dies; see docs/adr/005-claim-first.md. The v2 array is hidden,
// complete, and reported. It is visible again after the v3 document was deleted.
func TestHiddenByDeadCreator(t *testing.T) {
	for _, group := range []bool{false, true} {
		st := mem.New()
		var met atomic.Bool
		dead := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
			switch {
			case met.Load():
				return ctx, fault.Unavailable
			case c.Op == store.OpPut && c.Key == "n/zarr.json":
				met.Store(true)
				a, err := zarr.Create(t.Context(), st, "n", zarr.Spec{Format: 2, Shape: []int{2}, DType: dtype.Int8})
				if err == nil {
					err = zarr.Write(t.Context(), a, []int8{1, 2})
				}
				if err != nil {
					t.Error(err)
				}
			}
			return ctx, nil
		}})
		var err error
		if group {
			_, err = zarr.CreateGroup(t.Context(), dead, "n", zarr.Spec{Format: 3})
		} else {
			_, err = zarr.Create(t.Context(), dead, "n", zarr.Spec{Format: 3, Shape: []int{3}, DType: dtype.Int8})
		}
		if err == nil {
			t.Error("the dead creator succeeds")
		}
		read := func(opts ...zarr.Option) ([]int8, error) {
			a, err := zarr.OpenArray(t.Context(), st, "n", opts...)
			if err != nil {
				return nil, err
			}
			return zarr.Read[int8](t.Context(), a)
		}
		if v, err := read(zarr.Format(2)); err != nil || !slices.Equal(v, []int8{1, 2}) {
			t.Errorf("the v2 array is %v, %v", v, err)
		}
		reported := slices.ContainsFunc(findings(t, st, false), func(f rule.Finding) bool {
			return f.Rule == rule.TwoFormats && f.Path == "n" && f.Severity() == rule.Warning
		})
		if !reported {
			t.Errorf("group %v: the two documents are not reported: %+v", group, findings(t, st, false))
		}
		succeed(t, st.Delete(t.Context(), "n/zarr.json", store.DeleteOptions{}))
		if v, err := read(); err != nil || !slices.Equal(v, []int8{1, 2}) {
			t.Errorf("after the deletion: %v, %v", v, err)
		}
	}
}

// TestTwoDocuments checks that each pair of documents that make one path a node is reported.
func TestTwoDocuments(t *testing.T) {
	const array, group = `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|i1","compressor":null,"filters":null,"fill_value":0,"order":"C"}`, `{"zarr_format":2}`
	for _, tt := range []struct {
		docs map[string]string
		want rule.Rule
	}{
		{map[string]string{"n/zarr.json": `{"zarr_format":3,"node_type":"group"}`, "n/.zgroup": group}, rule.TwoFormats},
		{map[string]string{"n/zarr.json": `{"zarr_format":3,"node_type":"group"}`, "n/.zarray": array}, rule.TwoFormats},
		{map[string]string{"n/.zarray": array, "n/.zgroup": group}, rule.ArrayAndGroup},
	} {
		st := mem.New()
		for key, doc := range tt.docs {
			if _, err := st.Put(t.Context(), key, []byte(doc), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		var found []rule.Finding
		if _, err := validate.Run(t.Context(), st, "n", validate.Options{}, func(f rule.Finding) { found = append(found, f) }); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(found, func(f rule.Finding) bool { return f.Rule == tt.want && f.Severity() == rule.Warning }) {
			t.Errorf("%v: %+v", tt.docs, found)
		}
	}
}
