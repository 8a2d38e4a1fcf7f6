package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopied checks that every example builds without changes after its files are copied into
// another module, as a user might start.
func TestCopied(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	// The module requires the same modules as this one, and this one from its directory.
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/zargo-io/zargo", "module example.org/mine", 1) +
		"\nrequire github.com/zargo-io/zargo v0.0.0\nreplace github.com/zargo-io/zargo => " + filepath.ToSlash(root) + "\n"
	mine := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		name = filepath.Join(mine, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", text)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put("go.sum", string(sums))
	mains, err := filepath.Glob(filepath.Join(root, "examples", "*", "main.go"))
	if err != nil || len(mains) < 8 {
		t.Fatal(mains, err)
	}
	for _, main := range mains {
		sources, err := filepath.Glob(filepath.Join(filepath.Dir(main), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range sources {
			if b, err := os.ReadFile(source); err != nil {
				t.Fatal(err)
			} else if !strings.HasSuffix(source, "_test.go") {
				put(filepath.Join(filepath.Base(filepath.Dir(main)), filepath.Base(source)), string(b))
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "vet", "-mod=mod", "./...")
	cmd.Dir = mine
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
