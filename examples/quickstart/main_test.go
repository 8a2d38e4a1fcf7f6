package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	root := filepath.Join(t.TempDir(), "demo.zarr")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-mib", "8", "-delay", "1ms", "-dir", root, "-keep"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`read, many at once`, `Every value was right`, `The array is in ` + regexp.QuoteMeta(root)} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "demo", "values", "c", "0", "7")); err != nil {
		t.Error(err)
	}
	if err := run(t.Context(), []string{"-mib", "8", "-dir", root}, &out); !errors.Is(err, fs.ErrExist) {
		t.Errorf("an existing directory: %v", err)
	}
}

func TestRunTidiesUp(t *testing.T) {
	root := filepath.Join(t.TempDir(), "demo.zarr")
	if err := run(t.Context(), []string{"-mib", "8", "-delay", "0", "-dir", root}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func TestArguments(t *testing.T) {
	tests := []struct {
		name string
		args []string
	}{
		{"unknown flag", []string{"-gib", "1"}},
		{"stray argument", []string{"data.zarr"}},
		{"not a number", []string{"-mib", "many"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := run(t.Context(), test.args, &bytes.Buffer{}); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestLinksNoProvider checks that a new user's first command does not download and compile SDKs.
func TestLinksNoProvider(t *testing.T) {
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(deps)) {
		if dep = strings.TrimSpace(dep); regexp.MustCompile(`^(gocloud\.dev|github\.com/aws|cloud\.google|net/http|github\.com/zargo-io/zargo/(s3|gcs|azure|blob))\b`).MatchString(dep) {
			t.Errorf("links %s", dep)
		}
	}
}
