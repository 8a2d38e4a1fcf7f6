package checks

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/bucketcheck"
	"github.com/zargo-io/zargo/internal/test/tables"
)

const page = "docs/providers.md"

// own returns the columns that the tests of this package generate, in order. Other columns follow,
// sorted by name.
func own() []string {
	return []string{"versitygw", "MinIO", "fake-gcs-server", "Azurite", "directory", "nginx"}
}

// TestPage compares the page with testdata. It needs no server.
func TestPage(t *testing.T) {
	file := filepath.Join("../../../../..", filepath.FromSlash(page))
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have := strings.ReplaceAll(string(b), "\r\n", "\n")
	want, err := tables.Page{File: page, Sections: map[string]func() (string, error){"checks": checksTable}}.Fill(have)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Errorf("%s says something else than testdata; -update writes it anew", page)
	}
}

// column has the results of one server.
type column struct {
	name string
	bucketcheck.Report
}

func saved(name string) (c column, err error) {
	c.name = name
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err == nil {
		err = json.Unmarshal(b, &c.Report)
	}
	return c, err
}

func columns() ([]column, error) {
	names := own()
	found, err := filepath.Glob("testdata/*.json")
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []column
	for _, name := range names {
		c, err := saved(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// find returns the result of a check. The check of a read-only run replaces the corresponding check
// of a run that writes.
func (c column) find(check string) *bucketcheck.Finding {
	instead := map[string]string{"put and get": "get", "list after write": "list"}[check]
	for i, f := range c.Checks {
		if f.Name == check || f.Name == instead {
			return &c.Checks[i]
		}
	}
	return nil
}

// checksTable returns one row per check, followed by the observations for checks that failed.
func checksTable() (string, error) {
	all, err := columns()
	if err != nil {
		return "", err
	}
	var b, notes strings.Builder
	b.WriteString("| check |")
	for _, c := range all {
		b.WriteString(" " + c.name + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(all)) + "\n")
	for _, check := range bucketcheck.Checks() {
		b.WriteString("| " + check.Name + " |")
		for _, c := range all {
			f := c.find(check.Name)
			switch {
			case f == nil:
				b.WriteString(" |")
				continue
			case f.Verdict == bucketcheck.Holds:
				b.WriteString(" holds |")
				continue
			case f.Verdict == bucketcheck.Fails:
				b.WriteString(" **does not hold** |")
			default:
				b.WriteString(" " + string(f.Verdict) + " |")
			}
			if strings.HasSuffix(f.Seen, "not supported") {
				continue // the table cell has this information
			}
			fmt.Fprintf(&notes, "- %s, %s: %s\n", c.name, f.Name, f.Seen)
		}
		b.WriteString("\n")
	}
	return b.String() + "\n" + notes.String(), nil
}
