package archtest

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The limits of package zarr, which may only decrease. maxLines counts lines of code, without
// comments and blank lines. It corresponds to 4,000 lines as counted by wc -l. maxNames counts the
// exported names of the package, without errors, methods and fields. WriteShard has raised it once.
const (
	maxLines   = 2760
	maxNames   = 63
	maxCircles = 0
)

// TestPackageZarr checks the size of package zarr, that it sends no requests, and that its files do
// not depend on each other in a circle.
func TestPackageZarr(t *testing.T) {
	c, err := Parse(t.Context(), top, "./zarr")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := c.Lines()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d lines", lines)
	if lines > maxLines {
		t.Errorf("%d lines of code, more than %d", lines, maxLines)
	}
	names := c.Exported()
	t.Logf("%d names", len(names))
	if len(names) > maxNames {
		t.Errorf("%d exported names, more than %d: %v", len(names), maxNames, names)
	}
	circles := c.Circles()
	t.Logf("%d circles:\n%s", len(circles), strings.Join(circles, "\n"))
	if len(circles) > maxCircles {
		t.Errorf("%d pairs of files need each other, more than %d:\n%s", len(circles), maxCircles, strings.Join(circles, "\n"))
	}
	for file, n := range c.Sends() {
		t.Errorf("zarr/%s sends requests in %d places: that is for internal/chunk/engine and internal/node", file, n)
	}
}

// TestCallIsExplicit checks that no state of a call of the engine is passed in a context, where
// every function below could see it.
func TestCallIsExplicit(t *testing.T) {
	c, err := Parse(t.Context(), top, "./internal/chunk/engine")
	if err != nil {
		t.Fatal(err)
	}
	for id, o := range c.Info.Uses {
		if f, ok := o.(*types.Func); ok && f.FullName() == "context.WithValue" {
			t.Errorf("%s: context.WithValue", c.Fset.Position(id.Pos()))
		}
	}
}

// The limits of package engine, which may only decrease. Reads in runs have raised the first one
// once.
const (
	maxEngineLines = 3100 // with comments
	maxSenders     = 2
	maxLevels      = 7 // number of files in the longest chain of dependencies
)

// TestPackageEngine checks the size of package engine, the number of files that send requests, and
// the dependencies between files.
func TestPackageEngine(t *testing.T) {
	c, err := Parse(t.Context(), top, "./internal/chunk/engine")
	if err != nil {
		t.Fatal(err)
	}
	if sends := c.Sends(); len(sends) > maxSenders {
		t.Errorf("%d files send requests, more than %d: %v", len(sends), maxSenders, sends)
	}
	levels, circle := c.Levels()
	if circle != nil {
		t.Errorf("files need each other in a circle: %v", circle)
	}
	t.Logf("%d levels of files", levels)
	if levels > maxLevels {
		t.Errorf("%d levels of files, more than %d", levels, maxLevels)
	}
	lines := 0
	for _, f := range c.Files {
		lines += c.Fset.File(f.Pos()).LineCount() - 1
	}
	t.Logf("%d lines", lines)
	if lines > maxEngineLines {
		t.Errorf("%d lines, more than %d", lines, maxEngineLines)
	}
}

// TestSendsAreFound checks that Sends finds the calls that send requests.
func TestSendsAreFound(t *testing.T) {
	for pattern, least := range map[string]int{"./internal/chunk/engine": 3, "./internal/node": 5} {
		c, err := Parse(t.Context(), top, pattern)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, places := range c.Sends() {
			n += places
		}
		if n < least {
			t.Errorf("%s sends requests in %d places only", pattern, n)
		}
	}
}

func TestFilesOfAPackage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n",
		"a.go":   "package p\n\n// T is one.\ntype T struct{ n int }\n\nfunc (t T) F() int { return g(t) }\n\nvar Err1, Two = 1, 2\n",
		"b.go":   "package p\n\nfunc g(t T) int { return t.n + h() }\n",
		"c.go":   "package p\n\nfunc h() int { return 1 }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Parse(t.Context(), dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Circles(); !slices.Equal(got, []string{"a.go <-> b.go"}) {
		t.Errorf("circles: %q", got)
	}
	if n, circle := c.Levels(); n != 0 || !slices.Equal(circle, []string{"a.go", "b.go"}) {
		t.Errorf("%d levels, circle %q", n, circle)
	}
	if got := c.Exported(); !slices.Equal(got, []string{"T", "Two"}) {
		t.Errorf("names: %q", got)
	}
	if n, err := c.Lines(); n != 8 || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
	if got := c.Sends(); len(got) > 0 {
		t.Errorf("requests: %v", got)
	}
	want := `flowchart TD
  a_go["a.go"] --> b_go["b.go"]
  b_go["b.go"] --> a_go["a.go"]
  b_go["b.go"] --> c_go["c.go"]
`
	if got := c.Mermaid(); got != want {
		t.Errorf("drawn as\n%s", got)
	}
}
