package follow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/attributes/follow"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func group(t *testing.T, st store.Store, path string, format int, attrs map[string]any) {
	t.Helper()
	must(zarr.CreateGroup(t.Context(), st, path, zarr.Spec{Format: format, Attrs: attrs}))
}

// TestAbove extends an array and checks the attributes of the groups above it: those that describe
// the extended elements, and of the others also those that only other arrays share.
func TestAbove(t *testing.T) {
	// By the convention, spatial:dimensions of a group describes only the arrays directly in it.
	grid := map[string]any{"spatial:dimensions": []any{"y", "x"}, "spatial:shape": []any{4, 4}, "spatial:transform": []any{1, 0, 0, 0, -1, 4}, "title": "t"}
	stac := map[string]any{"proj:shape": []any{4, 4}, "title": "t"}
	levels := map[string]any{"multiscales": map[string]any{"layout": []any{map[string]any{"asset": "a/b", "spatial:shape": []any{4, 4}, "spatial:transform": []any{1, 0, 0, 0, -1, 4}}}}, "spatial:dimensions": []any{"y", "x"}}
	for _, r := range []struct {
		name  string
		attrs map[string]any // of the group at path
		path  string
		other bool // another array of the grid does not change
		want  string
		drops []string
	}{
		{"statistics", map[string]any{"actual_range": []any{0, 1}, "STATISTICS_MEAN": 1, "title": "t"}, "", false, `map[title:t]`, []string{"/ STATISTICS_MEAN", "/ actual_range"}},
		{"statistics of the group between", map[string]any{"actual_range": []any{0, 1}}, "a", false, `map[]`, []string{"/a actual_range"}},
		{"statistics of the group", map[string]any{"actual_range": []any{0, 1}}, "a/b", false, `map[]`, []string{" actual_range"}},
		{"extent", map[string]any{"geospatial_lon_max": 4, "geospatial_lat_max": 4, "time_coverage_end": "2020"}, "", false, `map[time_coverage_end:2020]`, []string{"/ geospatial_lat_max", "/ geospatial_lon_max"}},
		{"grid", grid, "a/b", false, `map[spatial:dimensions:[y x] spatial:shape:[4 6] spatial:transform:[1 0 0 0 -1 4] title:t]`, nil},
		{"grid of others", grid, "a/b", true, `map[spatial:dimensions:[y x] title:t]`, []string{" spatial:shape", " spatial:transform"}},
		{"grid of the root", stac, "", false, `map[proj:shape:[4 6] title:t]`, nil},
		{"grid of the root and others", stac, "", true, `map[title:t]`, []string{"/ proj:shape"}},
		{"level", levels, "", false, `map[multiscales:map[layout:[map[asset:a/b spatial:shape:[4 6] spatial:transform:[1 0 0 0 -1 4]]]] spatial:dimensions:[y x]]`, nil},
	} {
		for _, format := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s/v%d", r.name, format), func(t *testing.T) {
				st := mem.New()
				for _, path := range []string{"", "a", "a/b"} {
					var attrs map[string]any
					if path == r.path {
						attrs = r.attrs
					}
					group(t, st, path, format, attrs)
				}
				spec := zarr.Spec{Format: format, Shape: []int{4, 4}, Chunks: []int{4, 4}, DType: dtype.Int8}
				if spec.Dims = []string{"y", "x"}; format == 2 {
					spec.Dims, spec.Attrs = nil, map[string]any{"_ARRAY_DIMENSIONS": []any{"y", "x"}}
				}
				a := must(zarr.Create(t.Context(), st, "a/b/v", spec))
				if r.other {
					must(zarr.Create(t.Context(), st, "a/b/w", spec))
				}
				must(must(zarr.OpenGroup(t.Context(), st, "")).Consolidate(t.Context()))
				a = must(a.Resize(t.Context(), []int{4, 6}, zarr.ResizeOptions{}))
				groups, unread, err := follow.Above(t.Context(), a)
				if err != nil || unread != nil {
					t.Fatal(unread, err)
				}
				got := must(follow.Attributes(t.Context(), groups, follow.Change{Array: a, Was: []int{4, 4}}))
				var drops []string
				for _, d := range got.Dropped {
					drops = append(drops, d.Path+" "+d.Name)
				}
				slices.Sort(drops)
				if !slices.Equal(drops, r.drops) {
					t.Errorf("dropped %q, want %q", drops, r.drops)
				}
				for _, opt := range [][]zarr.Option{nil, {zarr.IgnoreConsolidated()}} {
					root := must(zarr.OpenGroup(t.Context(), st, "", opt...))
					at := root
					if r.path != "" {
						at = must(root.OpenGroup(t.Context(), r.path))
					}
					if is := fmt.Sprint(at.Attrs()); is != r.want {
						t.Errorf("%d options: the attributes are\n%s\nwant\n%s", len(opt), is, r.want)
					}
				}
			})
		}
	}
}

// TestUnread checks groups above an array that cannot be read. A group that is refused may exist,
// and its error names it. A group that is absent has no attributes.
func TestUnread(t *testing.T) {
	for _, r := range []struct {
		name   string
		key    string
		err    error
		groups int
		unread []string
		fails  bool
	}{
		{"refused group", "a/b/zarr.json", fault.Refused, 2, []string{"a/b"}, false},
		{"refused group above", "a/zarr.json", fault.Refused, 2, []string{"a"}, false},
		{"refused root", "zarr.json", fault.Refused, 2, []string{"mem"}, false},
		{"absent group", "a/zarr.json", fault.NotFound, 2, nil, false},
		{"unavailable", "a/zarr.json", fault.Unavailable, 1, nil, true},
	} {
		t.Run(r.name, func(t *testing.T) {
			st := mem.New()
			for _, path := range []string{"", "a", "a/b"} {
				group(t, st, path, 3, map[string]any{"actual_range": []any{0, 1}})
			}
			must(zarr.Create(t.Context(), st, "a/b/v", zarr.Spec{Shape: []int{2}, Chunks: []int{2}, DType: dtype.Int8}))
			refusing := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if c.Key == r.key {
					return ctx, &fault.KeyError{Op: string(c.Op), Key: c.Key, Kind: r.err.(fault.Kind)}
				}
				return ctx, nil
			}})
			a := must(zarr.OpenArray(t.Context(), refusing, "a/b/v"))
			groups, unread, err := follow.Above(t.Context(), a)
			if len(groups) != r.groups || len(unread) != len(r.unread) || (err != nil) != r.fails || r.fails && !errors.Is(err, r.err) {
				t.Fatalf("%d groups, unread %v, %v", len(groups), unread, err)
			}
			for i, name := range r.unread {
				if !strings.Contains(unread[i].Error(), name) || !errors.Is(unread[i], r.err) {
					t.Errorf("%v does not name %s", unread[i], name)
				}
			}
		})
	}
}
