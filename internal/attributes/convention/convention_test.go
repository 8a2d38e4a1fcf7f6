package convention_test

import (
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// TestDeclared checks that uuid precedes schema_url, that schema_url precedes spec_url, and that
// the name does not identify a convention.
func TestDeclared(t *testing.T) {
	c := convention.Proj()
	draft := "https://raw.githubusercontent.com/zarr-experimental/geo-proj/refs/tags/v1/schema.json"
	for _, x := range []struct {
		name    string
		d       map[string]any
		want    bool
		finding string
	}{
		{"full", c.Declaration(), true, ""},
		{"uuid", map[string]any{"uuid": strings.ToUpper(c.UUID)}, true, ""},
		{"schema_url", map[string]any{"schema_url": c.SchemaURL}, true, ""},
		{"spec_url", map[string]any{"spec_url": c.SpecURL}, true, ""},
		{"name", map[string]any{"name": c.Name}, false, ""},
		{"other uuid", map[string]any{"uuid": convention.Spatial().UUID, "schema_url": c.SchemaURL}, false, ""},
		{"other schema_url", map[string]any{"schema_url": "https://example.com", "spec_url": c.SpecURL}, false, ""},
		{"draft", map[string]any{"schema_url": draft}, true, "belongs to a draft"},
		{"draft of the specification", map[string]any{"spec_url": "https://github.com/zarr-conventions/geo-proj/blob/v1/README.md"}, true, ""},
		{"commit of the release", map[string]any{"schema_url": "https://raw.githubusercontent.com/zarr-conventions/proj/5ca5b2f92e5c7245f957d9128b289ee535f0720d/schema.json"}, true, ""},
		{"unknown version", map[string]any{"uuid": c.UUID, "schema_url": "https://example.com"}, true, "unknown version"},
		{"no object", nil, false, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			f := convention.Findings{Strict: true}
			if got := c.Declared(map[string]any{convention.Key: []any{x.d}}, &f); got != x.want {
				t.Errorf("declared is %v, want %v", got, x.want)
			}
			switch {
			case x.finding == "" && len(f.List) > 0, x.finding != "" && (len(f.List) != 1 || !strings.Contains(f.List[0].Text, x.finding)):
				t.Errorf("findings %v, want %q", f.List, x.finding)
			}
		})
	}
}

// TestFindingsAreBounded adds more than maxFindings findings.
func TestFindingsAreBounded(t *testing.T) {
	list := make([]any, 1000)
	f := convention.Findings{Strict: true}
	convention.Check(map[string]any{convention.Key: list}, &f)
	if len(f.List) != 100 {
		t.Error(len(f.List))
	}
	if p := convention.Pointer("a/b", "~"); p != "/a~1b/~0" {
		t.Error(p)
	}
}
