package doctest_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/zargo-io/zargo/internal/test/doctest"
)

// module returns the sources of the whole module. Several tests share them, because loading takes
// seconds.
var module = sync.OnceValues(func() (*doctest.Sources, error) {
	return doctest.Load(context.Background(), "../../..", "./...")
})

// TestComments checks the comments of every package of the module, tests included.
func TestComments(t *testing.T) {
	s, err := module()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Packages) < 80 {
		t.Fatalf("%d packages were loaded", len(s.Packages))
	}
	for _, p := range s.Packages {
		for _, line := range append(s.Names(p), s.Blocks(p)...) {
			t.Error(line)
		}
	}
}

// TestMistakes checks that each kind of mistake is found.
func TestMistakes(t *testing.T) {
	s, err := doctest.Load(t.Context(), "../../..", "./internal/test/doctest/testdata/wrong", "./zarr", "./zarr/store")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, p := range s.Packages {
		if p.Name == "wrong" {
			found = append(s.Names(p), s.Blocks(p)...)
		}
	}
	got := strings.Join(found, "\n")
	for _, want := range []string{
		"doc.go:9: [Missing] does not exist",
		"doc.go:12: [Type.Other] does not exist",
		"doc.go:12: store.Unknown does not exist",
		"doc.go:15: wrong.Gone does not exist",
		"line 1: assignment mismatch: 2 variables but",
		"line 2: undefined: wrong.Gone",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q was not found", want)
		}
	}
	if len(found) != 6 {
		t.Errorf("%d mistakes, want 6:\n%s", len(found), got)
	}
}
