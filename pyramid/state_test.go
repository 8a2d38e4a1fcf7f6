package pyramid_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// set sets all elements of the array a.
func set(t *testing.T, st store.Store, value int32) {
	t.Helper()
	a := array(t, st, "a")
	succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int32{value}, a.Len())))
}

// elementsOf returns the distinct elements of the levels 1 to n.
func elementsOf(t *testing.T, st store.Store, n int) string {
	t.Helper()
	seen := map[int32]bool{}
	for level := range n {
		values, err := zarr.Read[int32](t.Context(), array(t, st, fmt.Sprintf("%d/a", level+1)))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			seen[v] = true
		}
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(seen)))
}

func remove(t *testing.T, st store.Store, prefix string) {
	t.Helper()
	for key := range contents(t, st) {
		if strings.HasPrefix(key, prefix) {
			succeed(t, st.Delete(t.Context(), key, store.DeleteOptions{}))
		}
	}
}

func status(t *testing.T, st store.Store, want pyramid.Status) {
	t.Helper()
	if got, err := pyramid.StatusOf(t.Context(), st, "a"); err != nil || got != want {
		t.Errorf("the status is %v, %v, want %v", got, err, want)
	}
}

// TestChangedSource changes the source of a pyramid and builds it again.
func TestChangedSource(t *testing.T) {
	for name, open := range map[string]func(*testing.T) store.Store{
		"mem": func(*testing.T) store.Store { return mem.New() },
		"dir": func(t *testing.T) store.Store { return dir.New(t.TempDir()) },
	} {
		for form, spec := range map[string]zarr.Spec{"chunks": small(), "shards": sharded()} {
			t.Run(name+"/"+form, func(t *testing.T) {
				st := open(t)
				image(t, st, "a", spec)
				image(t, st, "x", zarr.Spec{Shape: spec.Shape[1:], Dims: []string{"x"}})
				status(t, st, pyramid.Unknown)
				set(t, st, 1)
				build(t, st, "a", pyramid.Options{Levels: 3})
				status(t, st, pyramid.Current)
				set(t, st, 2)
				status(t, st, pyramid.Outdated)
				build(t, st, "a", pyramid.Options{Levels: 3})
				if got := elementsOf(t, st, 3); got != "[2]" {
					t.Errorf("after a change the levels contain %s", got)
				}
				status(t, st, pyramid.Current)

				// The documented way to compute the levels again.
				set(t, st, 3)
				remove(t, st, "1/")
				status(t, st, pyramid.Incomplete)
				build(t, st, "a", pyramid.Options{Levels: 3})
				if got := elementsOf(t, st, 3); got != "[3]" {
					t.Errorf("after the removal of level 1 the levels contain %s", got)
				}

				// The same for a pyramid without a state, as earlier versions and copies have.
				set(t, st, 4)
				remove(t, st, "1/")
				succeed(t, st.Delete(t.Context(), "__zargo_pyramid/a.json", store.DeleteOptions{}))
				build(t, st, "a", pyramid.Options{Levels: 3})
				if got := elementsOf(t, st, 3); got != "[4]" {
					t.Errorf("without a state the levels contain %s", got)
				}
				status(t, st, pyramid.Current)

				// A change of a coordinate changes the coordinates of the levels.
				succeed(t, zarr.Write(t.Context(), array(t, st, "x"), make([]int32, spec.Shape[1])))
				status(t, st, pyramid.Outdated)
				build(t, st, "a", pyramid.Options{Levels: 3})
				if x, err := zarr.ReadAs[float64](t.Context(), array(t, st, "2/x")); err != nil || slices.Max(x) != 0 {
					t.Errorf("the coordinate of level 2 is %v, %v", x, err)
				}

				// More rows: the levels have other shapes.
				if _, err := zarr.Append(t.Context(), array(t, st, "a"), 0, slices.Repeat([]int32{4}, 9*spec.Shape[1]), zarr.AppendOptions{}); err != nil {
					t.Fatal(err)
				}
				if _, err := pyramid.Build(t.Context(), st, "a", pyramid.Options{Levels: 2}); !errors.Is(err, fault.Selection) {
					t.Errorf("fewer levels of a changed array: %v", err)
				}
				levels := build(t, st, "a", pyramid.Options{Levels: 3})
				if got := array(t, st, "1/a").Shape(); !slices.Equal(got, levels[1].Shape) || got[0] != (spec.Shape[0]+9+1)/2 {
					t.Errorf("level 1 has the shape %v", got)
				}
				if got := elementsOf(t, st, 3); got != "[4]" {
					t.Errorf("after an append the levels contain %s", got)
				}
				status(t, st, pyramid.Current)
			})
		}
	}
}

