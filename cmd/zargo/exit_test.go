package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/s3"
	"github.com/zargo-io/zargo/zarr/fault"
)

func TestExitCode(t *testing.T) {
	for _, r := range []struct {
		name string
		err  error
		code int
	}{
		{"none", nil, 0},
		{"any", errors.New("x"), 1},
		{"type", fault.Type, 1},
		{"usage", usagef("x"), 2},
		{"URL", &openurl.SyntaxError{Text: "x"}, 2},
		{"s3 URL", &s3.UsageError{Text: "x"}, 2},
		{"selection", fault.Selection, 2},
		{"not found", fault.NotFound, 3},
		{"metadata", fault.Metadata, 4},
		{"path", fault.Path, 4},
		{"corrupt", fault.Corrupt, 5},
		{"unsupported", errors.ErrUnsupported, 6},
		{"limit", fault.Limit, 7},
		{"refused", fault.Refused, 8},
		{"throttled", fault.Throttled, 9},
		{"unavailable", fault.Unavailable, 9},
		{"timeout", errTimeout(time.Second), 9},
		{"exists", fault.Exists, 10},
		{"conflict", fault.Conflict, 11},
		{"read-only", fault.ReadOnly, 12},
		{"differs", errDiffers, 14},
		{"interrupted", errInterrupted, 130},
		{"terminated", errTerminated, 143},
		{"wrapped", at("u", fmt.Errorf("x: %w", &fault.KeyError{Kind: fault.Refused})), 8},
		{"joined", errors.Join(errors.New("x"), fault.Limit), 7},
		{"outermost wins", fault.Newf(fault.Conflict, "written since: %w", fault.Exists), 11},
		{"chunk", &fault.ChunkError{Err: fault.Newf(fault.Corrupt, "x")}, 5},
		{"document", &fault.MetaError{Err: fault.Newf(errors.ErrUnsupported, "x")}, 6},
	} {
		t.Run(r.name, func(t *testing.T) {
			if got := exitCode(r.err); got != r.code {
				t.Errorf("%v is %d, want %d", r.err, got, r.code)
			}
		})
	}
}

// TestEveryKindHasACode checks that every kind of error has an exit code in the table, except Type
// and Unchanged, which no command can return.
func TestEveryKindHasACode(t *testing.T) {
	for _, k := range []error{fault.NotFound, fault.Exists, fault.Conflict, fault.ReadOnly, fault.Selection, fault.Metadata, fault.Path,
		fault.Corrupt, fault.Refused, fault.Throttled, fault.Unavailable, fault.Limit, errors.ErrUnsupported} {
		if exitCode(k) == 1 {
			t.Errorf("%v has no code", k)
		}
	}
}

// TestExitCodesAreDocumented checks that the help and docs/reference/cli.md contain the program's
// table.
func TestExitCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	help := do(t, newProgram(), "help")
	for _, e := range exits() {
		if row := fmt.Sprintf("| %d | %s |", e.code, e.means); !strings.Contains(string(page), row) {
			t.Errorf("docs/reference/cli.md has no %q", row)
		}
		if row := fmt.Sprintf("%5d  %s\n", e.code, e.means); !strings.Contains(help, row) {
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
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` \\|.*\\| %d \\|$", k[1], exitCode(fault.Kind(text))))
		if !row.Match(page) {
			t.Errorf("docs/errors.md has no row of %s with the exit code %d", k[1], exitCode(fault.Kind(text)))
		}
	}
}
