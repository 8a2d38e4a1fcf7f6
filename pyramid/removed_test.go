package pyramid_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// gate runs a function once, before the first request that has one of the verbs and a prefix of its
// key.
type gate struct {
	ops    []store.Op
	prefix string
	run    func() error
	ran    atomic.Bool
}

// gated returns a store with gates.
func gated(st store.Store, gates ...*gate) store.Store {
	return store.Around(st, store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		for _, g := range gates {
			if slices.Contains(g.ops, c.Op) && strings.HasPrefix(c.Key, g.prefix) && g.ran.CompareAndSwap(false, true) {
				return ctx, g.run()
			}
		}
		return ctx, nil
	}})
}

// single returns the spec of an array whose levels have one chunk each.
func single() zarr.Spec {
	return zarr.Spec{Shape: []int{8, 8}, Chunks: []int{4, 4}, Dims: []string{"y", "x"}}
}

// withVariable creates an array, a coordinate, and a variable of two dimensions to which the array
// refers.
func withVariable(t *testing.T, spec zarr.Spec) store.Store {
	t.Helper()
	st := mem.New()
	spec.Attrs = map[string]any{"coordinates": "lon"}
	image(t, st, "a", spec)
	set(t, st, 1)
	image(t, st, "x", zarr.Spec{Shape: spec.Shape[1:], Dims: []string{"x"}})
	spec.Attrs = nil
	image(t, st, "lon", spec)
	return st
}

// same checks that two stores have the same levels of the array a and of its variables.
func same(t *testing.T, st, want store.Store) {
	t.Helper()
	for _, path := range []string{"1/a", "1/x", "1/lon", "2/a", "2/x", "2/lon"} {
		got, err := zarr.ReadAs[float64](t.Context(), array(t, st, path))
		if err != nil {
			t.Fatal(err)
		}
		values, err := zarr.ReadAs[float64](t.Context(), array(t, want, path))
		if err != nil {
			t.Fatal(err)
		}
		for i := range values {
			if got[i] != values[i] {
				t.Errorf("element %d of %s is %v, want %v", i, path, got[i], values[i])
				break
			}
		}
	}
}

// TestLevelRemovedWhileRead removes the first level while a build reads it for the second one.
// Another build then computes both levels, before the first build continues or dies. With little
// memory, the build reads all objects from the store. Otherwise it still has their values, and the
// level is removed before the second one begins.
func TestLevelRemovedWhileRead(t *testing.T) {
	for form, spec := range map[string]zarr.Spec{"one chunk": single(), "chunks": small(), "shards": sharded()} {
		for _, read := range []string{"1/a/c/", "1/x/c/", "1/lon/c/"} {
			for _, end := range []string{"late", "dies", "late with values", "dies with values"} {
				t.Run(form+"/"+read+"/"+end, func(t *testing.T) {
					st := withVariable(t, spec)
					want := clone(t, st)
					build(t, want, "a", pyramid.Options{Levels: 2})
					died := errors.New("died")
					other := func() error { build(t, st, "a", pyramid.Options{Levels: 2}); return nil }
					gates := []*gate{
						{ops: []store.Op{store.OpGet}, prefix: read, run: func() error { remove(t, st, "1/"); return nil }},
						{ops: []store.Op{store.OpPut, store.OpDelete}, prefix: "2" + strings.TrimPrefix(read, "1"), run: other},
					}
					o := pyramid.Options{Levels: 2, Memory: 16}
					if strings.HasSuffix(end, "with values") {
						gates[0].ops, gates[0].prefix, o.Memory = []store.Op{store.OpPut}, "2/zarr.json", 0
					}
					if strings.HasPrefix(end, "dies") {
						gates[1].run = func() error { return nil }
						var states atomic.Int64
						dying := store.Around(gated(st, gates...), store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
							if c.Op == store.OpPut && strings.HasPrefix(c.Key, "__zargo_pyramid/") && states.Add(1) > 1 {
								return ctx, died
							}
							return ctx, nil
						}})
						if _, err := pyramid.Build(t.Context(), dying, "a", o); !errors.Is(err, died) && !errors.Is(err, fault.Conflict) {
							t.Errorf("the build that dies: %v", err)
						}
						succeed(t, other())
					} else if _, err := pyramid.Build(t.Context(), gated(st, gates...), "a", o); err != nil && !errors.Is(err, fault.Conflict) {
						t.Errorf("the build that is late: %v", err)
					} else if s, err := pyramid.StatusOf(t.Context(), st, "a"); err != nil || s != pyramid.Current {
						build(t, st, "a", pyramid.Options{Levels: 2})
					}
					if !gates[0].ran.Load() {
						t.Error("the level was not removed")
					}
					status(t, st, pyramid.Current)
					same(t, st, want)
				})
			}
		}
	}
}

