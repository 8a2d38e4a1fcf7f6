package archtest

import (
	"fmt"
	"strings"
)

// Check compares the imports of packages with the table and returns one line for each forbidden
// import.
//
// Rules for tests are less strict. Tests in the directories zarr, concurrency and internal may
// import all packages of these three directories and what their package may import, but no cloud
// library. Other tests may import any package.
func Check(pkgs []Package, table []Rule) []string {
	known := map[string]bool{}
	for _, p := range pkgs {
		known[p.Path] = true
	}
	own := func(path string) bool {
		return known[path] || anyMatch([]string{"zarr/...", "internal/...", "examples/...", "integration/...", "cmd/..."}, path)
	}
	var bad []string
	for _, p := range pkgs {
		r, ok := RuleFor(table, p.Path)
		if !ok {
			bad = append(bad, p.Path+" is not in the table: decide what it may import")
			continue
		}
		for _, imp := range p.Imports {
			if why := r.refuses(imp, own(imp)); why != "" {
				bad = append(bad, fmt.Sprintf("%s may not import %s%s", p.Path, imp, why))
			}
		}
		if !anyMatch(inner, p.Path) {
			continue
		}
		for _, imp := range p.TestImports {
			if own(imp) && !anyMatch(inner, imp) && !anyMatch(r.Own, imp) || isCloud(imp) {
				bad = append(bad, fmt.Sprintf("tests of %s may not import %s", p.Path, imp))
			}
		}
	}
	return bad
}

func (r Rule) refuses(imp string, own bool) string {
	switch {
	case own:
		if !anyMatch(r.Own, imp) {
			return " "
		}
	case !standard(imp):
		if !anyBelow(r.External, imp) {
			return ", a library that the table does not give it"
		}
	case r.Pure && anyMatch(impure, imp):
		return ", being pure"
	}
	return ""
}

// standard reports whether an import path is in the standard library. The first segment of such a
// path has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func isCloud(path string) bool { return anyBelow(Cloud(), path) }

func anyBelow(bases []string, path string) bool {
	for _, b := range bases {
		if path == b || within(path, b) {
			return true
		}
	}
	return false
}

var (
	inner  = []string{"zarr/...", "concurrency", "internal/..."}
	impure = []string{"context", "net/...", "os/...", "syscall"}
)

// Cloud returns the prefixes of the packages that zarr must not depend on.
func Cloud() []string {
	return []string{"gocloud.dev", "github.com/aws", "github.com/Azure", "cloud.google.com", "google.golang.org",
		"go.opentelemetry.io"}
}

// Forbidden returns the packages in reached whose path is one of the prefixes or is below one.
func Forbidden(reached, prefixes []string) []string {
	var bad []string
	for _, p := range reached {
		if anyBelow(prefixes, p) {
			bad = append(bad, p)
		}
	}
	return bad
}

// Circle returns a cycle in the table as a path of packages, or nil. A rule for "a/..." counts as
// one package.
func Circle(table []Rule) []string {
	const (
		fresh = iota
		open
		done
	)
	state := make([]int, len(table))
	var path []string
	var visit func(i int) []string
	visit = func(i int) []string {
		path = append(path, table[i].Package)
		defer func() { path = path[:len(path)-1] }()
		state[i] = open
		for j, to := range table {
			if j == i || !leads(table, table[i].Own, j) {
				continue
			}
			if state[j] == open {
				return append(append([]string{}, path...), to.Package)
			}
			if state[j] == fresh {
				if c := visit(j); c != nil {
					return c
				}
			}
		}
		state[i] = done
		return nil
	}
	for i := range table {
		if state[i] == fresh {
			if c := visit(i); c != nil {
				return c
			}
		}
	}
	return nil
}

// leads reports whether one of the patterns matches a package to which rule number j applies.
func leads(table []Rule, patterns []string, j int) bool {
	for _, p := range patterns {
		base, below := strings.CutSuffix(p, "/...")
		if below && matches(p, strings.TrimSuffix(table[j].Package, "/...")) {
			return true
		}
		if r, ok := RuleFor(table, base); ok && r.Package == table[j].Package {
			return true
		}
	}
	return false
}
