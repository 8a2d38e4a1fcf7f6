package zarr_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// TestGivenDocuments checks that a node opened from documents equals the stored one, without a
// request.
func TestGivenDocuments(t *testing.T) {
	for _, format := range []int{2, 3} {
		st, _, _ := consolidatedForest(t, format)
		for _, opts := range [][]zarr.Option{nil, {zarr.IgnoreConsolidated()}} {
			g, err := zarr.OpenGroup(t.Context(), st, "top", opts...)
			if err != nil {
				t.Fatal(err)
			}
			for n, err := range g.Walk(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				docs, err := n.Documents()
				if err != nil {
					t.Fatal(err)
				}
				var tr transcript
				again, err := zarr.Open(t.Context(), store.Observe(st, tr.Record), n.Path(), zarr.Documents(docs))
				if err != nil {
					t.Fatal(err)
				}
				if a, ok := n.(*zarr.Array); ok && again.(*zarr.Array).Metadata().Difference(a.Metadata()) != "" {
					t.Errorf("v%d %v: opened as %v", format, n, again)
				}
				if again.Format() != format || again.Attrs()["name"] != n.Attrs()["name"] {
					t.Errorf("v%d %v: %v", format, n, again.Attrs())
				}
				if same, err := again.Documents(); err != nil || !maps.EqualFunc(docs, same, slices.Equal) {
					t.Errorf("v%d %v: documents %q, %v", format, n, same, err)
				}
				if got := tr.Requests(); got != "" {
					t.Errorf("v%d %v costs %q", format, n, got)
				}
			}
		}
	}
}

// TestGivenV1 opens a v1 array from its documents, meta and attrs.
func TestGivenV1(t *testing.T) {
	docs := map[string][]byte{
		"old/meta":  []byte(`{"zarr_format":1,"shape":[3],"chunks":[2],"dtype":"|u1","fill_value":9,"compression":null,"compression_opts":null,"order":"C"}`),
		"old/attrs": []byte(`{"foo":42}`),
	}
	a, err := zarr.OpenArray(t.Context(), mem.New(), "old", zarr.Documents(docs))
	if err != nil || a.Format() != 1 || a.Len() != 3 {
		t.Fatalf("%v, %v", a, err)
	}
	if got, err := a.Documents(); err != nil || !maps.EqualFunc(docs, got, slices.Equal) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestGivenAndStale checks that reads use the documents unchanged, and that writes require them to
// equal the stored ones.
func TestGivenAndStale(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		var tr transcript
		backing := mem.New()
		st := store.Observe(backing, tr.Record)
		attrs := map[string]any{"name": "a"}
		spec := zarr.Spec{Format: format, Shape: []int{4}, Chunks: []int{4}, DType: dtype.Int8, Attrs: attrs}
		docs, err := mustCreate(t, backing, "a", spec).Documents()
		if err != nil {
			t.Fatal(err)
		}
		open := func(opts ...zarr.Option) *zarr.Array {
			t.Helper()
			a, err := zarr.OpenArray(ctx, st, "a", append([]zarr.Option{zarr.Documents(docs)}, opts...)...)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		a := open()
		succeed(t, zarr.Write(ctx, a, []int8{1, 2, 3, 4}))
		if got := tr.Requests(); !strings.HasPrefix(got, "get a/") || strings.Count(got, ",") != 1 || !strings.Contains(got, "put a/") {
			t.Errorf("v%d: the first write costs %q", format, got)
		}
		if got, err := zarr.Read[int8](ctx, open()); err != nil || !slices.Equal(got, []int8{1, 2, 3, 4}) {
			t.Errorf("v%d: %v, %v", format, got, err)
		}
		if tr.Requests(); format == 3 {
			if _, err := zarr.Open(ctx, st, "a", zarr.Documents(docs), zarr.Format(2)); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("documents of v3 as v2: %v", err)
			}
		}

		// Attributes that another view has set.
		b, err := open().SetAttrs(ctx, map[string]any{"name": "b"})
		if err != nil {
			t.Fatal(err)
		}
		newer, err := b.Documents()
		if err != nil {
			t.Fatal(err)
		}
		if c, err := zarr.OpenArray(ctx, st, "a", zarr.Documents(newer)); err != nil || c.Attrs()["name"] != "b" {
			t.Errorf("v%d: newer documents: %v, %v", format, c, err)
		}
		if _, err := b.SetAttrs(ctx, map[string]any{"name": "c"}); err != nil {
			t.Errorf("v%d: again: %v", format, err)
		}
		if _, err := open().SetAttrs(ctx, attrs); !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "a given document is stale") {
			t.Errorf("v%d: attributes that others set: %v", format, err)
		}
		if fresh, err := open().Refresh(ctx); err != nil || fresh.Attrs()["name"] != "c" {
			t.Errorf("v%d: refreshed: %v, %v", format, fresh, err)
		}
		if direct := open(zarr.IgnoreConsolidated()); direct.Attrs()["name"] != "c" {
			t.Errorf("v%d: IgnoreConsolidated: %v", format, direct.Attrs())
		}

		// Another array replaces it, or it is deleted.
		spec.DType = dtype.Int16
		succeed(t, second(zarr.Replace(ctx, backing, "a", spec)))
		tr.Requests()
		if err := zarr.Write(ctx, open(), []int8{1, 2, 3, 4}); !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "data type") {
			t.Errorf("v%d: another array: %v", format, err)
		}
		for _, name := range []string{"zarr.json", ".zarray", ".zattrs"} {
			succeed(t, backing.Delete(ctx, "a/"+name, store.DeleteOptions{}))
		}
		if err := zarr.Write(ctx, open(), []int8{1, 2, 3, 4}); !errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), "only in a given document") {
			t.Errorf("v%d: no array: %v", format, err)
		}
		if _, err := open().Refresh(ctx); !errors.Is(err, zarr.ErrNotFound) {
			t.Errorf("v%d: no array, refreshed: %v", format, err)
		}
		if got := tr.Requests(); strings.Contains(got, "put") {
			t.Errorf("v%d: wrote: %s", format, got)
		}
	}
}

