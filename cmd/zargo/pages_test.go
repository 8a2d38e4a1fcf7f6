package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/internal/test/doctest"
)

// TestPageSessions checks that every session on a documentation page is part of a session in
// testdata. TestSessions runs those.
func TestPageSessions(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var sessions []string
	for _, name := range names {
		sessions = append(sessions, unspaced(t, name))
	}
	for _, page := range []string{"concepts.md", "troubleshooting.md", "tasks/describe.md", "tasks/look.md"} {
		found := 0
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range doctest.Fenced(string(b)) {
			if b.Lang != "console" {
				continue
			}
			found++
			known := false
			for _, s := range sessions {
				known = known || strings.Contains(s, "\n"+b.Text)
			}
			if !known {
				t.Errorf("docs/%s:%d: no session in cmd/zargo/testdata has\n%s", page, b.Line, b.Text)
			}
		}
		if found == 0 {
			t.Errorf("docs/%s has no session", page)
		}
	}
}

// unspaced returns the text of a session without the empty lines between its commands.
func unspaced(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return "\n" + strings.ReplaceAll(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n\n$ ", "\n$ ") + "\n"
}
