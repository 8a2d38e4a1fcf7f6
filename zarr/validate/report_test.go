package validate_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/validate"
)

// TestReport checks that a run counts all of its requests, including those that no node makes.
func TestReport(t *testing.T) {
	st := mem.New()
	for _, format := range []int{2, 3} {
		path := string(rune('0' + format))
		g, err := zarr.CreateGroup(t.Context(), st, path, zarr.Spec{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		a, err := zarr.Create(t.Context(), st, path+"/a", zarr.Spec{Shape: []int{8}, Chunks: []int{2}, DType: dtype.Uint8, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, zarr.Write(t.Context(), a, []uint8{1, 2, 3, 4, 5, 6, 7, 8}))
		if _, err := g.Consolidate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := st.Put(t.Context(), "3/stray", []byte("x"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Put(t.Context(), "2/bad/.zarray", []byte("{"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"2", "3"} {
		var gets, lists atomic.Int64
		seen := store.Observe(st, func(_ context.Context, e store.Event) {
			switch e.Op {
			case store.OpGet:
				gets.Add(1)
			case store.OpList:
				lists.Add(1)
			}
		})
		var r zarr.Report
		o := validate.Options{Data: true, Open: []zarr.Option{zarr.WithReport(&r)}}
		if _, err := validate.Run(t.Context(), seen, path, o, func(rule.Finding) {}); err != nil {
			t.Fatal(err)
		}
		if r.Gets.Load() != gets.Load() || r.Lists.Load() != lists.Load() || lists.Load() == 0 {
			t.Errorf("%s: %d gets and %d listings are counted, %d and %d were made", path, r.Gets.Load(), r.Lists.Load(), gets.Load(), lists.Load())
		}
	}
}
