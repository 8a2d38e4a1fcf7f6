package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
)

// Lines counts the lines of Go files.
type Lines struct {
	Total    int // with comments and blank lines
	Code     int
	Comments int
	Tests    int // lines of test files, which no other count includes
}

func (l *Lines) add(m Lines) {
	l.Total += m.Total
	l.Code += m.Code
	l.Comments += m.Comments
	l.Tests += m.Tests
}

// Area is a part of the project whose lines are counted together.
type Area struct {
	Name    string
	Library bool     // what a program may link, unlike the command, examples and tests
	Folders []string // a folder belongs to the area with the longest path
}

// Areas returns the areas, which cover all folders. The area of "." covers what no other one does.
func Areas() []Area {
	return []Area{
		{"chunks, nodes and growth", true, []string{"internal/chunk", "internal/node", "internal/grow", "internal/walk", "internal/copying/overlay"}},
		{"providers", true, []string{"s3", "gcs", "azure", "blob", "internal/provider", "zarr/store/http"}},
		{"stores and decorators", true, []string{"zarr/store", "openurl", "concurrency"}},
		{"zarr", true, []string{"zarr", "zarr/fault", "zarr/cache"}},
		{"codecs", true, []string{"zarr/codec", "zarr/internal"}},
		{"data types and metadata", true, []string{"zarr/dtype", "zarr/meta", "zarr/rule"}},
		{"validation and upkeep", true, []string{"zarr/validate", "zarr/upkeep"}},
		{"transfers", true, []string{"transfer", "internal/copying"}},
		{"named data", true, []string{"dataset", "cf", "crs", "multiscale", "picture", "pyramid", "serve", "view", "internal/attributes", "internal/compute"}},
		{"other packages", true, []string{"."}},
		{"tables", false, []string{"arrow"}},
		{"command", false, []string{"cmd"}},
		{"integration", false, []string{"integration"}},
		{"test support", false, []string{"internal/test", "zarr/store/storetest", "zarr/codec/codectest"}},
		{"examples", false, []string{"examples"}},
	}
}

// areaOf returns the index of the area that a folder belongs to.
func areaOf(areas []Area, folder string) int {
	for ; ; folder = path.Dir(folder) {
		if i := slices.IndexFunc(areas, func(a Area) bool { return slices.Contains(a.Folders, folder) }); i >= 0 {
			return i
		}
	}
}

// CountLines counts the lines of the Go files below the root of f, one count for each area. Folders
// that the go command ignores are left out.
func CountLines(f fs.FS, areas []Area) ([]Lines, error) {
	counts := make([]Lines, len(areas))
	err := fs.WalkDir(f, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if base := path.Base(name); base == "testdata" || name != "." && strings.ContainsAny(base[:1], "._") {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go":
			return nil
		}
		b, err := fs.ReadFile(f, name)
		if err != nil {
			return err
		}
		counts[areaOf(areas, path.Dir(name))].add(linesOf(name, string(b)))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("archtest: %w", err)
	}
	return counts, nil
}

func linesOf(name, text string) (l Lines) {
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case strings.HasSuffix(name, "_test.go"):
			l.Tests++
			continue
		case strings.HasPrefix(line, "//"):
			l.Comments++
		case line != "":
			l.Code++
		}
		l.Total++
	}
	return l
}

// Sums returns the lines of the library and of everything.
func Sums(areas []Area, counts []Lines) (library, all Lines) {
	for i, c := range counts {
		if all.add(c); areas[i].Library {
			library.add(c)
		}
	}
	return library, all
}

// LineTable prints the counts as a table.
func LineTable(areas []Area, counts []Lines) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, l Lines) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", name, l.Total, l.Code, l.Comments, l.Tests)
	}
	fmt.Fprintln(w, "lines\ttotal\tcode\tcomments\ttests\t")
	library, all := Sums(areas, counts)
	for i, c := range counts {
		if !areas[i].Library && areas[i-1].Library {
			row("library", library)
		}
		row(areas[i].Name, c)
	}
	row("all", all)
	_ = w.Flush() // a strings.Builder returns no error
	return b.String()
}
