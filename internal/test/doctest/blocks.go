package doctest

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Blocks returns one line for each block of Go code in a doc comment of p that does not compile. A
// block may use undeclared names. The names ctx, err, st, a and g are declared in advance, as a
// context, an error, a store, an array and a group.
func (s *Sources) Blocks(p *Package) []string {
	var bad []string
	for _, f := range p.Files {
		imports := s.imports(f)
		for _, group := range docs(f) {
			for _, b := range new(comment.Parser).Parse(group.Text()).Content {
				code, ok := b.(*comment.Code)
				if !ok || !isGo(code.Text) {
					continue
				}
				for _, err := range s.compile(p, code.Text, imports) {
					bad = append(bad, fmt.Sprintf("%s: code in the comment: %v", s.Fset.Position(group.Pos()), err))
				}
			}
		}
	}
	return bad
}

// docs returns the doc comments of a file.
func docs(f *ast.File) []*ast.CommentGroup {
	var out []*ast.CommentGroup
	add := func(g *ast.CommentGroup) {
		if g != nil {
			out = append(out, g)
		}
	}
	add(f.Doc)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Doc)
		case *ast.GenDecl:
			add(n.Doc)
		case *ast.TypeSpec:
			add(n.Doc)
		case *ast.ValueSpec:
			add(n.Doc)
		case *ast.Field:
			add(n.Doc)
		}
		return true
	})
	return out
}

// call matches a call of an exported function or method. Every block of Go code has such a call.
var call = regexp.MustCompile(`\b[a-z]\w*\.[A-Z]\w*(\[[^\]]*\])?\(`)

func isGo(text string) bool { return call.MatchString(text) || strings.Contains(text, ":=") }

// preamble declares the names that blocks use without a declaration.
var preamble = map[string]string{
	"ctx": "context.Context", "err": "error", "st": "store.Store", "a": "*zarr.Array", "g": "*zarr.Group",
}

// compile type-checks a block as the body of a function or as declarations.
func (s *Sources) compile(p *Package, text string, imports map[string]string) []error {
	used := map[string]string{"context": "context", "store": s.module + "/zarr/store", "zarr": s.module + "/zarr"}
	maps.Copy(used, imports)
	for name, path := range s.own {
		if _, ok := used[name]; !ok {
			used[name] = path
		}
	}
	for _, name := range []string{"bytes", "errors", "fmt", "io", "log", "log/slog", "net/http", "os", "testing", "time"} {
		if base := name[strings.LastIndexByte(name, '/')+1:]; used[base] == "" {
			used[base] = name
		}
	}
	used[p.Name] = p.Path
	maps.DeleteFunc(used, func(name, _ string) bool {
		return !strings.Contains(text, name+".") && !slices.Contains([]string{"context", "store", "zarr"}, name)
	})

	var b strings.Builder
	b.WriteString("package doctest\n")
	for name, path := range used {
		fmt.Fprintf(&b, "import %s %q\n", name, path)
	}
	for name, typ := range preamble {
		fmt.Fprintf(&b, "var %s %s\n", name, typ)
	}
	lines := strings.Count(b.String(), "\n") + 1
	src := b.String() + "func _() error {\n" + text + "\nreturn nil\n}\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "block", src, parser.SkipObjectResolution)
	if err != nil {
		var fails error
		if f, fails = parser.ParseFile(fset, "block", b.String()+text, parser.SkipObjectResolution); fails != nil {
			return []error{err}
		}
	}
	var bad []error
	conf := types.Config{Importer: s.types, Error: func(err error) {
		e, ok := err.(types.Error)
		unknown := strings.HasPrefix(e.Msg, "undefined: ") && !strings.Contains(e.Msg, ".")
		if !ok || e.Soft || unknown || strings.HasSuffix(e.Msg, "is not used") {
			return // an unused value or an undeclared name is allowed
		}
		bad = append(bad, fmt.Errorf("line %d: %s", e.Fset.Position(e.Pos).Line-lines, e.Msg))
	}}
	_, _ = conf.Check("doctest", fset, []*ast.File{f}, nil) // errors are collected in bad
	return slices.Clip(bad)
}
