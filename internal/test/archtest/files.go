package archtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Code is the type-checked code of one package, without its tests.
type Code struct {
	Fset  *token.FileSet
	Files []*ast.File
	Info  *types.Info
	Types *types.Package
}

// Parse loads the package that matches pattern, in the module that contains the directory dir. It
// loads the dependencies from the go command's build cache.
func Parse(ctx context.Context, dir, pattern string) (*Code, error) {
	all, err := ParseAll(ctx, dir, pattern)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		return c, nil
	}
	return nil, fmt.Errorf("archtest: no package matches %q", pattern)
}

// ParseAll loads the packages that match the patterns, as Parse does, by their paths.
func ParseAll(ctx context.Context, dir string, patterns ...string) (map[string]*Code, error) {
	out, err := golist(ctx, dir, append([]string{"-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	exports, all := map[string]string{}, map[string]*Code{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			DepOnly                 bool
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("archtest: go list: %w", err)
		}
		if exports[p.ImportPath] = p.Export; p.DepOnly {
			continue
		}
		c := &Code{Fset: token.NewFileSet(), Info: &types.Info{Uses: map[*ast.Ident]types.Object{}}}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(c.Fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, fmt.Errorf("archtest: %w", err)
			}
			c.Files = append(c.Files, f)
		}
		all[p.ImportPath] = c
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	for path, c := range all {
		conf := types.Config{Importer: importer.ForCompiler(c.Fset, "gc", open)}
		if c.Types, err = conf.Check(path, c.Fset, c.Files, c.Info); err != nil {
			return nil, fmt.Errorf("archtest: %w", err)
		}
	}
	return all, nil
}

func (c *Code) file(p token.Pos) string { return filepath.Base(c.Fset.Position(p).Filename) }

// Needs returns, for each file, the other files of the package whose declarations it uses.
func (c *Code) Needs() map[string][]string {
	needs := map[string][]string{}
	for _, f := range c.Files {
		needs[c.file(f.Pos())] = nil
	}
	for id, o := range c.Info.Uses {
		if o.Pkg() != c.Types {
			continue
		}
		from, to := c.file(id.Pos()), c.file(o.Pos())
		if from != to && !slices.Contains(needs[from], to) {
			needs[from] = append(needs[from], to)
		}
	}
	for _, to := range needs {
		slices.Sort(to)
	}
	return needs
}

// Circles returns the pairs of files that depend on each other, in the form "a.go <-> b.go".
func (c *Code) Circles() []string {
	needs := c.Needs()
	var pairs []string
	for from, to := range needs {
		for _, other := range to {
			if from < other && slices.Contains(needs[other], from) {
				pairs = append(pairs, from+" <-> "+other)
			}
		}
	}
	slices.Sort(pairs)
	return pairs
}

// Levels returns the length of the longest chain of files that each need the next one. If files
// need each other in a circle, Levels returns one such circle.
func (c *Code) Levels() (n int, circle []string) {
	needs, level := c.Needs(), map[string]int{}
	var visit func(file string, path []string) (n int, circle []string)
	visit = func(file string, path []string) (int, []string) {
		if i := slices.Index(path, file); i >= 0 {
			return 0, path[i:]
		}
		if n := level[file]; n > 0 {
			return n, nil
		}
		below := 0
		for _, to := range needs[file] {
			n, circle := visit(to, append(path, file))
			if circle != nil {
				return 0, circle
			}
			below = max(below, n)
		}
		level[file] = below + 1
		return below + 1, nil
	}
	for _, file := range slices.Sorted(maps.Keys(needs)) {
		k, circle := visit(file, nil)
		if circle != nil {
			return 0, circle
		}
		n = max(n, k)
	}
	return n, nil
}

// requests lists the functions and methods of package zarr/store that make requests.
var requests = []string{"Get", "GetRanges", "Put", "Delete", "DeleteAll", "DeleteSeq", "List", "ListAll", "ListPage", "Pages", "PutParts", "Part", "Sent", "Commit", "Abort", "Copy"}

// Sends returns, for each file, the number of calls that send a request to a store.
func (c *Code) Sends() map[string]int {
	sends := map[string]int{}
	for id, o := range c.Info.Uses {
		if f, ok := o.(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == Module+"/zarr/store" && slices.Contains(requests, f.Name()) {
			sends[c.file(id.Pos())]++
		}
	}
	return sends
}

// Exported returns the exported names of the package, except errors and error types.
func (c *Code) Exported() []string {
	return slices.DeleteFunc(c.Types.Scope().Names(), func(name string) bool {
		return !ast.IsExported(name) || strings.HasPrefix(name, "Err") || strings.HasSuffix(name, "Error")
	})
}

// Lines returns the number of lines of code, excluding blank lines and comments.
func (c *Code) Lines() (n int, err error) {
	for _, f := range c.Files {
		b, err := os.ReadFile(c.Fset.Position(f.Pos()).Filename)
		if err != nil {
			return 0, fmt.Errorf("archtest: %w", err)
		}
		for line := range strings.Lines(string(b)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
	}
	return n, nil
}

// Tangled returns the number of pairs of files where the first needs the second, and the second
// needs the first directly or through other files.
func (c *Code) Tangled() (n int) {
	needs := c.Needs()
	reached := map[string]map[string]bool{}
	for file := range needs {
		seen := map[string]bool{}
		for left := slices.Clone(needs[file]); len(left) > 0; {
			to := left[len(left)-1]
			if left = left[:len(left)-1]; !seen[to] {
				seen[to] = true
				left = append(left, needs[to]...)
			}
		}
		reached[file] = seen
	}
	for from, to := range needs {
		for _, other := range to {
			if reached[other][from] {
				n++
			}
		}
	}
	return n
}

// Opens returns the files that have a declaration with the name of the file, and open with another
// one that is not exported.
func (c *Code) Opens() (bad []string) {
	for _, f := range c.Files {
		file := c.file(f.Pos())
		names := declared(f)
		own := func(n string) bool {
			base, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
			return strings.EqualFold(n, base)
		}
		if len(names) == 0 || slices.ContainsFunc(names[0], ast.IsExported) || slices.ContainsFunc(names[0], own) {
			continue
		}
		if slices.ContainsFunc(names, func(n []string) bool { return slices.ContainsFunc(n, own) }) {
			bad = append(bad, file)
		}
	}
	slices.Sort(bad)
	return bad
}

// declared returns the names of each declaration of a file, in order, without imports.
func declared(f *ast.File) (all [][]string) {
	for _, d := range f.Decls {
		var names []string
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
			if d.Tok == token.IMPORT {
				continue
			}
		}
		all = append(all, names)
	}
	return all
}
