package archtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
)

// Surface is the exported API of a package.
type Surface struct {
	Path  string // relative to the module
	Dir   string
	Types *types.Package
}

// Public returns the paths of the packages that users import.
func Public(pkgs []Package) []string {
	var paths []string
	for _, p := range pkgs {
		if !anyMatch([]string{"internal/...", "integration/...", "examples/...", "cmd/..."}, p.Path) && !strings.Contains(p.Path, "/internal/") {
			paths = append(paths, p.Path)
		}
	}
	return paths
}

// Surfaces loads the exported API of packages from the go command's build cache. paths are the
// import paths of the packages. dir is a directory of their module.
func Surfaces(ctx context.Context, dir string, paths []string) ([]Surface, error) {
	args := []string{"-export", "-deps", "-json=ImportPath,Dir,Export,DepOnly"}
	for _, p := range paths {
		args = append(args, Module+"/"+p)
	}
	out, err := golist(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	var found []Surface
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir, Export string
			DepOnly                 bool
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("archtest: go list: %w", err)
		}
		if exports[p.ImportPath] = p.Export; !p.DepOnly {
			found = append(found, Surface{Path: relative(p.ImportPath), Dir: p.Dir})
		}
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for i, s := range found {
		if found[i].Types, err = from.Import(Module + "/" + s.Path); err != nil {
			return nil, fmt.Errorf("archtest: %w", err)
		}
	}
	return found, nil
}

// exported calls f for each exported name of the package, in order.
func (s Surface) exported(f func(types.Object)) {
	for _, name := range s.Types.Scope().Names() {
		if ast.IsExported(name) {
			f(s.Types.Scope().Lookup(name))
		}
	}
}

// methods returns the exported methods of a type and of pointers to it, in order of name.
func methods(n *types.Named) (all []*types.Func) {
	for m := range n.Methods() {
		if m.Exported() {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *types.Func) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// API returns a text with one line for each exported name, field and method.
func (s Surface) API() string {
	var b strings.Builder
	of := func(p *types.Package) string {
		if p == s.Types {
			return ""
		}
		return p.Name()
	}
	line := func(indent string, o types.Object) { fmt.Fprintf(&b, "%s%s\n", indent, types.ObjectString(o, of)) }
	s.exported(func(o types.Object) {
		switch o := o.(type) {
		case *types.Const:
			fmt.Fprintf(&b, "%s = %s\n", types.ObjectString(o, of), o.Val().ExactString())
		case *types.TypeName:
			n, ok := o.Type().(*types.Named)
			if !ok || o.IsAlias() {
				line("", o)
				return
			}
			switch u := n.Underlying().(type) {
			case *types.Struct:
				fmt.Fprintf(&b, "type %s struct\n", types.TypeString(n, of))
				for f := range u.Fields() {
					switch {
					case f.Exported() && f.Embedded():
						fmt.Fprintf(&b, "\tembedded %s\n", types.TypeString(f.Type(), of))
					case f.Exported():
						line("\t", f)
					}
				}
			case *types.Interface:
				fmt.Fprintf(&b, "type %s interface\n", types.TypeString(n, of))
				for i := range u.NumMethods() { // sorted, including methods of embedded interfaces
					line("\t", u.Method(i))
				}
			default:
				line("", o)
			}
			for _, m := range methods(n) {
				line("\t", m)
			}
		default:
			line("", o)
		}
	})
	return b.String()
}

// Leaks returns the exported names, fields and methods whose types refer to internal packages, for
// example "Array.Source: internal/node.Node".
func (s Surface) Leaks() []string {
	var bad []string
	check := func(name string, t types.Type) {
		for _, hidden := range internals(t) {
			if line := name + ": " + hidden; !slices.Contains(bad, line) {
				bad = append(bad, line)
			}
		}
	}
	s.exported(func(o types.Object) {
		tn, ok := o.(*types.TypeName)
		if !ok {
			check(o.Name(), o.Type())
			return
		}
		if a, ok := o.Type().(*types.Alias); ok {
			check(o.Name(), a.Rhs())
			return
		}
		n, ok := o.Type().(*types.Named)
		if !ok || tn.IsAlias() {
			check(o.Name(), o.Type())
			return
		}
		switch u := n.Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				if f.Exported() {
					check(o.Name()+"."+f.Name(), f.Type())
				}
			}
		case *types.Interface:
			for m := range u.Methods() {
				if m.Exported() {
					check(o.Name()+"."+m.Name(), m.Type())
				}
			}
		default:
			check(o.Name(), u)
		}
		for _, m := range methods(n) {
			check(o.Name()+"."+m.Name(), m.Type())
		}
	})
	return bad
}

// internals returns the types of internal packages to which the type t refers.
func internals(t types.Type) (all []string) {
	seen := map[types.Type]bool{}
	var visit func(types.Type)
	named := func(o *types.TypeName, args *types.TypeList) {
		if p := o.Pkg(); p != nil && strings.HasPrefix(p.Path(), Module+"/") && strings.Contains(p.Path(), "internal/") {
			all = append(all, relative(p.Path())+"."+o.Name())
		}
		for a := range args.Types() {
			visit(a)
		}
	}
	visit = func(t types.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			named(t.Obj(), t.TypeArgs())
		case *types.Alias:
			named(t.Obj(), t.TypeArgs())
			visit(t.Rhs())
		case *types.Pointer:
			visit(t.Elem())
		case *types.Slice:
			visit(t.Elem())
		case *types.Array:
			visit(t.Elem())
		case *types.Chan:
			visit(t.Elem())
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case *types.Tuple:
			for v := range t.Variables() {
				visit(v.Type())
			}
		case *types.Signature:
			for p := range t.TypeParams().TypeParams() {
				visit(p.Constraint())
			}
			visit(t.Params())
			visit(t.Results())
		case *types.Struct:
			for f := range t.Fields() {
				visit(f.Type())
			}
		case *types.Interface:
			for m := range t.Methods() {
				visit(m.Type())
			}
			for e := range t.EmbeddedTypes() {
				visit(e)
			}
		case *types.Union:
			for u := range t.Terms() {
				visit(u.Type())
			}
		}
	}
	visit(t)
	return all
}
