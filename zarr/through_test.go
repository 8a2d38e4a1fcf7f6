package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/rule"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// TestOpenThroughConsolidated checks the requests of opening a node through a group: none if the
// group has a copy of the node's metadata. In v2 the copy is a separate document, which is read
// once.
func TestOpenThroughConsolidated(t *testing.T) {
	copied := map[int]string{2: "get top/.zmetadata", 3: ""}
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			_, g, tr := consolidatedForest(t, format)
			a, err := g.OpenArray(ctx, "x/y/b")
			if err != nil || a.Path() != "top/x/y/b" || a.Attrs()["name"] != "x/y/b" {
				t.Fatalf("%v, %v", a, err)
			}
			if got := tr.Requests(); got != copied[format] {
				t.Errorf("the first array costs %q", got)
			}
			x, err := g.OpenGroup(ctx, "x")
			if err != nil {
				t.Fatal(err)
			}
			for path, of := range map[string]*zarr.Group{"a": g, "x/y/b": g, "x": g, "x/y": g, "y/b": x, "y": x} {
				if n, err := of.Open(ctx, path); err != nil || n.Name() != path[strings.LastIndexByte(path, '/')+1:] {
					t.Errorf("%s: %v, %v", path, n, err)
				}
			}
			for range 2 {
				for _, err := range g.Members(ctx) {
					if err != nil {
						t.Error(err)
					}
				}
			}
			if view, err := g.With(zarr.Limit(zarr.Limits{InFlight: 1})); err != nil || len(paths(t, view)) != 4 {
				t.Errorf("a view walks %q, %v", paths(t, view), err)
			}
			if got := tr.Requests(); got != "" {
				t.Errorf("all others cost %q", got)
			}
			if got, err := zarr.Read[int8](ctx, a); err != nil || len(got) != 2 {
				t.Errorf("%v, %v", got, err)
			}
			tr.Requests()

			direct, err := g.With(zarr.IgnoreConsolidated())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := direct.OpenArray(ctx, "a"); err != nil {
				t.Error(err)
			}
			want := map[int]string{
				2: "get top/a/.zarray, get top/a/.zattrs, get top/a/zarr.json absent",
				3: "get top/a/zarr.json",
			}
			if got := tr.Requests(); got != want[format] {
				t.Errorf("Direct costs %q", got)
			}
		})
	}
}

// TestOpenThroughNothing checks that a v2 group without consolidated metadata requests it once.
func TestOpenThroughNothing(t *testing.T) {
	for format, want := range map[int][]string{
		2: {"get top/.zmetadata absent, get top/a/.zarray, get top/a/.zattrs, get top/a/zarr.json absent", "get top/a/.zarray, get top/a/.zattrs, get top/a/zarr.json absent"},
		3: {"get top/a/zarr.json", "get top/a/zarr.json"},
	} {
		var tr transcript
		st := mem.New()
		forest(t, st, format)
		g, err := zarr.OpenGroup(t.Context(), store.Observe(st, tr.Record), "top")
		if err != nil {
			t.Fatal(err)
		}
		tr.Requests()
		for _, want := range want {
			if _, err := g.OpenArray(t.Context(), "a"); err != nil {
				t.Error(err)
			}
			if got := tr.Requests(); got != want {
				t.Errorf("v%d: %q", format, got)
			}
		}
	}
}

// TestOpenThroughStale checks that a node created after the copy was made is read from the store. A
// node that only the copy has is opened from the copy, but has no elements and cannot be refreshed
// or written.
func TestOpenThroughStale(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			st, g, tr := consolidatedForest(t, format)
			succeed(t, second(g.CreateArray(ctx, "late", zarr.Spec{Shape: []int{3}, DType: dtype.Int16})))
			if a, err := g.OpenArray(ctx, "late"); err != nil || a.Len() != 3 {
				t.Errorf("created since: %v, %v", a, err)
			}
			if _, err := g.Open(ctx, "nothing"); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("nowhere: %v", err)
			}
			if _, err := g.OpenArray(ctx, "x"); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("a group as an array: %v", err)
			}
			if _, err := g.OpenGroup(ctx, "a"); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("an array as a group: %v", err)
			}
			if n, err := g.Open(ctx, ""); err != nil || n.Path() != "top" {
				t.Errorf("the group itself: %v, %v", n, err)
			}

			// A group replaces the array.
			for _, name := range []string{"zarr.json", ".zarray", ".zattrs"} {
				for _, path := range []string{"top/a/", "top/x/y/b/"} {
					succeed(t, st.Delete(ctx, path+name, store.DeleteOptions{}))
				}
			}
			succeed(t, second(zarr.CreateGroup(ctx, st, "top/a", zarr.Spec{Format: format})))
			if n, err := g.OpenGroup(ctx, "a"); err != nil {
				t.Errorf("a group by now: %v, %v", n, err)
			}
			if n, err := g.OpenArray(ctx, "a"); err != nil {
				t.Errorf("an array by the copy: %v, %v", n, err)
			}

			// Now only the copy has the node.
			b, err := g.OpenArray(ctx, "x/y/b")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := zarr.Read[int8](ctx, b); !errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), "only in consolidated metadata") {
				t.Errorf("read: %v, %v", got, err)
			}
			if b, err := b.Refresh(ctx); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("refreshed: %v, %v", b, err)
			}
			tr.Requests()
			if err := zarr.Write(ctx, b, []int8{1, 2}); !errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), "only in consolidated metadata") {
				t.Errorf("written: %v", err)
			}
			if _, err := b.SetAttrs(ctx, map[string]any{}); !errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), "only in consolidated metadata") {
				t.Errorf("attributes: %v", err)
			}
			if got := tr.Requests(); strings.Contains(got, "put") {
				t.Errorf("asked %q", got)
			}
			direct, err := g.With(zarr.IgnoreConsolidated())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := direct.OpenArray(ctx, "x/y/b"); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("Direct: %v", err)
			}
		})
	}
}

