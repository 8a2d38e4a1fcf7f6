package pyramid_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestRequests checks the requests of a first build of two levels: of the 16 chunks of the source,
// the 4 of the first level and the one of the second. The build reads the first level only if its
// values were not kept.
func TestRequests(t *testing.T) {
	// Documents: the array, whose format is not known yet (3), and its group; absent coordinates
	// and spatial_ref (9); the state before and at the end; absent documents of the levels after
	// the state is put (2), and of each group of a level before it is put (3) and after it (2). A
	// listing proves that the documents of the levels are absent before the state is put.
	documents := 3 + 1 + 9 + 2 + 2 + 2*(3+2)
	for name, test := range map[string]struct {
		memory int64
		chunks int
		proof  store.Listings
		looks  int // at documents of levels that no listing proves to be absent
	}{
		"kept":           {0, 16, store.Listings{Complete: true}, 0},
		"without memory": {16, 16 + 4, store.Listings{Complete: true}, 0},
		"without proof":  {0, 16, store.Listings{}, 2 * 4},
	} {
		t.Run(name, func(t *testing.T) {
			st := mem.New()
			image(t, st, "g/a", zarr.Spec{Shape: []int{16, 16}, Chunks: []int{4, 4}, Dims: []string{"y", "x"}})
			var mu sync.Mutex
			n := map[string]int{}
			listing := store.Around(st, store.Hooks{Provide: func(target any) bool {
				l, ok := target.(*store.Listings)
				if ok {
					*l = test.proof
				}
				return ok
			}})
			seen := store.Observe(listing, func(_ context.Context, e store.Event) {
				mu.Lock()
				defer mu.Unlock()
				if what := string(e.Op); strings.Contains(e.Key, "/c/") {
					n[what+" chunk"]++
				} else {
					n[what]++
				}
			})
			build(t, seen, "g/a", pyramid.Options{Levels: 2, Memory: test.memory})
			want := map[string]int{
				"get chunk": test.chunks, "put chunk": 4 + 1, "get": documents + test.looks,
				"put":  2 + 2*2 + 1, // the state twice, the documents of each level, and the attributes of the group
				"list": 2 + 2*2,     // the source and each level, before and after
			}
			if got := fmt.Sprint(n); got != fmt.Sprint(want) {
				t.Errorf("%s\nwant %v", got, want)
			}
		})
	}
}

// TestGroupChangedDuringBuild changes the attributes of the group during a build, which has read
// them before.
func TestGroupChangedDuringBuild(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		if _, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format, Attrs: map[string]any{"title": "old"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := zarr.Create(t.Context(), st, "g/a", zarr.Spec{Format: format, Shape: []int{8, 8}, Chunks: []int{4, 4}, DType: dtype.Int32, Fill: 1}); err != nil {
			t.Fatal(err)
		}
		changing := gated(st, &gate{ops: []store.Op{store.OpPut}, prefix: "g/2/a", run: func() error {
			g, err := zarr.OpenGroup(t.Context(), st, "g")
			if err == nil {
				_, err = g.SetAttrs(t.Context(), map[string]any{"title": "new"})
			}
			return err
		}})
		build(t, changing, "g/a", pyramid.Options{Levels: 2})
		g, err := zarr.OpenGroup(t.Context(), st, "g")
		if err != nil {
			t.Fatal(err)
		}
		if g.Attrs()["title"] != "new" || g.Attrs()["multiscales"] == nil {
			t.Errorf("v%d: the group has the attributes %v", format, g.Attrs())
		}
		if s, err := pyramid.StatusOf(t.Context(), st, path.Join("g", "a")); err != nil || s != pyramid.Current {
			t.Errorf("v%d: %v, %v", format, s, err)
		}
	}
}

// TestGroupRemovedDuringBuild removes the group during a build. The build does not describe the
// levels in a new group.
func TestGroupRemovedDuringBuild(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		if _, err := zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{Format: format}); err != nil {
			t.Fatal(err)
		}
		if _, err := zarr.Create(t.Context(), st, "g/a", zarr.Spec{Format: format, Shape: []int{8, 8}, Chunks: []int{4, 4}, DType: dtype.Int32, Fill: 1}); err != nil {
			t.Fatal(err)
		}
		removing := gated(st, &gate{ops: []store.Op{store.OpPut}, prefix: "g/2/a/", run: func() error {
			remove(t, st, "g/z")
			remove(t, st, "g/.z")
			return nil
		}})
		if _, err := pyramid.Build(t.Context(), removing, "g/a", pyramid.Options{Levels: 2}); err == nil {
			t.Errorf("v%d: no error", format)
		}
		if n, err := zarr.Open(t.Context(), st, "g"); err == nil {
			t.Errorf("v%d: the build has stored %v", format, n)
		}
	}
}
