package upkeep_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/upkeep"
)

// TestCheckRoot checks the copy of the group itself in .zmetadata, from which readers take the
// group's attributes.
func TestCheckRoot(t *testing.T) {
	for name, tt := range map[string]struct{ from, to, want string }{
		"attributes":    {`"title":"all"`, `"title":"old"`, "the group itself is changed"},
		"no group":      {`".zgroup":`, `".zother":`, "the group itself is missing"},
		"an array":      {`".zgroup":{"zarr_format":2}`, `".zarray":{"zarr_format":2,"shape":[],"chunks":[],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`, "the group itself is changed"},
		"nothing is":    {"", "", ""},
		"spelled anew":  {`".zgroup":`, ` ".zgroup" : `, ""},
		"and one below": {`"name":"a"`, `"name":"b"`, `"a" is changed`},
		"no attributes": {`".zattrs":{"title":"all"},`, ``, "the group itself is changed"},
	} {
		t.Run(name, func(t *testing.T) {
			st := mem.New()
			g, err := forest(t, st, 2).Consolidate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var doc bytes.Buffer
			check(t, json.Compact(&doc, mustGet(t, st, "top/.zmetadata")))
			if !strings.Contains(doc.String(), tt.from) {
				t.Fatalf("no %s in %s", tt.from, doc.String())
			}
			put(t, st, "top/.zmetadata", strings.Replace(doc.String(), tt.from, tt.to, 1))
			d, err := upkeep.CheckConsolidated(t.Context(), g)
			if got := differences(d); err != nil || got != tt.want {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

// TestCheckBesideBroken checks that a node that cannot be read, or has another format, does not
// hide other differences.
func TestCheckBesideBroken(t *testing.T) {
	for _, format := range []int{2, 3} {
		for path, want := range map[string]string{"a": `"new" is missing`, "x": `"new" is missing`, "": `"a" is changed, "new" is missing`} {
			st := mem.New()
			g, err := forest(t, st, format).Consolidate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := zarr.CreateGroup(t.Context(), st, "top/new", zarr.Spec{Format: 5 - format}); err != nil {
				t.Fatal(err)
			}
			key := "top/" + path + map[int]string{2: "/.zattrs", 3: "/zarr.json"}[format]
			if path == "" {
				a, err := zarr.OpenArray(t.Context(), st, "top/a")
				if err == nil {
					_, err = a.SetAttrs(t.Context(), map[string]any{"name": "another"})
				}
				if err != nil {
					t.Fatal(err)
				}
			} else {
				put(t, st, key, "{")
			}
			d, err := upkeep.CheckConsolidated(t.Context(), g)
			var m *zarr.MetaError
			if got := differences(d); got != want || (path == "") != (err == nil) || err != nil && (!errors.As(err, &m) || m.Key != key) {
				t.Errorf("v%d, %q: %s, %v", format, path, got, err)
			}
			if _, err := g.Consolidate(t.Context()); !errors.Is(err, zarr.ErrMetadata) {
				t.Errorf("v%d, %q: consolidated: %v", format, path, err)
			}
		}
	}
}

// TestCheckAfterConsolidate checks that the stored copy is compared, not the one that the group
// read when it was opened.
func TestCheckAfterConsolidate(t *testing.T) {
	for _, format := range []int{2, 3} {
		t.Run(fmt.Sprint("v", format), func(t *testing.T) {
			ctx := t.Context()
			_, g, _ := consolidatedForest(t, format)
			x, err := g.OpenGroup(ctx, "x")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.CreateArray(ctx, "x/late", zarr.Spec{Shape: []int{3}, DType: dtype.Int16}); err != nil {
				t.Fatal(err)
			}
			if d, err := upkeep.CheckConsolidated(ctx, g); err != nil || differences(d) != `"x/late" is missing` {
				t.Errorf("before: %v, %v", d, err)
			}
			if d, err := upkeep.CheckConsolidated(ctx, x); err != nil || differences(d) != `"late" is missing` {
				t.Errorf("before, of a group in it: %v, %v", d, err)
			}
			fresh, err := g.Consolidate(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for name, g := range map[string]*zarr.Group{"the old group": g, "the new one": fresh, "a group in it": x} {
				if d, err := upkeep.CheckConsolidated(ctx, g); err != nil || d != nil {
					t.Errorf("%s: %v, %v", name, d, err)
				}
			}
			if got := paths(t, g); len(got) != 4 {
				t.Errorf("the old group is a snapshot: %q", got)
			}
			if got := paths(t, fresh); len(got) != 5 {
				t.Errorf("the new group has %q", got)
			}
			if _, err := upkeep.CheckConsolidated(ctx, forest(t, mem.New(), format)); !errors.Is(err, zarr.ErrNotFound) {
				t.Errorf("no copy: %v", err)
			}
		})
	}
}
