package doctest

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
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Sources has the parsed packages of one module and the types of all packages that they import.
type Sources struct {
	Fset     *token.FileSet
	Packages []*Package

	own    map[string]string // import path by package name, for this module's public packages
	module string            // import path of the module
	types  types.Importer
}

// Package is one package, including its test files. Types does not include the tests.
type Package struct {
	Path, Name string
	Files      []*ast.File // files of the package, then of its internal and external tests
	Types      *types.Package
}

// standard lists standard packages that code in comments may use even if the module does not import
// them.
var standard = []string{"log", "log/slog", "net/http", "testing"}

// Load parses the packages that match the patterns in the module that contains the directory dir.
// Types come from the go command's build cache. The go command must be in PATH.
func Load(ctx context.Context, dir string, patterns ...string) (*Sources, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-export", "-deps",
		"-json=ImportPath,Name,Dir,Export,DepOnly,GoFiles,TestGoFiles,XTestGoFiles,Module"}, append(slices.Clone(standard), patterns...)...)...)
	cmd.Dir = dir
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("doctest: go list: %w: %s", err, complaint.String())
	}

	s := &Sources{Fset: token.NewFileSet(), own: map[string]string{}}
	exports := map[string]string{}
	for d := json.NewDecoder(&out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("doctest: go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if p.DepOnly || p.Module == nil || !p.Module.Main {
			continue
		}
		if s.module = p.Module.Path; p.Name != "main" && !strings.Contains(p.ImportPath, "internal/") {
			s.own[p.Name] = p.ImportPath
		}
		parsed, err := s.parse(p)
		if err != nil {
			return nil, err
		}
		s.Packages = append(s.Packages, parsed)
	}
	s.types = importer.ForCompiler(s.Fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("doctest: %s is not imported by this module", path)
		}
		return os.Open(exports[path])
	})
	for _, p := range s.Packages {
		if p.Name == "main" || p.Types != nil || exports[p.Path] == "" {
			continue
		}
		var err error
		if p.Types, err = s.types.Import(p.Path); err != nil {
			return nil, fmt.Errorf("doctest: %w", err)
		}
	}
	return s, nil
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Name, Dir, Export      string
	DepOnly                            bool
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             *struct {
		Path string
		Main bool
	}
}

func (s *Sources) parse(l listed) (*Package, error) {
	p := &Package{Path: l.ImportPath, Name: l.Name}
	for _, names := range [][]string{l.GoFiles, l.TestGoFiles, l.XTestGoFiles} {
		for _, name := range names {
			f, err := parser.ParseFile(s.Fset, filepath.Join(l.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, fmt.Errorf("doctest: %w", err)
			}
			p.Files = append(p.Files, f)
		}
	}
	return p, nil
}

// imports returns the import paths of a file. The keys of the map are the names of the packages in
// the file.
func (s *Sources) imports(f *ast.File) map[string]string {
	paths := map[string]string{}
	for _, spec := range f.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if p, err := s.types.Import(path); err == nil {
			name = p.Name()
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		paths[name] = path
	}
	return paths
}
