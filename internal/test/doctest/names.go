package doctest

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
)

// Names returns one line for each name in a comment of p that does not exist. It checks links to
// names of p, and qualified names whose package is public in this module or imported by the file.
func (s *Sources) Names(p *Package) []string {
	var bad []string
	for _, f := range p.Files {
		imports := s.imports(f)
		for _, group := range f.Comments {
			for _, c := range group.List {
				for _, m := range qualified.FindAllStringSubmatch(c.Text, -1) {
					if scope := s.scope(p, m[1], imports); scope != nil && !exists(scope, m[2], m[3]) {
						bad = append(bad, s.at(c, m[1]+"."+join(m[2], m[3])))
					}
				}
				if p.Types == nil || f.Name.Name != p.Name {
					continue
				}
				for _, m := range link.FindAllStringSubmatch(c.Text, -1) {
					if !exists(p.Types, m[1], m[2]) {
						bad = append(bad, s.at(c, "["+join(m[1], m[2])+"]"))
					}
				}
			}
		}
	}
	return bad
}

var (
	// qualified matches pkg.Name and pkg.Type.Member. It does not match parts of a path, of a file
	// name or of a selector of a value.
	qualified = regexp.MustCompile(`(?:^|[^\w./:"-])\*?([a-z][a-z0-9]*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
	// link matches a name in brackets, or a type and its member. It does not match an index, an
	// array type or a type parameter of one letter.
	link = regexp.MustCompile(`(?:^|[^\w\])])\[\*?([A-Z]\w+)(?:\.([A-Z]\w*))?\](?:[^\w(\[*]|$)`)
)

func (s *Sources) at(c *ast.Comment, name string) string {
	p := s.Fset.Position(c.Pos())
	return fmt.Sprintf("%s:%d: %s does not exist", p.Filename, p.Line, name)
}

func join(name, member string) string {
	if member == "" {
		return name
	}
	return name + "." + member
}

// ambiguous lists the packages of this module that have the same name as a standard package. A name
// in such a package is checked only in files that import the package.
var ambiguous = []string{"http", "zip"}

// scope returns the package to which name refers in a comment, or nil if name is not the name of a
// package.
func (s *Sources) scope(p *Package, name string, imports map[string]string) *types.Package {
	path, ok := imports[name]
	if !ok && name == p.Name {
		return p.Types
	}
	if !ok {
		if path, ok = s.own[name]; !ok || slices.Contains(ambiguous, name) {
			return nil
		}
	}
	if path == p.Path {
		return p.Types
	}
	t, err := s.types.Import(path)
	if err != nil {
		return nil
	}
	return t
}

// exists reports whether a package declares a name. If member is not empty, the name must be a type
// with that member.
func exists(p *types.Package, name, member string) bool {
	o := p.Scope().Lookup(name)
	if o == nil || member == "" {
		return o != nil
	}
	found, _, _ := types.LookupFieldOrMethod(o.Type(), true, p, member)
	return found != nil
}
