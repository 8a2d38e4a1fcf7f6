package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/zarr/fault"
)

// TestExitCodesAreDocumented checks that the help and docs/reference/cli.md contain the program's
// table.
func TestExitCodesAreDocumented(t *testing.T) {
	page := must(os.ReadFile("../../docs/reference/cli.md"))
	help := do(t, newProgram(), "help")
	for _, e := range exit.Table() {
		if row := fmt.Sprintf("| %d | %s |", e.Code, e.Means); !strings.Contains(string(page), row) {
			t.Errorf("docs/reference/cli.md has no %q", row)
		}
		if row := fmt.Sprintf("%5d  %s\n", e.Code, e.Means); !strings.Contains(help, row) {
			t.Errorf("the help has no %q", row)
		}
	}
}

// TestErrorsAreDocumented checks that docs/errors.md has a row for every kind of error, with its
// exit code.
func TestErrorsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../zarr/fault/kind.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`(?m)^\t(\w+) +Kind = (".*")$`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) != 19 {
		t.Errorf("%d kinds in package fault", len(kinds))
	}
	for _, k := range kinds {
		text, err := strconv.Unquote(k[2])
		if err != nil {
			t.Fatal(err)
		}
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\|.*\\| %d \\|$", k[1], exit.Code(fault.Kind(text))))
		if !row.Match(page) {
			t.Errorf("docs/errors.md has no row of %s with the exit code %d", k[1], exit.Code(fault.Kind(text)))
		}
	}
}
