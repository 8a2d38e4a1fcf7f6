package zarr_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// The first Go program of the README is the body of Example, which the tests run.
func TestReadmeProgram(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(readme), "\r\n", "\n")
	_, rest, ok := strings.Cut(text, "```go\n")
	have, _, closed := strings.Cut(rest, "\n```\n")
	if !ok || !closed {
		t.Fatal("README.md has no Go block")
	}
	if want := exampleBody(t, "Example"); have != want {
		t.Errorf("README.md has\n%s\n\nExample has\n%s", have, want)
	}
}

// exampleBody is the source of an example's body, without indentation and without the comment about
// its output.
func exampleBody(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "example_test.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != name {
			continue
		}
		body := string(src[files.Position(fn.Body.Lbrace).Offset+1 : files.Position(fn.Body.Rbrace).Offset])
		body, _, _ = strings.Cut(strings.ReplaceAll(body, "\r\n", "\n"), "\t// Output:")
		lines := strings.Split(strings.TrimSpace(body), "\n")
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "\t")
		}
		return strings.Join(lines, "\n")
	}
	t.Fatalf("example_test.go has no %s", name)
	return ""
}
