package zarr_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

func TestConsolidate(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		root := forest(t, st, format)
		if _, err := upkeep.CheckConsolidated(t.Context(), root); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("v%d: nothing to compare: %v", format, err)
		}
		g, err := root.Consolidate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d, err := upkeep.CheckConsolidated(t.Context(), g); err != nil || d != nil {
			t.Errorf("v%d: right after: %v, %v", format, d, err)
		}
		var r zarr.Report
		g, err = zarr.OpenGroup(t.Context(), st, "top", zarr.Format(format), zarr.WithReport(&r))
		if err != nil {
			t.Fatal(err)
		}
		before := r.Gets.Load()
		want := []string{"top/a", "top/x", "top/x/y", "top/x/y/b"}
		if got := paths(t, g); !slices.Equal(got, want) || r.Gets.Load()-before > 1 {
			t.Errorf("v%d: %q with %d requests", format, got, r.Gets.Load()-before)
		}
		if title, _, _ := zarr.Attr[string](g, "title"); title != "all" {
			t.Errorf("v%d: the group's title is %q", format, title)
		}

		// Changes that do not update the copy, one of each kind.
		b := mustOpen(t, st, "top/x/y/b")
		succeed(t, second(b.SetAttrs(t.Context(), map[string]any{"name": "another"})))
		succeed(t, second(zarr.CreateGroup(t.Context(), st, "top/new", zarr.Spec{Format: format})))
		for _, name := range []string{"zarr.json", ".zarray", ".zattrs"} {
			succeed(t, st.Delete(t.Context(), "top/a/"+name, store.DeleteOptions{}))
		}
		d, err := upkeep.CheckConsolidated(t.Context(), g)
		if got := differences(d); err != nil || got != `"a" is gone, "new" is missing, "x/y/b" is changed` {
			t.Errorf("v%d: %s, %v", format, got, err)
		}
		if g, err = g.Consolidate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d, err := upkeep.CheckConsolidated(t.Context(), g); err != nil || d != nil {
			t.Errorf("v%d: after the second time: %v, %v", format, d, err)
		}
	}
}

