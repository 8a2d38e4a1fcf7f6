package upkeep_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

func TestRemove(t *testing.T) {
	ctx := t.Context()
	st := mem.New()
	for _, path := range []string{"g", "g/sub"} {
		if _, err := zarr.CreateGroup(ctx, st, path, zarr.Spec{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"g/a", "g/sub/b", "gx"} {
		a, err := zarr.Create(ctx, st, path, zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32})
		if err == nil {
			err = zarr.Write(ctx, a, []int32{1, 2, 3, 4})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := st.Put(ctx, "g/notes.txt", []byte("x"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	var deleted []string
	seen := store.Observe(st, func(_ context.Context, e store.Event) {
		if e.Op == store.OpDelete {
			deleted = append(deleted, fmt.Sprint(e.Key, "×", e.Count))
		}
	})
	n, err := zarr.Open(ctx, seen, "g")
	if err != nil {
		t.Fatal(err)
	}
	r, err := upkeep.PlanRemove(ctx, n, upkeep.RemoveOptions{})
	if err != nil || r.Objects != 9 || r.Requests != 4 || r.Bytes == 0 || r.Unsized != 0 || len(deleted) != 0 {
		t.Fatalf("%+v, %v, deleted %q", r, err, deleted)
	}
	check(t, r.Run(ctx))
	if len(deleted) != 4 || deleted[3] != "g/__zargo_rm×1" || deleted[0] != "g/zarr.json×1" || deleted[1] != "g/a/zarr.json×3" {
		t.Errorf("deleted %q", deleted)
	}
	var left []string
	for e, err := range st.List(ctx, "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, e.Key)
	}
	if slices.Sort(left); !slices.Equal(left, []string{"gx/c/0", "gx/c/1", "gx/zarr.json", "zarr.json"}) {
		t.Errorf("left %q", left)
	}
}

func ExamplePlanRemove() {
	ctx := context.Background()
	st := mem.New()
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int32})
	if err == nil {
		err = zarr.Write(ctx, a, []int32{1, 2, 3, 4})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := upkeep.PlanRemove(ctx, a, upkeep.RemoveOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Objects, "objects,", r.Requests, "requests")
	fmt.Println(r.Run(ctx))
	_, err = zarr.Open(ctx, st, "t2m")
	fmt.Println(err)
	// Output:
	// 3 objects, 3 requests
	// <nil>
	// zarr: "t2m" in mem://: not found: no array or group here
}
