package archtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Module is the path of the module.
const Module = "github.com/zargo-io/zargo"

// Package is a package of this module as listed by go list. Paths in this module are relative to
// it: "zarr/store".
type Package struct {
	Path        string
	Dir         string
	Imports     []string // imports of the code
	TestImports []string // imports of internal and external tests
	Files       []string // file names in Dir, for all platforms and tags, without tests
}

// Load returns the packages that match the patterns, in the module that contains the directory dir.
// The go command must be in PATH.
func Load(ctx context.Context, dir string, patterns ...string) ([]Package, error) {
	out, err := golist(ctx, dir, append([]string{"-e", "-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles,Imports,TestImports,XTestImports"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var pkgs []Package
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir                    string
			GoFiles, CgoFiles, IgnoredGoFiles  []string
			Imports, TestImports, XTestImports []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("archtest: go list: %w", err)
		}
		q := Package{Path: relative(p.ImportPath), Dir: p.Dir, Imports: relatives(p.Imports),
			TestImports: relatives(append(p.TestImports, p.XTestImports...)), Files: append(p.GoFiles, p.CgoFiles...)}
		for _, f := range p.IgnoredGoFiles {
			if !strings.HasSuffix(f, "_test.go") {
				q.Files = append(q.Files, f)
			}
		}
		pkgs = append(pkgs, q)
	}
}

// Reached returns the packages that match the patterns and all packages that they import, directly
// or indirectly.
func Reached(ctx context.Context, dir string, patterns ...string) ([]string, error) {
	out, err := golist(ctx, dir, append([]string{"-e", "-deps"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	return relatives(strings.Fields(string(out))), nil
}

func golist(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("archtest: go list: %w: %s", err, complaint.String())
	}
	return out.Bytes(), nil
}

func relative(path string) string {
	if path == Module {
		return "."
	}
	return strings.TrimPrefix(path, Module+"/")
}

func relatives(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = relative(p)
	}
	return out
}
