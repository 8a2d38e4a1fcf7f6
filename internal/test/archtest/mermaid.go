package archtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Mermaid returns the imports between the packages as a Mermaid flowchart. It omits an import that
// a longer path of imports implies. It also omits zarr/fault, which every package may import.
func Mermaid(pkgs []Package) string {
	to := map[string][]string{}
	for _, p := range pkgs {
		to[p.Path] = nil
	}
	for _, p := range pkgs {
		for _, imp := range p.Imports {
			if _, own := to[imp]; own && imp != "zarr/fault" {
				to[p.Path] = append(to[p.Path], imp)
			}
		}
	}
	return flowchart(to)
}

// Mermaid returns the dependencies between the package's files as a Mermaid flowchart. It omits a
// dependency that a longer path of dependencies implies.
func (c *Code) Mermaid() string { return flowchart(c.Needs()) }

func flowchart(to map[string][]string) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for _, from := range slices.Sorted(maps.Keys(to)) {
		slices.Sort(to[from])
		for _, imp := range to[from] {
			others := slices.DeleteFunc(slices.Clone(to[from]), func(s string) bool { return s == imp })
			if slices.Contains(to[imp], from) || !reaches(to, others, imp, map[string]bool{from: true}) {
				fmt.Fprintf(&b, "  %s[\"%s\"] --> %s[\"%s\"]\n", id(from), from, id(imp), imp)
			}
		}
	}
	return b.String()
}

// reaches reports whether one of the packages imports the target, directly or indirectly.
func reaches(to map[string][]string, from []string, target string, seen map[string]bool) bool {
	for _, p := range from {
		if p == target {
			return true
		}
		if !seen[p] {
			seen[p] = true
			if reaches(to, to[p], target, seen) {
				return true
			}
		}
	}
	return false
}

func id(path string) string { return strings.NewReplacer("/", "_", ".", "_").Replace(path) }