// TestGivenGroups checks that a group opened from documents is changed like any other, and that
// upkeep reads the stored documents.
func TestGivenGroups(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		st, g, _ := consolidatedForest(t, format)
		for _, err := range g.Members(ctx) {
			if err != nil {
				t.Fatal(err)
			}
		}
		docs, err := g.Documents()
		if err != nil {
			t.Fatal(err)
		}
		succeed(t, second(zarr.CreateGroup(ctx, st, "top/new", zarr.Spec{Format: format})))
		if g, err = zarr.OpenGroup(ctx, st, "top", zarr.Documents(docs)); err != nil {
			t.Fatal(err)
		}
		if got := paths(t, g); len(got) != 4 {
			t.Errorf("v%d: walked %q", format, got)
		}
		if d, err := upkeep.CheckConsolidated(ctx, g); err != nil || differences(d) != `"new" is missing` {
			t.Errorf("v%d: %s, %v", format, differences(d), err)
		}
		h, err := g.Consolidate(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got := paths(t, h); len(got) != 5 {
			t.Errorf("v%d: walked %q", format, got)
		}
		succeed(t, second(g.SetAttrs(ctx, map[string]any{"title": "new"})))
		if h, err = zarr.OpenGroup(ctx, st, "top", zarr.Format(format)); err != nil || h.Attrs()["title"] != "new" || len(paths(t, h)) != 5 {
			t.Errorf("v%d: %v, %v", format, h, err)
		}
	}
}

// TestGivenAndBad checks that documents from the caller are parsed and limited like stored ones.
func TestGivenAndBad(t *testing.T) {
	st := mem.New()
	mustCreate(t, st, "a", zarr.Spec{Shape: []int{4}, DType: dtype.Int8})
	for key, doc := range map[string]string{"a/zarr.json": "{", "a/.zarray": "", "a/.zgroup": "[]"} {
		_, err := zarr.Open(t.Context(), st, "a", zarr.Documents(map[string][]byte{key: []byte(doc)}))
		var m *zarr.MetaError
		if !errors.Is(err, zarr.ErrMetadata) || !errors.As(err, &m) || m.Key != key {
			t.Errorf("%s: %v", key, err)
		}
	}
	long := map[string][]byte{"a/zarr.json": []byte(strings.Repeat(" ", 100))}
	if _, err := zarr.Open(t.Context(), st, "a", zarr.Documents(long), zarr.Limit(zarr.Limits{Metadata: 99})); !errors.Is(err, zarr.ErrLimit) {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := zarr.OpenGroup(t.Context(), st, "", zarr.Documents(map[string][]byte{"zarr.json": []byte(`{"zarr_format":3,"node_type":"group"}`)})); err != nil {
		t.Errorf("the root: %v", err)
	}
	if a, err := zarr.OpenArray(t.Context(), st, "a", zarr.Documents(map[string][]byte{"b/zarr.json": nil})); err != nil || a.Len() != 4 {
		t.Errorf("of another node: %v, %v", a, err)
	}
}

// TestConsolidatedV2IsCurrent checks that the attributes of a group are the stored ones, not those
// of its copy, and that nothing is written for a group that exists only in the copy.
func TestConsolidatedV2IsCurrent(t *testing.T) {
	ctx := t.Context()
	st, g, _ := consolidatedForest(t, 2)
	succeed(t, second(g.SetAttrs(ctx, map[string]any{"title": "newer"})))
	g, err := zarr.OpenGroup(ctx, st, "top", zarr.Format(2))
	if err != nil || g.Attrs()["title"] != "newer" {
		t.Fatalf("%v, %v", g.Attrs(), err)
	}
	if g, err = g.SetAttrs(ctx, map[string]any{"title": "newest"}); err != nil || g.Attrs()["title"] != "newest" {
		t.Errorf("%v, %v", g.Attrs(), err)
	}
	// If a store refuses requests for absent keys, the attributes of the copy are used.
	refuses := answers{st, func(key string) error {
		if key == "top/.zattrs" {
			return zarr.ErrRefused
		}
		return nil
	}}
	if g, err = zarr.OpenGroup(ctx, refuses, "top", zarr.Format(2)); err != nil || g.Attrs()["title"] != "all" {
		t.Errorf("%v, %v", g.Attrs(), err)
	}
	for _, name := range []string{".zattrs", ".zgroup"} {
		succeed(t, st.Delete(ctx, "top/"+name, store.DeleteOptions{}))
	}
	if g, err = zarr.OpenGroup(ctx, st, "top", zarr.Format(2)); err != nil || len(g.Attrs()) != 0 {
		t.Fatalf("%v, %v", g.Attrs(), err)
	}
	if _, err := g.SetAttrs(ctx, nil); !errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), "only in consolidated metadata") {
		t.Errorf("attributes: %v", err)
	}
	if _, err := g.Consolidate(ctx); !errors.Is(err, zarr.ErrNotFound) {
		t.Errorf("consolidate: %v", err)
	}
	if _, err := upkeep.CheckConsolidated(ctx, g); !errors.Is(err, zarr.ErrNotFound) {
		t.Errorf("checked: %v", err)
	}
}
