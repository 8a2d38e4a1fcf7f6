package doctest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/doctest"
)

// run lists the pages whose Go code must be run by a test, not only compiled.
var run = []string{"README.md", "docs/start.md"}

// TestPages checks the Go code of README.md and of every page below docs/.
func TestPages(t *testing.T) {
	s, err := module()
	if err != nil {
		t.Fatal(err)
	}
	pages := []string{"README.md"}
	root := os.DirFS("../../..")
	if err := fs.WalkDir(root, "docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range run {
		if !slices.Contains(pages, name) {
			t.Errorf("%s does not exist", name)
		}
	}
	for _, name := range pages {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		bad, err := s.Page(name, string(text), slices.Contains(run, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range bad {
			t.Error(line)
		}
	}
}

// TestPageMistakes checks that each kind of mistake in a page is found.
func TestPageMistakes(t *testing.T) {
	s, err := doctest.Load(t.Context(), "../../..", "./zarr", "./zarr/store", "./examples/mean")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("../../../examples/mean/main.go")
	if err != nil {
		t.Fatal(err)
	}
	block := func(code string) string { return "text\n```go\n" + strings.TrimSuffix(code, "\n") + "\n```\n" }
	tests := []struct {
		name string
		page string
		runs bool
		want []string
	}{
		{"a program", block(string(program)), true, nil},
		{"part of a program", block(string(program)[20:]), true, []string{"page:2: this is neither a program"}},
		{"code that compiles", block("a, err := zarr.OpenArray(ctx, st, \"t2m\")"), false, nil},
		{"code that compiles and is not run", block("a, err := zarr.OpenArray(ctx, st, \"t2m\")"), true, []string{"page:2: this is neither"}},
		{"an unknown name", "\n" + block("zarr.Gone()"), false, []string{"page:3: line 1: undefined: zarr.Gone"}},
		{"another language", "```sh\nzarr.Gone()\n```\n", true, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bad, err := s.Page("page", test.page, test.runs)
			if err != nil || len(bad) != len(test.want) {
				t.Fatalf("%q, %v, want %q", bad, err, test.want)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(bad[i], want) {
					t.Errorf("%q, want %q", bad[i], want)
				}
			}
		})
	}
}
