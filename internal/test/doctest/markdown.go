package doctest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Pages are the Markdown files of a repository, by path relative to its root.
type Pages struct {
	root string
	text map[string]string
}

// LoadPages reads all Markdown files below root, except those below hidden directories and
// directories named testdata.
func LoadPages(root string) (*Pages, error) {
	p := &Pages{root: root, text: map[string]string{}}
	err := files(root, ".md", func(name, text string) error {
		p.text[name] = text
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("doctest: %w", err)
	}
	return p, nil
}

// files calls visit with the path and the text of each file below root whose name ends with suffix.
// Lines of the text end with "\n".
func files(root, suffix string, visit func(name, text string) error) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != root && (base == "testdata" || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(d.Name(), suffix) {
			return nil
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(rel), strings.ReplaceAll(string(b), "\r\n", "\n"))
	})
}

// Len returns the number of pages.
func (p *Pages) Len() int { return len(p.text) }

// Text returns the text of a page, or "" if the page does not exist.
func (p *Pages) Text(name string) string { return p.text[name] }

// Lines returns the number of lines of a page, or 0 if the page does not exist.
func (p *Pages) Lines(name string) int { return strings.Count(p.text[name], "\n") }

// Below returns the paths of the pages in a directory and its subdirectories, in order.
func (p *Pages) Below(dir string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.text)), func(name string) bool { return !strings.HasPrefix(name, dir+"/") })
}

var (
	fence  = regexp.MustCompile("(?ms)^[ \t]*```[^\n]*\n.*?^[ \t]*```[ \t]*$")
	inline = regexp.MustCompile("`[^`\n]*`")
	target = regexp.MustCompile(`\]\(([^)\s]+)(?: "[^"]*")?\)`)
	title  = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *#*$`)
	anchor = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
)

// prose returns a page without its code blocks. If spans is false, prose also removes inline code.
func (p *Pages) prose(name string, spans bool) string {
	text := fence.ReplaceAllString(p.text[name], "")
	if !spans {
		text = inline.ReplaceAllString(text, "")
	}
	return text
}

// links returns the relative links of a page. For each link it returns the linked path, relative to
// the repository, and the fragment.
func (p *Pages) links(name string) [][2]string {
	var out [][2]string
	for _, m := range target.FindAllStringSubmatch(p.prose(name, false), -1) {
		if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
			continue
		}
		file, fragment, _ := strings.Cut(m[1], "#")
		if file == "" {
			file = name
		} else {
			file = path.Join(path.Dir(name), file)
		}
		out = append(out, [2]string{file, fragment})
	}
	return out
}

// Links returns one line for each broken relative link. A link is broken if the linked file does
// not exist, or if the linked page lacks a heading for the fragment.
func (p *Pages) Links() []string {
	var bad []string
	for _, name := range slices.Sorted(maps.Keys(p.text)) {
		for _, l := range p.links(name) {
			if _, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(l[0]))); err != nil {
				bad = append(bad, fmt.Sprintf("%s: the link to %s leads to no file", name, l[0]))
				continue
			}
			if _, ok := p.text[l[0]]; ok && l[1] != "" && !p.headings(l[0])[l[1]] {
				bad = append(bad, fmt.Sprintf("%s: %s has no heading #%s", name, l[0], l[1]))
			}
		}
	}
	return bad
}

// headings returns the fragments of the headings of a page, as GitHub generates them.
func (p *Pages) headings(name string) map[string]bool {
	all := map[string]bool{}
	for _, m := range title.FindAllStringSubmatch(p.prose(name, true), -1) {
		base := slug(m[1])
		for s, n := base, 1; ; s, n = fmt.Sprintf("%s-%d", base, n), n+1 {
			if !all[s] {
				all[s] = true
				break
			}
		}
	}
	for _, m := range anchor.FindAllStringSubmatch(p.text[name], -1) {
		all[m[1]] = true
	}
	return all
}

var linked = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// slug returns the fragment of a heading in lower case: its letters, digits, "-" and "_", with each
// space replaced by "-".
func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, linked.ReplaceAllString(heading, "$1"))
}

