package upkeep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

var scalar = zarr.Spec{Shape: []int{2}, DType: dtype.Int8}

// TestCheckAbove checks the requests that find the copies which a change made stale, and the
// requests that update them.
func TestCheckAbove(t *testing.T) {
	for format, want := range map[int]struct{ look, update, again string }{
		2: {
			"get .zmetadata absent, get top/.zmetadata, get top/x/.zmetadata absent, get top/x/y/.zmetadata, get top/x/y/b/.zarray, get top/x/y/b/.zattrs",
			// The claim of an append to arrays of the group is in .zattrs.
			"get .zmetadata absent, get top/.zattrs, get top/.zmetadata, get top/x/.zmetadata absent, get top/x/y/.zattrs absent, get top/x/y/.zmetadata, get top/x/y/b/.zarray, get top/x/y/b/.zattrs, put top/.zmetadata, put top/x/y/.zmetadata", "",
		},
		3: {
			"get top/x/y/b/zarr.json, get top/x/y/zarr.json, get top/x/zarr.json, get top/zarr.json, get zarr.json",
			"get top/x/y/b/zarr.json, get top/x/y/zarr.json, get top/x/zarr.json, get top/zarr.json, get zarr.json, put top/x/y/zarr.json, put top/zarr.json", "",
		},
	} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			backing := mem.New()
			top := forest(t, backing, format)
			y, err := top.OpenGroup(ctx, "x/y")
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range []*zarr.Group{y, top} { // two copies, one within the other's hierarchy
				if _, err := g.Consolidate(ctx); err != nil {
					t.Fatal(err)
				}
			}
			var tr transcript
			b, err := zarr.OpenArray(ctx, store.Observe(backing, tr.Record), "top/x/y/b")
			if err != nil {
				t.Fatal(err)
			}
			tr.Requests()
			if groups, err := upkeep.CheckParents(ctx, b); err != nil || groups != nil || tr.Requests() != want.look {
				t.Errorf("nothing is stale: %q, %v", groups, err)
			}
			if groups, err := upkeep.UpdateParents(ctx, b); err != nil || groups != nil || tr.Requests() != want.look {
				t.Errorf("nothing to update: %q, %v", groups, err)
			}
			if b, err = b.SetAttrs(ctx, map[string]any{"name": "new"}); err != nil {
				t.Fatal(err)
			}
			tr.Requests()
			stale := []string{"top", "top/x/y"}
			if groups, err := upkeep.CheckParents(ctx, b); err != nil || !slices.Equal(groups, stale) {
				t.Errorf("stale: %q, %v", groups, err)
			}
			if got := tr.Requests(); got != want.look {
				t.Errorf("looking costs %q", got)
			}
			if groups, err := upkeep.UpdateParents(ctx, b); err != nil || !slices.Equal(groups, stale) {
				t.Errorf("updated: %q, %v", groups, err)
			}
			if got := tr.Requests(); got != want.update {
				t.Errorf("updating costs %q", got)
			}
			for _, g := range []*zarr.Group{y, top} {
				if d, err := upkeep.CheckConsolidated(ctx, g); err != nil || d != nil {
					t.Errorf("%s: %v, %v", g.Path(), d, err)
				}
			}
			g, err := zarr.OpenGroup(ctx, backing, "top")
			if err != nil {
				t.Fatal(err)
			}
			if a, err := g.OpenArray(ctx, "x/y/b"); err != nil || a.Attrs()["name"] != "new" {
				t.Errorf("%v, %v", a, err)
			}
		})
	}
}