// TestLevelRemovedBeforePublish removes the objects of a level after a build has stored them, and
// before it stores the document that completes the level. The build then dies or ends after another
// one.
func TestLevelRemovedBeforePublish(t *testing.T) {
	for form, spec := range map[string]zarr.Spec{"one chunk": single(), "chunks": small(), "shards": sharded()} {
		for _, level := range []string{"1/a/", "1/lon/", "2/a/", "2/lon/"} {
			for _, end := range []string{"late", "dies"} {
				t.Run(form+"/"+level+"/"+end, func(t *testing.T) {
					st := withVariable(t, spec)
					want := clone(t, st)
					build(t, want, "a", pyramid.Options{Levels: 2})
					died := errors.New("died")
					var published atomic.Bool
					removing := store.Around(st, store.Hooks{
						Before: func(ctx context.Context, c store.Call) (context.Context, error) {
							if c.Op == store.OpPut && c.Key == level+"zarr.json" {
								remove(t, st, level+"c/")
							}
							if published.Load() && end == "dies" {
								return ctx, died
							}
							return ctx, nil
						},
						After: func(_ context.Context, c store.Call, _ store.Result) {
							if c.Op == store.OpPut && c.Key == level+"zarr.json" {
								if published.Store(true); end == "late" {
									build(t, st, "a", pyramid.Options{Levels: 2})
								}
							}
						},
					})
					_, err := pyramid.Build(t.Context(), removing, "a", pyramid.Options{Levels: 2})
					if end == "dies" {
						if !errors.Is(err, died) {
							t.Errorf("the build that dies: %v", err)
						}
						build(t, st, "a", pyramid.Options{Levels: 2})
					} else if err != nil && !errors.Is(err, fault.Conflict) {
						t.Errorf("the build that is late: %v", err)
					}
					if s, err := pyramid.StatusOf(t.Context(), st, "a"); err != nil || s != pyramid.Current {
						build(t, st, "a", pyramid.Options{Levels: 2})
					}
					status(t, st, pyramid.Current)
					same(t, st, want)
				})
			}
		}
	}
}

// TestLateDocument stores the document of a level of an earlier version of the source, which has
// fewer rows: during a build and after it. The levels are not current.
func TestLateDocument(t *testing.T) {
	st := mem.New()
	image(t, st, "a", small())
	set(t, st, 1)
	build(t, st, "a", pyramid.Options{Levels: 2})
	late, err := st.Get(t.Context(), "1/a/zarr.json", store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	arrive := func() error {
		_, err := st.Put(t.Context(), "1/a/zarr.json", late.Bytes, store.PutOptions{})
		return err
	}
	a := array(t, st, "a")
	if _, err := zarr.Append(t.Context(), a, 0, slices.Repeat([]int32{1}, 9*a.Shape()[1]), zarr.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	during := gated(st, &gate{ops: []store.Op{store.OpPut}, prefix: "2/a/zarr.json", run: arrive})
	if _, err := pyramid.Build(t.Context(), during, "a", pyramid.Options{Levels: 2}); !errors.Is(err, fault.Conflict) {
		t.Errorf("a build whose document was replaced: %v", err)
	}
	status(t, st, pyramid.Incomplete)
	build(t, st, "a", pyramid.Options{Levels: 2})
	status(t, st, pyramid.Current)
	succeed(t, arrive())
	status(t, st, pyramid.Outdated)
}