// TestConsolidateReturns checks that the group that Consolidate returns is like one that is opened
// afterwards: walking it takes at most one request, and it can be changed.
func TestConsolidateReturns(t *testing.T) {
	for _, format := range []int{2, 3} {
		var r zarr.Report
		root := forest(t, mem.New(), format)
		root, err := root.With(zarr.WithReport(&r), zarr.IgnoreConsolidated())
		if err != nil {
			t.Fatal(err)
		}
		if root, err = root.Consolidate(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := r.Gets.Load()
		if got := paths(t, root); len(got) != 4 || r.Gets.Load()-before < 4 {
			t.Errorf("v%d: a group of Direct walks %q with %d requests", format, got, r.Gets.Load()-before)
		}
		if root, err = forest(t, mem.New(), format).Consolidate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if root, err = root.With(zarr.WithReport(&r)); err != nil {
			t.Fatal(err)
		}
		before = r.Gets.Load()
		if got := paths(t, root); len(got) != 4 || r.Gets.Load()-before > 1 {
			t.Errorf("v%d: walks %q with %d requests", format, got, r.Gets.Load()-before)
		}
		if root, err = root.SetAttrs(t.Context(), map[string]any{"title": "new"}); err != nil {
			t.Fatal(err)
		}
		again, err := zarr.OpenGroup(t.Context(), root.Store(), "top")
		if err != nil {
			t.Fatal(err)
		}
		if title, _, _ := zarr.Attr[string](again, "title"); title != "new" || len(paths(t, again)) != 4 {
			t.Errorf("v%d: %q, %q", format, title, paths(t, again))
		}
	}
}

// TestConsolidateOverAnything checks that an invalid .zmetadata is replaced: one that is too long,
// and an empty one.
func TestConsolidateOverAnything(t *testing.T) {
	for name, old := range map[string]string{"long": strings.Repeat(" ", 1<<16), "empty": ""} {
		st := mem.New()
		root := forest(t, st, 2)
		succeed(t, second(st.Put(t.Context(), "top/.zmetadata", []byte(old), store.PutOptions{})))
		root, err := root.With(zarr.Limit(zarr.Limits{Metadata: 1 << 12}))
		if err != nil {
			t.Fatal(err)
		}
		if root, err = root.Consolidate(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d, err := upkeep.CheckConsolidated(t.Context(), root); err != nil || d != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
		// A write that requires the previous copy fails.
		succeed(t, second(st.Put(t.Context(), "top/.zmetadata", []byte(old), store.PutOptions{})))
		watch := store.Observe(st, func(_ context.Context, e store.Event) {
			if e.Op == "get" && e.Key == "top/.zmetadata" {
				if _, err := st.Put(t.Context(), "top/.zmetadata", []byte("{}"), store.PutOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
		late, err := zarr.OpenGroup(t.Context(), watch, "top")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := late.Consolidate(t.Context()); !errors.Is(err, zarr.ErrConflict) {
			t.Errorf("%s: over another one: %v", name, err)
		}
	}
}

// TestConsolidateCopiesDocuments checks that documents are copied unchanged, including unknown
// members and bare tokens in attributes. In fill values, bare tokens become text.
func TestConsolidateCopiesDocuments(t *testing.T) {
	st := mem.New()
	for key, doc := range map[string]string{
		".zgroup":   `{"zarr_format":2}`,
		"a/.zarray": `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<f4","fill_value":NaN,"order":"C","filters":null,"compressor":null,"by":"hand"}`,
		"a/.zattrs": `{"x":NaN,"big":12345678901234567890}`,
		"b/.zarray": `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<f4","fill_value":0,"order":"C","filters":null,"compressor":null,"by":"hand"}`,
	} {
		succeed(t, second(st.Put(t.Context(), key, []byte(doc), store.PutOptions{})))
	}
	g, err := zarr.OpenGroup(t.Context(), st, "")
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, second(g.Consolidate(t.Context())))
	v := mustGet(t, st, ".zmetadata")
	var doc struct {
		Metadata map[string]map[string]any
	}
	strict := strings.Replace(string(v), `"x": NaN`, `"x": "bare"`, 1)
	succeed(t, json.Unmarshal([]byte(strict), &doc))
	if doc.Metadata["a/.zarray"]["fill_value"] != "NaN" || doc.Metadata["b/.zarray"]["by"] != "hand" ||
		doc.Metadata["a/.zattrs"]["x"] != "bare" || !strings.Contains(string(v), "12345678901234567890") {
		t.Errorf("%s", v)
	}
	if _, has := doc.Metadata["b/.zarray"]["dimension_separator"]; has {
		t.Errorf("a member that nobody wrote: %s", v)
	}
}

func TestConsolidateRefuses(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		root := forest(t, st, format)
		succeed(t, second(zarr.CreateGroup(t.Context(), st, "top/x/other", zarr.Spec{Format: 5 - format})))
		if _, err := root.Consolidate(t.Context()); !errors.Is(err, zarr.ErrMetadata) || !strings.Contains(err.Error(), "top/x/other") {
			t.Errorf("v%d with a node of another format: %v", format, err)
		}
	}
	st := mem.New()
	root := forest(t, st, 3)
	succeed(t, second(st.Put(t.Context(), "top/bad/zarr.json", []byte(`{"zarr_format":3}`), store.PutOptions{})))
	before, err := st.Get(t.Context(), "top/zarr.json", store.GetOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := root.Consolidate(t.Context()); !errors.Is(err, zarr.ErrMetadata) {
		t.Errorf("with a bad node: %v", err)
	}
	if after, err := st.Get(t.Context(), "top/zarr.json", store.GetOptions{}, nil); err != nil || after.Version != before.Version {
		t.Errorf("something was written: %v", err)
	}
}
