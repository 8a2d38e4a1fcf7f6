package archtest

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// The limits of the project, in lines of Go with comments and blank lines. They may only decrease.
const (
	maxLibrary = 118_709
	maxAll     = 164_339 // without tests
	maxTests   = 137_400
)

// TestLines checks the size of the project, and the share of comments in it.
func TestLines(t *testing.T) {
	areas := Areas()
	counts, err := CountLines(os.DirFS(top), areas)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + LineTable(areas, counts))
	library, all := Sums(areas, counts)
	for _, l := range []struct {
		of     string
		n, max int
	}{{"the library", library.Total, maxLibrary}, {"everything without tests", all.Total, maxAll}, {"tests", all.Tests, maxTests}} {
		if l.n > l.max {
			t.Errorf("%s: %d lines, more than %d", l.of, l.n, l.max)
		}
	}
	if share := float64(all.Comments) / float64(all.Code); share < 0.14 || share > 0.20 {
		t.Errorf("comments are %.3f of code", share)
	}
}

func TestCountLines(t *testing.T) {
	f := fstest.MapFS{
		"a.go":              {Data: []byte("// Package a.\npackage a\n\nvar x = `\n// no comment`\n")},
		"cmd/x/main.go":     {Data: []byte("package main\n")},
		"cmd/x/x_test.go":   {Data: []byte("package main\n\n// c\n")},
		"cmd/x/notes.md":    {Data: []byte("a\n")},
		"cmd/testdata/b.go": {Data: []byte("package b\n")},
		"_venv/c.go":        {Data: []byte("package c\n")},
	}
	areas := []Area{{"library", true, []string{"."}}, {"command", false, []string{"cmd"}}}
	counts, err := CountLines(f, areas)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Lines{Total: 5, Code: 2, Comments: 2}); counts[0] != want {
		t.Errorf("library: %+v, want %+v", counts[0], want)
	}
	if want := (Lines{Total: 1, Code: 1, Tests: 3}); counts[1] != want {
		t.Errorf("command: %+v, want %+v", counts[1], want)
	}
	if got := LineTable(areas, counts); !strings.Contains(got, "all      6     3         2      3") {
		t.Errorf("got\n%s", got)
	}
}

// TestTangled checks that a file opens with the declaration of its name, and how many pairs of
// files of one package need each other in a circle. Each area has a limit, which may only decrease.
func TestTangled(t *testing.T) {
	limits := map[string]int{
		"chunks, nodes and growth": 125,
		"codecs":                   250,
		"command":                  135,
		"data types and metadata":  87,
		"examples":                 7,
		"integration":              22,
		"named data":               119,
		"other packages":           6,
		"providers":                218,
		"stores and decorators":    77,
		"test support":             54,
		"transfers":                9,
		"validation and upkeep":    55,
	}
	all, err := ParseAll(t.Context(), top, "./...")
	if err != nil {
		t.Fatal(err)
	}
	areas, sums := Areas(), map[string]int{}
	for path, c := range all {
		for _, file := range c.Opens() {
			t.Errorf("%s/%s does not open with the declaration that it is named for", relative(path), file)
		}
		sums[areas[areaOf(areas, relative(path))].Name] += c.Tangled()
	}
	for area, n := range sums {
		if n > limits[area] {
			t.Errorf("%s: %d pairs of files in circles, more than %d", area, n, limits[area])
		}
	}
}