// changing is a store that calls change once, before a put of a chunk of a level.
type changing struct {
	store.Forward
	change func()
	left   atomic.Int64
}

func (c *changing) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	if strings.Contains(key, "/a/c/") && c.left.Add(-1) == 0 {
		c.change()
	}
	return c.Forward.Put(ctx, key, value, o)
}

func (c *changing) PutParts(context.Context, string, store.PartsOptions) (store.Parts, error) {
	return nil, errors.ErrUnsupported
}

// TestSourceChangesDuringBuild changes the source before each put of a chunk, in a build that ends
// and in one that is interrupted there. The build fails, and the next one has no elements of the
// old source.
func TestSourceChangesDuringBuild(t *testing.T) {
	for _, interrupt := range []bool{false, true} {
		for puts := int64(1); ; puts++ {
			st := mem.New()
			image(t, st, "a", small())
			set(t, st, 1)
			ctx, cancel := context.WithCancel(t.Context())
			during := &changing{Forward: store.Forward{Store: st}}
			during.left.Store(puts)
			during.change = func() {
				set(t, st, 2)
				if interrupt {
					cancel()
				}
			}
			_, err := pyramid.Build(ctx, during, "a", pyramid.Options{Levels: 2})
			cancel()
			if during.left.Load() > 0 {
				break
			}
			if want := map[bool]error{false: fault.Conflict, true: context.Canceled}[interrupt]; !errors.Is(err, want) {
				t.Fatalf("after a change before put %d: %v", puts, err)
			}
			g, err := zarr.OpenGroup(t.Context(), st, "")
			if err != nil || g.Attrs()["multiscales"] != nil {
				t.Fatalf("the group has the attributes %v, %v", g.Attrs(), err)
			}
			status(t, st, pyramid.Incomplete)
			build(t, st, "a", pyramid.Options{Levels: 2})
			if got := elementsOf(t, st, 2); got != "[2]" {
				t.Fatalf("after a change before put %d the levels contain %s", puts, got)
			}
			status(t, st, pyramid.Current)
		}
	}
}

