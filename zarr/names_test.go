package zarr_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// namesOf returns the names of a group, and the first error.
func namesOf(t *testing.T, g *zarr.Group) (names []string, err error) {
	t.Helper()
	for name, err := range g.Names(t.Context()) {
		if err != nil {
			return names, err
		}
		names = append(names, name)
	}
	return names, nil
}

// TestNames checks that names are those of the directories in a listing, whether or not they are
// nodes, in the order of Members. With consolidated metadata they are the names in the metadata.
func TestNames(t *testing.T) {
	for format, want := range map[int][]string{2: {"__a", "a", "a-b", "a0", "folder"}, 3: {"__a", "a", "a-b", "a0", "folder"}} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			st := mem.New()
			g, err := zarr.CreateGroup(t.Context(), st, "top", zarr.Spec{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"a", "a-b", "a0", "a/below"} { // in a listing "a-b/" comes before "a/"
				succeed(t, second(g.CreateGroup(t.Context(), name, nil)))
			}
			for _, key := range []string{"top/folder/file", "top/file", "top/__a/file", "topmost/file"} {
				put(t, st, key, "x")
			}
			if got, err := namesOf(t, g); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %v", got, err)
			}
			for name, err := range g.Names(t.Context()) {
				if err != nil || name != want[0] {
					t.Errorf("the first is %q, %v", name, err)
				}
				break
			}
			if g, err = g.Consolidate(t.Context()); err != nil {
				t.Fatal(err)
			}
			nodes := []string{"a", "a-b", "a0"}
			if got, err := namesOf(t, g); err != nil || !slices.Equal(got, nodes) {
				t.Errorf("of consolidated metadata: %q, %v", got, err)
			}
			if sub, err := g.OpenGroup(t.Context(), "a"); err != nil {
				t.Error(err)
			} else if got, err := namesOf(t, sub); err != nil || !slices.Equal(got, []string{"below"}) {
				t.Errorf("of a group in consolidated metadata: %q, %v", got, err)
			}
			if g, err = g.With(zarr.IgnoreConsolidated()); err != nil {
				t.Fatal(err)
			}
			if got, err := namesOf(t, g); err != nil || !slices.Equal(got, want) {
				t.Errorf("of the store: %q, %v", got, err)
			}
		})
	}
}

// TestNamesCost checks that Names opens no member and only lists: one page for each 1,000 entries,
// which include the group's own document.
func TestNamesCost(t *testing.T) {
	for children, pages := range map[int]int{999: 1, 1000: 2, 1999: 2} {
		st := mem.New()
		succeed(t, second(zarr.CreateGroup(t.Context(), st, "g", zarr.Spec{})))
		for i := range children {
			put(t, st, fmt.Sprintf("g/%04d/zarr.json", i), "{") // is not read
		}
		var tr transcript
		g, err := zarr.OpenGroup(t.Context(), store.Observe(st, tr.Record), "g", zarr.Format(3))
		if err != nil {
			t.Fatal(err)
		}
		names, err := namesOf(t, g)
		if err != nil || len(names) != children || len(tr.Lines) != 1+pages {
			t.Errorf("%d names for %d requests, %v; want %d for %d", len(names), len(tr.Lines), err, children, 1+pages)
		}
	}
}

// TestNamesUnlisted checks that names come from consolidated metadata if the store cannot list, and
// that the error gives the reason if the metadata is unusable.
func TestNamesUnlisted(t *testing.T) {
	for format, doc := range map[int]string{2: `{"zarr_consolidated_format":7,"metadata":{}}`, 3: `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":7}}`} {
		st := mem.New()
		g := forest(t, st, format)
		none := unlisted{st, fmt.Errorf("no listing: %w", errors.ErrUnsupported)}
		open := func() *zarr.Group {
			g, err := zarr.OpenGroup(t.Context(), none, "top", zarr.Format(format))
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		if got, err := namesOf(t, open()); !errors.Is(err, errors.ErrUnsupported) || got != nil {
			t.Errorf("v%d: %q, %v", format, got, err)
		}
		succeed(t, second(g.Consolidate(t.Context())))
		if got, err := namesOf(t, open()); err != nil || !slices.Equal(got, []string{"a", "x"}) {
			t.Errorf("v%d, consolidated: %q, %v", format, got, err)
		}
		put(t, st, map[int]string{2: "top/.zmetadata", 3: "top/zarr.json"}[format], doc)
		if got, err := namesOf(t, open()); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "7") {
			t.Errorf("v%d, bad: %q, %v", format, got, err)
		}
	}
}