// TestUpdateAbove updates the copy after each kind of change. The result equals that of
// Consolidate.
func TestUpdateAbove(t *testing.T) {
	for name, change := range map[string]func(context.Context, *mem.Store, *zarr.Group) (zarr.Node, error){
		"a new array": func(ctx context.Context, _ *mem.Store, g *zarr.Group) (zarr.Node, error) {
			return g.CreateArray(ctx, "new", scalar)
		},
		"a new array below new groups": func(ctx context.Context, _ *mem.Store, g *zarr.Group) (zarr.Node, error) {
			return g.CreateArray(ctx, "x/new/er/b", scalar)
		},
		"a new group": func(ctx context.Context, _ *mem.Store, g *zarr.Group) (zarr.Node, error) {
			return g.CreateGroup(ctx, "x/new", map[string]any{"a": 1})
		},
		"another array": func(ctx context.Context, st *mem.Store, g *zarr.Group) (zarr.Node, error) {
			return zarr.Replace(ctx, st, "top/a", zarr.Spec{Format: g.Format(), Shape: []int{7, 7}, DType: dtype.Float64})
		},
		"attributes of a group": func(ctx context.Context, _ *mem.Store, g *zarr.Group) (zarr.Node, error) {
			x, err := g.OpenGroup(ctx, "x")
			if err != nil {
				return nil, err
			}
			return x.SetAttrs(ctx, map[string]any{"a": "b"})
		},
		"no attributes any more": func(ctx context.Context, st *mem.Store, g *zarr.Group) (zarr.Node, error) {
			a, err := g.OpenArray(ctx, "a")
			if err == nil && g.Format() == 2 {
				return a, st.Delete(ctx, "top/a/.zattrs", store.DeleteOptions{})
			} else if err == nil {
				return a.SetAttrs(ctx, nil)
			}
			return nil, err
		},
		"attributes of the group itself": func(ctx context.Context, _ *mem.Store, g *zarr.Group) (zarr.Node, error) {
			return g.SetAttrs(ctx, map[string]any{"a": "b"})
		},
		"an array that is gone": func(ctx context.Context, st *mem.Store, g *zarr.Group) (zarr.Node, error) {
			a, err := g.OpenArray(ctx, "a")
			return a, errors.Join(err, remove(ctx, st, "top/a/"))
		},
		"a group that is gone": func(ctx context.Context, st *mem.Store, g *zarr.Group) (zarr.Node, error) {
			x, err := g.OpenGroup(ctx, "x")
			return x, errors.Join(err, remove(ctx, st, "top/x/"))
		},
		"an array in the place of a group": func(ctx context.Context, st *mem.Store, g *zarr.Group) (zarr.Node, error) {
			if err := remove(ctx, st, "top/x/"); err != nil {
				return nil, err
			}
			return g.CreateArray(ctx, "x", scalar)
		},
		"a group in the place of an array": func(ctx context.Context, st *mem.Store, g *zarr.Group) (zarr.Node, error) {
			a, err := g.OpenArray(ctx, "a")
			if err := errors.Join(err, remove(ctx, st, "top/a/")); err != nil {
				return nil, err
			}
			_, err = g.CreateGroup(ctx, "a", nil)
			return a, err
		},
	} {
		for _, format := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s, v%d", name, format), func(t *testing.T) {
				ctx := t.Context()
				st, g, _ := consolidatedForest(t, format)
				n, err := change(ctx, st, g)
				if err != nil {
					t.Fatal(err)
				}
				groups, err := upkeep.CheckParents(ctx, n)
				if err != nil {
					t.Fatal(err)
				}
				if updated, err := upkeep.UpdateParents(ctx, n); err != nil || !slices.Equal(updated, groups) {
					t.Errorf("updated %q, of %q: %v", updated, groups, err)
				}
				if d, err := upkeep.CheckConsolidated(ctx, g); err != nil || d != nil {
					t.Errorf("still: %v, %v", d, err)
				}
				if groups, err := upkeep.CheckParents(ctx, n); err != nil || groups != nil {
					t.Errorf("still: %q, %v", groups, err)
				}
				key := map[int]string{2: "top/.zmetadata", 3: "top/zarr.json"}[format]
				spliced := mustGet(t, st, key)
				if _, err := g.Consolidate(ctx); err != nil {
					t.Fatal(err)
				}
				if whole := mustGet(t, st, key); !bytes.Equal(spliced, whole) {
					t.Errorf("spliced\n%s\nmade at once\n%s", spliced, whole)
				}
			})
		}
	}
}

