package node_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/internal/chunk/written"
	"github.com/zargo-io/zargo/internal/node"
	"github.com/zargo-io/zargo/internal/node/spec"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func TestPaths(t *testing.T) {
	for _, c := range []struct{ what, got, want any }{
		{"join", node.Join("a", "x"), "a/x"},
		{"join below the root", node.Join("", "x"), "x"},
		{"above", fmt.Sprint(node.Above("a/b/c")), "[a/b a ]"},
		{"above the root", len(node.Above("")), 0},
		{"below", node.Below("a", "a/b/c"), "b/c"},
		{"below the root", node.Below("", "a"), "a"},
		{"path", node.PathOf("a/b/zarr.json"), "a/b"},
		{"path of the root", node.PathOf("zarr.json"), ""},
		{"is above", node.IsAbove("a", "a/b"), true},
		{"is above, another name", node.IsAbove("a", "ab"), false},
		{"is above itself", node.IsAbove("", ""), false},
		{"founds", node.Founds(".zarray") && !node.Founds(".zattrs"), true},
		{"is a document", node.IsDocument(".zmetadata") && !node.IsDocument("meta"), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

// TestHierarchy creates, opens, lists, changes and removes the nodes of a hierarchy.
func TestHierarchy(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx, st := t.Context(), mem.New()
			root := &node.Node{Store: written.Around(st), Cfg: node.Options{Table: codec.Builtin(), MaxMetadata: 1 << 20}}
			root.Cfg.Chunks.ChunkLimit, root.Cfg.Chunks.IndexLimit = 1<<20, 1<<20
			at := func(path string) *node.Node { return root.At(path) }
			array := spec.Spec{Format: format, Shape: []int{4}, Chunks: []int{2}, DType: dtype.Int8}
			for _, path := range []string{"g/b/c", "g/a"} {
				if _, err := at(path).CreateArray(ctx, array); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := at("g/a").CreateGroup(ctx, format, nil); !errors.Is(err, fault.Exists) {
				t.Errorf("create a group at an array: %v", err)
			}
			if a, err := at("g/a").Open(ctx, node.Any); err != nil || a.Kind() != node.Array || a.Format != format {
				t.Errorf("open an array: %+v, %v", a, err)
			}
			if _, err := at("g/a").Open(ctx, node.Group); !errors.Is(err, fault.NotFound) {
				t.Errorf("open an array as a group: %v", err)
			}
			g, err := at("g").Open(ctx, node.Group)
			if err != nil {
				t.Fatal(err)
			}
			if a, err := g.OpenBelow(ctx, "b/c", node.Array); err != nil || a.Path != "g/b/c" || !node.Same(a.Model, a.Model) {
				t.Errorf("open below: %+v, %v", a, err)
			}
			if g, err = g.SetAttrs(ctx, map[string]any{"title": "x"}); err != nil || g.Attrs()["title"] != "x" {
				t.Fatalf("%v, %v", g.Attrs(), err)
			}
			lists := func(g *node.Node, want ...string) {
				t.Helper()
				names, err := g.Names(ctx)
				for f := range g.Members(ctx, -1) {
					if f.Err != nil {
						t.Fatal(f.Err)
					}
					names = append(names, f.Node.Path)
				}
				if err != nil || !slices.Equal(names, want) {
					t.Errorf("%q, %v; want %q", names, err, want)
				}
			}
			lists(g, "a", "b", "g/a", "g/b", "g/b/c")
			copied, err := g.Consolidate(ctx)
			if err != nil || copied.Attrs()["title"] != "x" {
				t.Fatalf("%v, %v", copied.Attrs(), err)
			}
			a, err := at("g/a").Open(ctx, node.Array)
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Delete(ctx, a.StoredDocuments()...); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Refresh(ctx); !errors.Is(err, fault.NotFound) {
				t.Errorf("refresh a deleted array: %v", err)
			}
			lists(copied, "a", "b", "g/a", "g/b", "g/b/c")
			lists(g, "b", "g/b", "g/b/c")
		})
	}
}
