package main

import (
	"os"
	"strings"
	"testing"
)

// TestStatusTellsSchemes compares the table of stores with the schemes that the program opens.
func TestStatusTellsSchemes(t *testing.T) {
	b, err := os.ReadFile("../../docs/reference/status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "<!-- generated: stores -->")
	table, _, ok := strings.Cut(table, "<!-- end: stores -->")
	if !ok {
		t.Fatal("no table of stores")
	}
	schemes := newSession(globals{}, newProgram().own, true, nil, newLate(nil)).stores.Schemes()
	for _, s := range schemes {
		if !strings.Contains(table, s+"://") {
			t.Errorf("%s:// is not in the table", s)
		}
	}
	if n := strings.Count(table, "://"); n != len(schemes) {
		t.Errorf("%d URLs in the table, the program opens %d schemes", n, len(schemes))
	}
}
