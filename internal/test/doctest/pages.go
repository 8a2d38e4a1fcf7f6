package doctest

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
)

// Block is one fenced block of a Markdown page.
type Block struct {
	Lang string // the word after the fence
	Text string // ends with a newline, unless it is empty
	Line int    // number of the fence's line
}

// Fenced returns the fenced blocks of a Markdown page in order.
func Fenced(page string) []Block {
	var blocks []Block
	var b *Block
	n := 0
	for line := range strings.Lines(strings.ReplaceAll(page, "\r\n", "\n")) {
		n++
		word, fence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && b == nil:
			b = &Block{Lang: word, Line: n}
		case fence:
			blocks, b = append(blocks, *b), nil
		case b != nil:
			b.Text += line
		}
	}
	return blocks
}

// Page returns one line for each block of Go code in a Markdown page that does not compile. If runs
// is true, the tests must also run the block: it must be a whole program below examples/ or the
// body of an Example.
func (s *Sources) Page(name, text string, runs bool) ([]string, error) {
	known, err := s.programs()
	if err != nil {
		return nil, err
	}
	var bad []string
	for _, b := range Fenced(text) {
		switch {
		case b.Lang != "go" || known[b.Text]:
		case runs:
			bad = append(bad, fmt.Sprintf("%s:%d: this is neither a program below examples/ nor the body of an Example", name, b.Line))
		default:
			for _, err := range s.compile(&Package{Name: "zarr", Path: s.module + "/zarr"}, b.Text, nil) {
				bad = append(bad, fmt.Sprintf("%s:%d: %v", name, b.Line, err))
			}
		}
	}
	return bad, nil
}

// programs returns the set of texts of each main.go below examples/ and of the body of each
// Example. Bodies do not include indentation and the output comment.
func (s *Sources) programs() (map[string]bool, error) {
	known := map[string]bool{}
	for _, p := range s.Packages {
		example := p.Name == "main" && strings.Contains(p.Path, "/examples/")
		for _, f := range p.Files {
			file := s.Fset.Position(f.Package).Filename
			main, test := filepath.Base(file) == "main.go" && example, strings.HasSuffix(file, "_test.go")
			if !main && !test {
				continue
			}
			b, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("doctest: %w", err)
			}
			if main {
				known[strings.ReplaceAll(string(b), "\r\n", "\n")] = true
				continue
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Example") {
					known[body(string(b[s.Fset.Position(fn.Body.Lbrace).Offset+1:s.Fset.Position(fn.Body.Rbrace).Offset]))] = true
				}
			}
		}
	}
	return known, nil
}

// body returns the statements of an Example as a page shows them.
func body(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, output := range []string{"\t// Output:", "\t// Unordered output:"} {
		text, _, _ = strings.Cut(text, output)
	}
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
		b.WriteString(strings.TrimPrefix(line, "\t"))
	}
	return b.String()
}
