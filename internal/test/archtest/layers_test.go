package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLayers compares the table of layers in docs/architecture.md with the imports of all packages.
func TestLayers(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(top, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	layers, err := ParseLayers(strings.ReplaceAll(string(page), "\r\n", "\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range CheckLayers(load(t), layers) {
		t.Error(line)
	}
}

func TestLayersFinds(t *testing.T) {
	layers, err := ParseLayers("<!-- layers -->\n\n| layer | packages | imports |\n|---|---|---|\n" +
		"| top | `a/...` | base, middle |\n| middle | `b` | |\n| base | `a/c` `c` | |\n\n<!-- end: layers -->\n")
	if err != nil {
		t.Fatal(err)
	}
	pkgs := []Package{
		{Path: "a", Imports: []string{"b", "fmt"}},
		{Path: "a/c"},
		{Path: "b", Imports: []string{"c"}},
		{Path: "c"},
		{Path: "d"},
	}
	want := []string{"d is in no layer", "layer top imports middle, the table has base, middle", "layer middle imports base, the table has "}
	if got := CheckLayers(pkgs, layers); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := ParseLayers("no table"); err == nil {
		t.Error("a page without the table is no error")
	}
}