// TestWriteThroughStale checks that an array which was replaced after the copy was made is not
// written by the metadata in the copy. If it is unchanged, the check takes one request, once.
func TestWriteThroughStale(t *testing.T) {
	document := map[int]string{2: "get top/a/.zarray", 3: "get top/a/zarr.json"}
	chunk := map[int]string{2: "put top/a/0", 3: "put top/a/c/0"}
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			st, g, tr := consolidatedForest(t, format)
			a, err := g.OpenArray(ctx, "a")
			if err != nil {
				t.Fatal(err)
			}
			tr.Requests()
			succeed(t, zarr.Write(ctx, a, []int8{1, 2}))
			if got, want := tr.Requests(), document[format]+", "+chunk[format]; got != want {
				t.Errorf("the first write costs %q", got)
			}
			view, err := a.With(zarr.StoreFill())
			if err != nil {
				t.Fatal(err)
			}
			succeed(t, zarr.Write(ctx, view, []int8{3, 4}))
			if got := tr.Requests(); got != chunk[format] {
				t.Errorf("the second one costs %q", got)
			}

			// Another array replaces it.
			if a, err = g.OpenArray(ctx, "a"); err != nil {
				t.Fatal(err)
			}
			other, err := zarr.Replace(ctx, st, "top/a", zarr.Spec{Format: format, Shape: []int{2}, DType: dtype.Int8, Codecs: []codec.Spec{codec.Gzip(1)}, Attrs: map[string]any{"name": "a"}})
			if err != nil {
				t.Fatal(err)
			}
			succeed(t, zarr.Write(ctx, other, []int8{5, 6}))
			for range 2 {
				if err := zarr.Write(ctx, a, []int8{7, 8}); !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "codecs") {
					t.Errorf("over another array: %v", err)
				}
			}
			if _, err := a.SetAttrs(ctx, map[string]any{"a": 1}); !errors.Is(err, zarr.ErrConflict) || !strings.Contains(err.Error(), "codecs") {
				t.Errorf("attributes of another array: %v", err)
			}
			if got, err := zarr.Read[int8](ctx, other); err != nil || !slices.Equal(got, []int8{5, 6}) {
				t.Errorf("%v, %v", got, err)
			}
			if a, err = a.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
			if err := zarr.Write(ctx, a, []int8{7, 8}); err != nil {
				t.Errorf("refreshed: %v", err)
			}
		})
	}
}