// TestRelatedVariables checks the variables of the levels, their attributes and their elements.
func TestRelatedVariables(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		if _, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format, Attrs: map[string]any{"proj:code": "EPSG:4326", "title": "x"}}); err != nil {
			t.Fatal(err)
		}
		create := func(name string, dims []string, shape []int, values []float64, attrs map[string]any) {
			t.Helper()
			spec := zarr.Spec{Format: format, Shape: shape, DType: dtype.Float64, Dims: dims, Attrs: attrs}
			if format == 2 {
				spec.Fill = zarr.NoFill
				if spec.Dims, spec.Attrs = nil, maps.Clone(attrs); spec.Attrs == nil {
					spec.Attrs = map[string]any{}
				}
				spec.Attrs["_ARRAY_DIMENSIONS"] = dims
			}
			a, err := zarr.Create(t.Context(), st, name, spec)
			if err == nil {
				err = zarr.Write(t.Context(), a, values)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		square := make([]float64, 16)
		for i := range square {
			square[i] = float64(i)
		}
		yx := []string{"y", "x"}
		create("t", yx, []int{4, 4}, square, map[string]any{
			"grid_mapping": "spatial_ref", "coordinates": "lon gone", "ancillary_variables": "flag", "cell_measures": "area: gone",
			"actual_range": []any{0., 15.}, "spatial:transform": []any{1., 0., 0., 0., -1., 4.}, "spatial:dimensions": []any{"y", "x"},
		})
		create("y", []string{"y"}, []int{4}, []float64{3.5, 2.5, 1.5, .5}, map[string]any{"bounds": "y_bnds"})
		create("x", []string{"x"}, []int{4}, []float64{.5, 1.5, 2.5, 3.5}, nil)
		create("y_bnds", []string{"y", "nv"}, []int{4, 2}, []float64{4, 3, 3, 2, 2, 1, 1, 0}, nil)
		create("lon", yx, []int{4, 4}, square, nil)
		create("flag", yx, []int{4, 4}, square, map[string]any{"flag_values": []any{0., 1.}})
		create("spatial_ref", []string{}, []int{}, []float64{0}, map[string]any{"GeoTransform": "0.0 1.0 0.0 4.0 0.0 -1.0", "crs_wkt": `GEOGCS["WGS 84"]`})
		var dropped []string
		build(t, st, "t", pyramid.Options{Levels: 2, Dropped: func(path, what string) { dropped = append(dropped, path+": "+what) }})
		for path, want := range map[string]string{
			"1/y": "[3 1]", "1/x": "[1 3]", "1/y_bnds": "[4 2 2 0]", "2/y_bnds": "[4 0]", "1/lon": "[2.5 4.5 10.5 12.5]", "1/flag": "[0 2 8 10]", "2/flag": "[0]", "2/spatial_ref": "[0]",
		} {
			if got, err := zarr.Read[float64](t.Context(), array(t, st, path)); err != nil || fmt.Sprint(got) != want {
				t.Errorf("v%d: %s is %v, %v, want %s", format, path, got, err, want)
			}
		}
		for path, want := range map[string]string{
			"1/t":           "map[ancillary_variables:flag coordinates:lon grid_mapping:spatial_ref spatial:dimensions:[y x] spatial:transform:[2 0 0 0 -2 4]]",
			"2/spatial_ref": "map[GeoTransform:0.0 4.0 0.0 4.0 0.0 -4.0 crs_wkt:GEOGCS[\"WGS 84\"]]",
			"1/y":           "map[bounds:y_bnds]",
		} {
			attrs := array(t, st, path).Attrs()
			delete(attrs, "_ARRAY_DIMENSIONS")
			if got := fmt.Sprint(attrs); got != want {
				t.Errorf("v%d: %s has the attributes %s, want %s", format, path, got, want)
			}
		}
		g, err := zarr.OpenGroup(t.Context(), st, "1")
		if err != nil || fmt.Sprint(g.Attrs()) != "map[proj:code:EPSG:4326]" {
			t.Errorf("v%d: the group of level 1 has the attributes %v, %v", format, g.Attrs(), err)
		}
		if text := fmt.Sprint(dropped); !strings.Contains(text, "actual_range") || !strings.Contains(text, "coordinates") || !strings.Contains(text, "cell_measures") {
			t.Errorf("v%d: the dropped attributes are %s", format, text)
		}
	}
}