// remove deletes all keys below a prefix.
func remove(ctx context.Context, st store.Store, prefix string) error {
	for e, err := range st.List(ctx, strings.TrimSuffix(prefix, "/"), store.ListOptions{}) {
		if err == nil {
			err = st.Delete(ctx, e.Key, store.DeleteOptions{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestUpdateAboveAtOnce checks that concurrent writers of different nodes, and of the same node,
// lose nothing. A copy that another writer changes in between is read again.
func TestUpdateAboveAtOnce(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			st, g, _ := consolidatedForest(t, format)
			var all sync.WaitGroup
			for i := range 6 {
				all.Go(func() {
					for k := range 2 {
						n, err := g.CreateArray(ctx, fmt.Sprintf("x/g%d/n%d", i%4, 6*k+i), scalar)
						if err == nil {
							_, err = upkeep.UpdateParents(ctx, n)
						}
						if err != nil {
							t.Error(err)
						}
						for {
							a, err := zarr.OpenArray(ctx, st, "top/a")
							if err == nil {
								a, err = a.SetAttrs(ctx, map[string]any{"by": fmt.Sprint(i, k)})
							}
							if errors.Is(err, zarr.ErrConflict) || errors.Is(err, zarr.ErrExists) {
								continue
							}
							if err == nil {
								_, err = upkeep.UpdateParents(ctx, a)
							}
							if err != nil {
								t.Error(err)
							}
							break
						}
					}
				})
			}
			all.Wait()
			if d, err := upkeep.CheckConsolidated(ctx, g); err != nil || d != nil {
				t.Errorf("left: %v, %v", d, err)
			}
		})
	}
}

// TestUpdateAboveRandomly makes changes one after another, in hierarchies with nested copies, and
// compares after each.
func TestUpdateAboveRandomly(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			ctx, r := t.Context(), rand.New(rand.NewPCG(seed, 11))
			format := 2 + int(seed%2)
			st := mem.New()
			top := forest(t, st, format)
			holders := []*zarr.Group{top}
			for _, path := range []string{"x/y", "x"} {
				g, err := top.OpenGroup(ctx, path)
				if err != nil {
					t.Fatal(err)
				}
				holders = append(holders, g)
			}
			for _, g := range slices.Backward(holders) {
				if _, err := g.Consolidate(ctx); err != nil {
					t.Fatal(err)
				}
			}
			nodes := map[string]zarr.Node{}
			names := []string{"x/n", "x/y/n", "m", "x/y/o/p", "x/o"}
			for step := range 40 {
				path := names[r.IntN(len(names))]
				n, there := nodes[path]
				var err error
				switch what := r.IntN(4); {
				case !there && what == 0:
					n, err = zarr.CreateGroup(ctx, st, "top/"+path, zarr.Spec{Format: format, Attrs: map[string]any{"step": step}})
				case !there:
					spec := scalar
					spec.Format = format
					n, err = zarr.Create(ctx, st, "top/"+path, spec)
				case what == 0:
					err = remove(ctx, st, "top/"+path)
				default:
					attrs := map[string]any{"step": step}
					n, err = zarr.Open(ctx, st, "top/"+path)
					switch v := n.(type) {
					case *zarr.Array:
						n, err = v.SetAttrs(ctx, attrs)
					case *zarr.Group:
						n, err = v.SetAttrs(ctx, attrs)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				if nodes[path] = n; there {
					if _, err := zarr.Open(ctx, st, "top/"+path); err != nil {
						delete(nodes, path)
					}
				}
				if _, err := upkeep.UpdateParents(ctx, n); err != nil {
					t.Fatal(err)
				}
				for _, g := range holders {
					if d, err := upkeep.CheckConsolidated(ctx, g); err != nil || d != nil {
						t.Fatalf("step %d, %s: %q: %v, %v", step, path, g.Path(), d, err)
					}
				}
			}
		})
	}
}

func TestUpdateAboveRefuses(t *testing.T) {
	ctx := t.Context()
	st, g, _ := consolidatedForest(t, 2)
	late, err := g.CreateArray(ctx, "late", scalar)
	if err != nil {
		t.Fatal(err)
	}
	put(t, st, "top/.zmetadata", "{")
	if groups, err := upkeep.CheckParents(ctx, late); err != nil || !slices.Equal(groups, []string{"top"}) {
		t.Errorf("a copy that cannot be read: %q, %v", groups, err)
	}
	var m *zarr.MetaError
	if _, err := upkeep.UpdateParents(ctx, late); !errors.As(err, &m) || m.Key != "top/.zmetadata" {
		t.Errorf("a copy that cannot be read: %v", err)
	}
	if got := mustGet(t, st, "top/.zmetadata"); string(got) != "{" {
		t.Errorf("it is %s now", got)
	}

	st, g, _ = consolidatedForest(t, 3)
	if late, err = g.CreateArray(ctx, "late", scalar); err != nil {
		t.Fatal(err)
	}
	blind, err := zarr.OpenArray(ctx, &meddler{Store: st, noVersions: true}, "top/late")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.UpdateParents(ctx, blind); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "SingleWriter") {
		t.Errorf("without versions: %v", err)
	}
	if blind, err = blind.With(zarr.SingleWriter()); err != nil {
		t.Fatal(err)
	}
	if groups, err := upkeep.UpdateParents(ctx, blind); err != nil || len(groups) != 1 {
		t.Errorf("a single writer: %q, %v", groups, err)
	}
	readonly, err := zarr.OpenArray(ctx, store.ReadOnly(st), "top/late")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late.SetAttrs(ctx, map[string]any{"a": 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.UpdateParents(ctx, readonly); !errors.Is(err, zarr.ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
}
