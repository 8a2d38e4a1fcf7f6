package archtest

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write api.txt of each public package")

// leaks lists, by package, the exported identifiers that are allowed to have a type of an internal
// package, with the reason. No line may be added.
var leaks = map[string][]string{
	"zarr/cache": {"Cache.Of: internal/chunk/cache.Reader"}, // used by package zarr
}

// TestAPI compares the exports of public packages with their api.txt, which must be updated when
// the API changes.
func TestAPI(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the files are of Linux")
	}
	surfaces, err := Surfaces(t.Context(), top, Public(load(t)))
	if err != nil {
		t.Fatal(err)
	}
	if len(surfaces) < 20 {
		t.Fatalf("only %d packages", len(surfaces))
	}
	for _, s := range surfaces {
		file, got := filepath.Join(s.Dir, "api.txt"), s.API()
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%v: go test ./internal/test/archtest -run TestAPI -update writes it", err)
			continue
		}
		for _, line := range only(string(want), got) {
			t.Errorf("%s: api.txt has, and the package has not: %s", s.Path, line)
		}
		for _, line := range only(got, string(want)) {
			t.Errorf("%s: the package has, and api.txt has not: %s", s.Path, line)
		}
	}
}

// only returns the lines of a that b lacks.
func only(a, b string) []string {
	lines := strings.Split(b, "\n")
	return slices.DeleteFunc(strings.Split(a, "\n"), func(line string) bool { return slices.Contains(lines, line) })
}

// TestNoInternalTypes checks that public packages export no types that users cannot name, look up
// or create.
func TestNoInternalTypes(t *testing.T) {
	surfaces, err := Surfaces(t.Context(), top, Public(load(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range surfaces {
		got := s.Leaks()
		for _, line := range got {
			if !slices.Contains(leaks[s.Path], line) {
				t.Errorf("%s exports an internal type: %s", s.Path, line)
			}
		}
		for _, line := range leaks[s.Path] {
			if !slices.Contains(got, line) {
				t.Errorf("%s no longer exports %s: delete the exception", s.Path, line)
			}
		}
	}
}