// TestLateRequests stores objects of an earlier version of the source in a level: during a build
// and after it, as late requests of an interrupted build do. The levels are then not current, and
// the next build computes them again.
func TestLateRequests(t *testing.T) {
	for form, spec := range map[string]zarr.Spec{"chunks": small(), "shards": sharded()} {
		t.Run(form, func(t *testing.T) {
			st := mem.New()
			image(t, st, "a", spec)
			set(t, st, 1)
			build(t, st, "a", pyramid.Options{Levels: 2})
			late, err := st.Get(t.Context(), "1/a/c/0/0", store.GetOptions{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			arrive := func() {
				if _, err := st.Put(t.Context(), "1/a/c/0/0", late.Bytes, store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			set(t, st, 2)
			build(t, st, "a", pyramid.Options{Levels: 2})
			status(t, st, pyramid.Current)
			arrive()
			status(t, st, pyramid.Outdated)
			build(t, st, "a", pyramid.Options{Levels: 2})
			status(t, st, pyramid.Current)

			set(t, st, 3)
			var arrived atomic.Bool // chunks are put at once
			during := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if c.Op == store.OpPut && strings.HasPrefix(c.Key, "2/a/c/") && arrived.CompareAndSwap(false, true) {
					arrive()
				}
				return ctx, nil
			}})
			if _, err := pyramid.Build(t.Context(), during, "a", pyramid.Options{Levels: 2}); !errors.Is(err, fault.Conflict) {
				t.Errorf("a build whose level was changed: %v", err)
			}
			status(t, st, pyramid.Incomplete)
			build(t, st, "a", pyramid.Options{Levels: 2})
			status(t, st, pyramid.Current)
			if got := elementsOf(t, st, 2); got != "[3]" {
				t.Errorf("the levels contain %s", got)
			}
		})
	}
}

// TestSkippedChunkRemoved removes a chunk that a continued build has skipped, while it computes the
// next level. The build fails, and the next one computes all levels.
func TestSkippedChunkRemoved(t *testing.T) {
	for form, spec := range map[string]zarr.Spec{"chunks": small(), "shards": sharded()} {
		t.Run(form, func(t *testing.T) {
			st := mem.New()
			image(t, st, "a", spec)
			set(t, st, 1)
			interrupted := errors.New("interrupted")
			partial := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if c.Op == store.OpPut && c.Key == "1/a/zarr.json" {
					return ctx, interrupted
				}
				return ctx, nil
			}})
			if _, err := pyramid.Build(t.Context(), partial, "a", pyramid.Options{Levels: 2}); !errors.Is(err, interrupted) {
				t.Fatal(err)
			}
			var removed atomic.Bool
			removing := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
				if c.Op == store.OpPut && strings.HasPrefix(c.Key, "2/a/c/") && removed.CompareAndSwap(false, true) {
					if err := st.Delete(ctx, "1/a/c/0/0", store.DeleteOptions{}); err != nil {
						t.Error(err)
					}
				}
				return ctx, nil
			}})
			if _, err := pyramid.Build(t.Context(), removing, "a", pyramid.Options{Levels: 2}); !errors.Is(err, fault.Conflict) || !removed.Load() {
				t.Errorf("a build whose skipped chunk was removed: %v, %v", err, removed.Load())
			}
			status(t, st, pyramid.Incomplete)
			build(t, st, "a", pyramid.Options{Levels: 2})
			status(t, st, pyramid.Current)
			if got := elementsOf(t, st, 2); got != "[1]" {
				t.Errorf("the levels contain %s", got)
			}
		})
	}
}

// TestSourceGrowsWhileOpened extends the source after Build has opened it and before it lists the
// objects. The levels are those of the longer array.
func TestSourceGrowsWhileOpened(t *testing.T) {
	st := mem.New()
	image(t, st, "a", small())
	set(t, st, 1)
	var grown atomic.Bool
	moving := store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		if c.Op == store.OpList && c.Key == "a" && grown.CompareAndSwap(false, true) {
			a := array(t, st, "a")
			if _, err := zarr.Append(t.Context(), a, 0, slices.Repeat([]int32{1}, 9*a.Shape()[1]), zarr.AppendOptions{}); err != nil {
				t.Error(err)
			}
		}
		return ctx, nil
	}})
	build(t, moving, "a", pyramid.Options{Levels: 2})
	if got, want := array(t, st, "1/a").Shape()[0], (array(t, st, "a").Shape()[0]+1)/2; got != want || !grown.Load() {
		t.Errorf("level 1 has %d rows, want %d", got, want)
	}
	status(t, st, pyramid.Current)
}
