package transfer_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestUnaccounted checks that every key in a group of the source and of the target is accounted
// for, by listings of one level for each group.
func TestUnaccounted(t *testing.T) {
	for _, format := range []int{2, 3} {
		ctx := t.Context()
		w := newWorld(t, mem.New(), mem.New())
		g := must(zarr.CreateGroup(ctx, w.src, "in", zarr.Spec{Format: format, Attrs: map[string]any{"x": 1}}))
		spec := zarr.Spec{Format: format, Shape: []int{4}, Chunks: []int{1}, DType: dtype.Int8}
		check(t, zarr.Write(ctx, must(g.CreateArray(ctx, "a", spec)), []int8{1, 2, 3, 4}))
		must(g.CreateGroup(ctx, "sub", nil))
		must(zarr.Create(ctx, w.src, "in/sub/empty", zarr.Spec{Format: format, Shape: []int{0}, Chunks: []int{1}, DType: dtype.Int8}))
		for name, doc := range map[int]map[string]string{2: {".zarray": unknown()[2]["codec"]}, 3: {"zarr.json": unknown()[3]["codec"]}}[format] {
			must(w.src.Put(ctx, "in/unknown/"+name, []byte(doc), store.PutOptions{}))
			must(w.src.Put(ctx, "in/unknown/folder/x", nil, store.PutOptions{}))
		}
		p := w.plan(g, transfer.Options{Target: transfer.Place{Path: "out"}})
		w.run(p)
		check(t, transfer.Clean(ctx, p, w.open))
		look := func() (found []string, lists int64) {
			var count atomic.Int64
			open := func(ctx context.Context, name string) (store.Store, error) {
				st, err := w.open(ctx, name)
				return store.Observe(st, func(_ context.Context, e store.Event) {
					if e.Op == store.OpList {
						count.Add(1)
					} else {
						t.Errorf("%v of %q", e.Op, e.Key)
					}
				}), err
			}
			for _, u := range must(transfer.Unaccounted(ctx, p, open)) {
				found = append(found, fmt.Sprint(u.In, " ", u.Key, " ", u.Node, " ", u.Absent))
			}
			return found, count.Load()
		}
		if found, lists := look(); len(found) > 0 || lists != 4 {
			t.Errorf("v%d: %q, %d listings", format, found, lists)
		}
		must(zarr.Create(ctx, w.src, "in/sub/late", spec))
		must(zarr.CreateGroup(ctx, w.src, "in/hidden", zarr.Spec{Format: format}))
		must(zarr.Create(ctx, w.dst, "out/more", spec))
		for _, key := range []string{"in/README", "in/folder/x", "in/sub/.DS_Store", "in/__zargo_x/y"} {
			must(w.src.Put(ctx, key, nil, store.PutOptions{}))
		}
		must(w.src.Put(ctx, "in/implied/z/.zarray", nil, store.PutOptions{}))
		check(t, store.DeleteBelow(ctx, w.dst, "out/sub/empty"))
		check(t, store.DeleteBelow(ctx, w.src, "in/a"))
		want := []string{
			"source README false false", "source a true true", "source folder false false", "source hidden true false", "source implied/z true false", "source sub/late true false",
			"target more true false", "target sub/empty true true",
		}
		found, _ := look()
		if slices.Sort(found); !slices.Equal(found, want) {
			t.Errorf("v%d: %q", format, found)
		}
		for _, hide := range []error{fault.Refused, fmt.Errorf("no listings")} {
			all, err := transfer.Unaccounted(ctx, p, func(ctx context.Context, name string) (store.Store, error) {
				st, err := w.open(ctx, name)
				return unlistable{st, hide}, err
			})
			if refused := hide == fault.Refused; refused != (err == nil) || refused && (len(all) != 2 || all[0].Key != "" || !strings.Contains(all[0].Why, "not accounted")) {
				t.Errorf("%v: %v, %v", hide, all, err)
			}
		}
	}
}

// unlistable is a store whose listings fail.
type unlistable struct {
	store.Store
	err error
}

func (u unlistable) List(context.Context, string, store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, u.err) }
}

func ExampleUnaccounted() {
	ctx, st := context.Background(), mem.New()
	g := must(zarr.CreateGroup(ctx, st, "a", zarr.Spec{}))
	here := transfer.Place{Store: "example"}
	plan := must(transfer.NewPlan(ctx, g, st, transfer.Options{Source: here, Target: transfer.Place{Store: here.Store, Path: "b"}}))
	open := func(context.Context, string) (store.Store, error) { return st, nil }
	if err := transfer.Run(ctx, plan, open, transfer.RunOptions{}); err != nil {
		fmt.Println(err)
	}
	must(g.CreateGroup(ctx, "late", nil))
	for _, u := range must(transfer.Unaccounted(ctx, plan, open)) {
		fmt.Println(u.In, u.Key, u.Node)
	}
	// Output:
	// source late true
}
