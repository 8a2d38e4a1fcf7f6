package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
)

// Source checks the source of a package, without its tests, and returns one line for each violation
// of these rules: exactly one package comment, in doc.go; no init functions; unsafe only in
// internal/bits/bytesview; no assignments to package variables.
func Source(p Package) ([]string, error) {
	fset := token.NewFileSet()
	files := map[string]*ast.File{}
	for _, name := range p.Files {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("archtest: %w", err)
		}
		files[name] = f
	}
	var bad []string
	say := func(format string, args ...any) { bad = append(bad, p.Path+": "+fmt.Sprintf(format, args...)) }

	for _, name := range p.Files {
		f := files[name]
		if name == "doc.go" && f.Doc == nil {
			say("doc.go has no package comment")
		}
		if name != "doc.go" && f.Doc != nil {
			say("%s has a package comment, which belongs into doc.go", name)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				say("%s has an init", name)
			}
		}
	}
	if !slices.Contains(p.Files, "doc.go") {
		say("there is no doc.go")
	}
	for _, name := range p.Files {
		for _, imp := range files[name].Imports {
			if path, err := strconv.Unquote(imp.Path.Value); err == nil && path == "unsafe" && p.Path != "internal/bits/bytesview" {
				say("%s imports unsafe, which belongs into internal/bits/bytesview", name)
			}
		}
	}
	vars := packageVars(p.Files, files)
	for _, name := range p.Files {
		for _, id := range changed(files[name], vars) {
			say("%s:%d assigns to the package variable %s", name, fset.Position(id.Pos()).Line, id.Name)
		}
	}
	slices.Sort(bad)
	return bad, nil
}

// packageVars returns the names of the package-level variables in the files.
func packageVars(names []string, files map[string]*ast.File) map[string]bool {
	vars := map[string]bool{}
	for _, name := range names {
		for _, d := range files[name].Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					vars[id.Name] = true
				}
			}
		}
	}
	return vars
}

// changed returns the assignments to package variables, their elements and their fields. It does
// not detect methods that change their receiver, such as the methods of a pool.
func changed(f *ast.File, vars map[string]bool) []*ast.Ident {
	var out []*ast.Ident
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		own := locals(fn)
		note := func(e ast.Expr) {
			if id := root(e); id != nil && vars[id.Name] && !own[id.Name] {
				out = append(out, id)
			}
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					for _, e := range n.Lhs {
						note(e)
					}
				}
			case *ast.IncDecStmt:
				note(n.X)
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					note(n.Key)
					note(n.Value)
				}
			}
			return true
		})
	}
	return out
}

// locals returns all names declared anywhere in a function.
func locals(fn *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	fields := func(l *ast.FieldList) {
		if l == nil {
			return
		}
		for _, f := range l.List {
			for _, id := range f.Names {
				names[id.Name] = true
			}
		}
	}
	fields(fn.Recv)
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			fields(n.Params)
			fields(n.Results)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok {
						names[id.Name] = true
					}
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					names[id.Name] = true
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// root returns the variable to which the assignable expression e belongs.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}