// Unreachable returns the pages that no sequence of links from the page index reaches. It considers
// the pages in the directory of index and its subdirectories.
func (p *Pages) Unreachable(index string) []string {
	seen := map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		if _, ok := p.text[name]; !ok || seen[name] {
			return
		}
		seen[name] = true
		for _, l := range p.links(name) {
			visit(l[0])
		}
	}
	visit(index)
	return slices.DeleteFunc(p.Below(path.Dir(index)), func(name string) bool { return seen[name] })
}

// Unlisted returns the pages that the page index does not link. If index links the README.md of a
// directory, all pages in that directory count as linked. Unlisted considers the pages in the
// directory of index and its subdirectories.
func (p *Pages) Unlisted(index string) []string {
	seen := map[string]bool{index: true}
	for _, l := range p.links(index) {
		seen[l[0]] = true
	}
	return slices.DeleteFunc(p.Below(path.Dir(index)), func(name string) bool {
		dir := path.Join(path.Dir(name), "README.md")
		return seen[name] || dir != index && seen[dir]
	})
}

var (
	proofs = regexp.MustCompile("`([a-z0-9/_]+):\\s+((?:Test|Fuzz|Benchmark|Example)\\w*(?:,\\s+\\w+)*)`")
	test   = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	code   = regexp.MustCompile("`[^`]+`")
	word   = regexp.MustCompile(`\w+`)
)

// Tests returns the number of tests that each page names, and one line for each named test that
// does not exist. A page names tests of one package as `directory: TestOne, TestTwo`, and a test of
// an unspecified package as `TestOne`.
func (p *Pages) Tests() (named map[string]int, bad []string, err error) {
	declared := map[string]map[string]bool{"": {}} // by directory; "" has the tests of all directories
	err = files(p.root, "_test.go", func(name, text string) error {
		dir := path.Dir(name)
		if declared[dir] == nil {
			declared[dir] = map[string]bool{}
		}
		for _, m := range functions.FindAllStringSubmatch(text, -1) {
			declared[dir][m[1]], declared[""][m[1]] = true, true
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("doctest: %w", err)
	}
	// Tests that several fakes share are in files whose names do not end with _test.go.
	err = files(p.root, ".go", func(_, text string) error {
		for _, m := range functions.FindAllStringSubmatch(text, -1) {
			declared[""][m[1]] = true
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("doctest: %w", err)
	}
	named = map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(p.text)) {
		text := fence.ReplaceAllString(p.text[name], "")
		for _, m := range proofs.FindAllStringSubmatch(text, -1) {
			for _, t := range word.FindAllString(m[2], -1) {
				named[name]++
				if !declared[m[1]][t] {
					bad = append(bad, fmt.Sprintf("%s: %s has no %s", name, m[1], t))
				}
			}
		}
		for _, span := range code.FindAllString(proofs.ReplaceAllString(text, ""), -1) {
			for _, t := range test.FindAllString(span, -1) {
				named[name]++
				if !declared[""][t] {
					bad = append(bad, fmt.Sprintf("%s: there is no %s", name, t))
				}
			}
		}
	}
	return named, bad, nil
}

var (
	functions = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`)
	runs      = regexp.MustCompile(`(?m)^\s*// (?:Unordered output|Output):`)
	indent    = regexp.MustCompile(`(?m)^[ \t]+`)
)

// Unchecked returns one line for each block of Go code on a page that is not part of checked code.
// Checked code is a sequence of lines in a test file with an Example that runs, or in a file of the
// programs in examples/. Indentation is ignored.
func (p *Pages) Unchecked(names ...string) ([]string, error) {
	var sources []string
	err := files(p.root, ".go", func(name, text string) error {
		if strings.HasPrefix(name, "examples/") || strings.HasSuffix(name, "_test.go") && runs.MatchString(text) {
			sources = append(sources, "\n"+indent.ReplaceAllString(text, ""))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("doctest: %w", err)
	}
	var bad []string
	for _, name := range names {
		for _, b := range Fenced(p.text[name]) {
			if b.Lang != "go" {
				continue
			}
			block := "\n" + strings.TrimSpace(indent.ReplaceAllString(b.Text, "")) + "\n"
			if !slices.ContainsFunc(sources, func(s string) bool { return strings.Contains(s, block) }) {
				bad = append(bad, fmt.Sprintf("%s: no Example and no program has this code:\n%s", name, b.Text))
			}
		}
	}
	return bad, nil
}
