package zarr_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
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

// Docs name the tests that prove each row of a table, as `folder: TestOne, TestTwo`. Each of them
// must be there.
func TestDocsNameTests(t *testing.T) {
	for _, doc := range []string{"docs/reference/status.md", "docs/evidence/correctness.md", "docs/reference/rules.md"} {
		t.Run(doc, func(t *testing.T) { namesTests(t, doc) })
	}
}

func namesTests(t *testing.T, doc string) {
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(doc)))
	if err != nil {
		t.Fatal(err)
	}
	proofs := regexp.MustCompile("`([a-z0-9/]+): ((?:Test|Fuzz|Example)\\w*(?:, \\w+)*)`").FindAllStringSubmatch(string(text), -1)
	if len(proofs) < 10 {
		t.Fatalf("%s names only %d proofs", doc, len(proofs))
	}
	for _, proof := range proofs {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(proof[1]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var src strings.Builder
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			src.Write(b)
		}
		for name := range strings.SplitSeq(proof[2], ", ") {
			if !strings.Contains(src.String(), "\nfunc "+name+"(") {
				t.Errorf("%s names %s in %s, which has no such test", doc, name, proof[1])
			}
		}
	}
}