// TestWriteTextThroughConsolidated writes text, whose elements are numbers in memory. The check
// against the stored metadata must not compare the memory form.
func TestWriteTextThroughConsolidated(t *testing.T) {
	for _, format := range []int{2, 3} {
		st := mem.New()
		g, err := zarr.CreateGroup(t.Context(), st, "", zarr.Spec{Format: format})
		if err == nil {
			_, err = g.CreateArray(t.Context(), "s", zarr.Spec{Shape: []int{2}, DType: dtype.String})
		}
		if err == nil {
			g, err = g.Consolidate(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := g.OpenArray(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		if err := zarr.Write(t.Context(), s, []string{"a", "b"}); err != nil {
			t.Errorf("v%d: %v", format, err)
		}
	}
}

// TestBadConsolidated checks that a group whose copy is invalid is listed from the store and has a
// finding, and that strict mode refuses it.
func TestBadConsolidated(t *testing.T) {
	v3 := `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":`
	for name, tt := range map[string]struct {
		format   int
		key, doc string
		kind     error
	}{
		"v3, a list":        {3, "top/zarr.json", v3 + `[]}}`, zarr.ErrMetadata},
		"v3, out of it":     {3, "top/zarr.json", v3 + `{"../a":{}}}}`, zarr.ErrPath},
		"v2, cut":           {2, "top/.zmetadata", `{"metadata":`, zarr.ErrMetadata},
		"v2, empty":         {2, "top/.zmetadata", ``, zarr.ErrMetadata},
		"v2, format 2":      {2, "top/.zmetadata", `{"zarr_consolidated_format":2,"metadata":{}}`, errors.ErrUnsupported},
		"v2, out of it":     {2, "top/.zmetadata", `{"zarr_consolidated_format":1,"metadata":{"../a/.zgroup":{}}}`, zarr.ErrPath},
		"v2, over a limit":  {2, "top/.zmetadata", strings.Repeat(" ", 1<<13) + `{}`, zarr.ErrLimit},
		"v2, no metadata":   {2, "top/.zmetadata", `{"zarr_consolidated_format":1}`, zarr.ErrMetadata},
		"v2, list of nodes": {2, "top/.zmetadata", `{"zarr_consolidated_format":1,"metadata":[]}`, zarr.ErrMetadata},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, st := t.Context(), mem.New()
			forest(t, st, tt.format)
			put(t, st, tt.key, tt.doc)
			var f told
			g, err := zarr.OpenGroup(ctx, st, "top", zarr.OnFinding(f.tell), zarr.Limit(zarr.Limits{Metadata: 1 << 12}))
			if err != nil {
				t.Fatal(err)
			}
			if got := paths(t, g); len(got) != 4 {
				t.Errorf("walked %q", got)
			}
			if a, err := g.OpenArray(ctx, "x/y/b"); err != nil || a.Len() != 2 {
				t.Errorf("%v, %v", a, err)
			}
			if len(f.all) != 1 || f.all[0].Rule != rule.BadConsolidated || f.all[0].Severity() != rule.Warning || f.all[0].Path != "top" || f.all[0].Key != tt.key {
				t.Errorf("told %+v", f.all)
			}
			if _, err := upkeep.CheckConsolidated(ctx, g); !errors.Is(err, tt.kind) {
				t.Errorf("compared: %v", err)
			}

			g, err = zarr.OpenGroup(ctx, st, "top", zarr.Strict(), zarr.Limit(zarr.Limits{Metadata: 1 << 12}))
			if err == nil {
				for n, e := range g.Members(ctx) {
					if err = e; e == nil {
						t.Errorf("strict: %v", n)
					}
				}
				if _, opened := g.OpenArray(ctx, "a"); !errors.Is(opened, tt.kind) {
					t.Errorf("strict: %v", opened)
				}
			}
			var m *zarr.MetaError
			if rule.Of(err) != rule.BadConsolidated || !errors.Is(err, tt.kind) || !errors.As(err, &m) || m.Key != tt.key {
				t.Errorf("strict: %v", err)
			}

			if g, err = zarr.OpenGroup(ctx, st, "top"); err == nil {
				g, err = g.Consolidate(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
			if d, err := upkeep.CheckConsolidated(ctx, g); err != nil || d != nil {
				t.Errorf("made anew: %v, %v", d, err)
			}
		})
	}
}

// TestBadConsolidatedUnlisted checks that the error of a store that cannot list names the reason
// why the copy was not used.
func TestBadConsolidatedUnlisted(t *testing.T) {
	for format, doc := range map[int]string{2: `{"zarr_consolidated_format":7,"metadata":{}}`, 3: `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":7}}`} {
		st := mem.New()
		forest(t, st, format)
		put(t, st, map[int]string{2: "top/.zmetadata", 3: "top/zarr.json"}[format], doc)
		g, err := zarr.OpenGroup(t.Context(), unlisted{st, fmt.Errorf("no listing: %w", errors.ErrUnsupported)}, "top")
		if err != nil {
			t.Fatal(err)
		}
		for n, err := range g.Members(t.Context()) {
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "7") {
				t.Errorf("v%d: %v, %v", format, n, err)
			}
		}
	}
}

// TestBadEntryOfConsolidated checks that a damaged entry of a copy does not hide the node, and is
// the error if the node does not exist.
func TestBadEntryOfConsolidated(t *testing.T) {
	st := mem.New()
	forest(t, st, 3)
	put(t, st, "top/zarr.json", `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{
		"a":{"zarr_format":3,"node_type":"array"},"gone":{"zarr_format":3,"node_type":"array"}}}}`)
	g, err := zarr.OpenGroup(t.Context(), st, "top")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := g.OpenArray(t.Context(), "a"); err != nil || a.Len() != 2 {
		t.Errorf("%v, %v", a, err)
	}
	var m *zarr.MetaError
	if _, err := g.OpenArray(t.Context(), "gone"); !errors.As(err, &m) || !strings.HasPrefix(m.Pointer, "/consolidated_metadata/metadata/gone") {
		t.Errorf("%v", err)
	}
}

// TestOpenThroughConsolidatedAtOnce checks that concurrent callers share one read of a copy.
func TestOpenThroughConsolidatedAtOnce(t *testing.T) {
	_, g, tr := consolidatedForest(t, 2)
	errs := make(chan error)
	for range 16 {
		go func() {
			_, err := g.OpenArray(context.WithoutCancel(t.Context()), "a")
			errs <- err
		}()
	}
	for range 16 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := tr.Requests(); got != "get top/.zmetadata" {
		t.Errorf("asked %q", got)
	}
}
