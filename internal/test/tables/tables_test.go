package tables

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables into docs/")

func TestPages(t *testing.T) {
	for _, p := range Pages() {
		t.Run(p.File, func(t *testing.T) {
			file := filepath.Join("../../..", filepath.FromSlash(p.File))
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			have := strings.ReplaceAll(string(b), "\r\n", "\n")
			want, err := p.Fill(have)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case *update:
				if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
					t.Fatal(err)
				}
			case have != want:
				t.Errorf("%s says something else than the program; go test ./internal/test/tables -update writes it anew", p.File)
			}
		})
	}
}

func TestFill(t *testing.T) {
	p := Page{"x.md", map[string]func() (string, error){"a": func() (string, error) { return "new\n", nil }}}
	got, err := p.Fill("before\n<!-- generated: a -->\nold\n<!-- end: a -->\nafter\n")
	if want := "before\n<!-- generated: a -->\n\nnew\n\n<!-- end: a -->\nafter\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := p.Fill("<!-- generated: a -->\nno end\n"); err == nil {
		t.Error("no end is no error")
	}
}
