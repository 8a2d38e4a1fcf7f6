package archtest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Layer is a row of the table of layers in docs/architecture.md. It lists some packages and the
// layers that they may import.
type Layer struct {
	Name     string
	Packages []string // patterns, as in Rule
	Imports  []string // names of layers
}

var quoted = regexp.MustCompile("`([^`]+)`")

// ParseLayers parses the table of layers in a page. The table is between two markers "layers".
func ParseLayers(page string) ([]Layer, error) {
	_, rest, ok := strings.Cut(page, "<!-- layers -->\n")
	text, _, closed := strings.Cut(rest, "<!-- end: layers -->")
	if !ok || !closed {
		return nil, fmt.Errorf("archtest: the page has no markers for layers")
	}
	var layers []Layer
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "---") || strings.TrimSpace(cells[0]) == "layer" {
			continue
		}
		l := Layer{Name: strings.TrimSpace(cells[0])}
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			l.Packages = append(l.Packages, m[1])
		}
		for name := range strings.SplitSeq(cells[2], ",") {
			if name = strings.TrimSpace(name); name != "" {
				l.Imports = append(l.Imports, name)
			}
		}
		layers = append(layers, l)
	}
	return layers, nil
}

// CheckLayers returns one line for each package without a layer, and for each layer whose imports
// differ from the table. A package belongs to the layer of the longest pattern that matches it.
// Imports of the layer "fault" are ignored.
func CheckLayers(pkgs []Package, layers []Layer) []string {
	of := func(path string) string {
		best, name := -1, ""
		for _, l := range layers {
			for _, p := range l.Packages {
				if n := len(strings.TrimSuffix(p, "/...")); anyMatch([]string{p}, path) && n > best {
					best, name = n, l.Name
				}
			}
		}
		return name
	}
	var bad []string
	imports := map[string]map[string]bool{}
	for _, p := range pkgs {
		from := of(p.Path)
		if from == "" {
			bad = append(bad, p.Path+" is in no layer")
			continue
		}
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, imp := range p.Imports {
			if strings.Contains(imp, ".") || !slices.ContainsFunc(pkgs, func(q Package) bool { return q.Path == imp }) {
				continue
			}
			if to := of(imp); to != from && to != "fault" && to != "" {
				imports[from][to] = true
			}
		}
	}
	for _, l := range layers {
		if got := slices.Sorted(maps.Keys(imports[l.Name])); !slices.Equal(got, l.Imports) {
			bad = append(bad, fmt.Sprintf("layer %s imports %s, the table has %s", l.Name, strings.Join(got, ", "), strings.Join(l.Imports, ", ")))
		}
	}
	return bad
}
