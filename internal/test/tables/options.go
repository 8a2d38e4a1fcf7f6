package tables

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// options returns a function that generates a table of options. The table lists the functions of a
// package that return its type Option, with the call and the first sentence of the comment.
func options(dir string) func() (string, error) {
	return func() (string, error) {
		p, files, err := documented(dir)
		if err != nil {
			return "", err
		}
		var rows [][]string
		for _, t := range p.Types {
			if t.Name != "Option" {
				continue
			}
			for _, f := range t.Funcs {
				call, err := signature(files, f.Decl)
				if err != nil {
					return "", err
				}
				rows = append(rows, []string{code(p.Name + "." + call), sentence(p, f.Doc)})
			}
		}
		if len(rows) == 0 {
			return "", fmt.Errorf("package %s has no options", dir)
		}
		return table([]string{"option", "effect"}, rows), nil
	}
}

// root is the repository, relative to the directory of this package. Tests run in that directory.
const root = "../../.."

// fields returns a function that generates a table of the fields of a struct, with the name and the
// first sentence of the comment.
func fields(dir, name string) func() (string, error) {
	return func() (string, error) {
		p, files, err := documented(dir)
		if err != nil {
			return "", err
		}
		var rows [][]string
		for _, t := range p.Types {
			if t.Name != name {
				continue
			}
			ast.Inspect(t.Decl, func(n ast.Node) bool {
				f, ok := n.(*ast.Field)
				if !ok {
					return true
				}
				var typ bytes.Buffer
				if err = printer.Fprint(&typ, files, f.Type); err != nil {
					return false
				}
				for _, id := range f.Names {
					if id.IsExported() {
						rows = append(rows, []string{code(id.Name + " " + typ.String()), sentence(p, f.Doc.Text()+f.Comment.Text())})
					}
				}
				return false
			})
		}
		if err != nil {
			return "", err
		}
		if len(rows) == 0 {
			return "", fmt.Errorf("package %s has no struct %s", dir, name)
		}
		return table([]string{"field", "meaning"}, rows), nil
	}
}

// documented returns the documentation of the package in a directory of the repository.
func documented(dir string) (*doc.Package, *token.FileSet, error) {
	files := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		return nil, nil, err
	}
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		parsed = append(parsed, f)
	}
	if len(parsed) == 0 {
		return nil, nil, &fs.PathError{Op: "read", Path: dir, Err: fs.ErrNotExist}
	}
	p, err := doc.NewFromFiles(files, parsed, dir)
	return p, files, err
}

// signature formats the name and the parameters of a function.
func signature(files *token.FileSet, f *ast.FuncDecl) (string, error) {
	var b bytes.Buffer
	err := printer.Fprint(&b, files, &ast.FuncType{Params: f.Type.Params})
	return f.Name.Name + strings.TrimPrefix(b.String(), "func"), err
}

// sentence returns the first sentence of a comment as the text of a table cell.
func sentence(p *doc.Package, text string) string {
	first := p.Synopsis(text)
	if before, ok := strings.CutSuffix(first, ":"); ok { // an example follows the colon
		first = before + "."
	}
	return strings.ReplaceAll(strings.ReplaceAll(first, "|", `\|`), "<", "&lt;")
}
