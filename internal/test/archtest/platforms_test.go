package archtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var platforms = flag.String("platforms", "", "the platforms for which the types of all packages are checked: linux/386,windows/amd64")

// TestPlatforms checks the types of all packages and of their tests for other platforms. That takes
// a fraction of the time of go vet, which first compiles all modules.
func TestPlatforms(t *testing.T) {
	for platform := range strings.SplitSeq(*platforms, ",") {
		t.Run(platform, func(t *testing.T) {
			if platform == "" {
				t.Skip("no platform is named")
			}
			n, err := checkTypes(t.Context(), top, platform)
			if err != nil || n < 100 {
				t.Errorf("%d packages, %v", n, err)
			}
		})
	}
}

// TestPlatformsFinds checks that errors in code and in tests of a platform are found.
func TestPlatformsFinds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module m\n\ngo 1.25\n",
		"a.go":         "package m\n\nfunc f() int { n := 1 << 40; return n }\n",
		"b_windows.go": "package m\n\nvar w string = 1\n",
		"c_test.go":    "package m_test\n\nvar c = none\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for platform, want := range map[string][]string{"linux/386": {"a.go:3:21", "c_test.go:3:9"}, "windows/amd64": {"b_windows.go:3:16", "c_test.go:3:9"}} {
		_, err := checkTypes(t.Context(), dir, platform)
		if got := strings.Split(fmt.Sprint(err), "\n"); len(got) != 2 || !strings.Contains(got[0], want[0]) || !strings.Contains(got[1], want[1]) {
			t.Errorf("%s: %v, want %v", platform, err, want)
		}
	}
}

// checkTypes checks the types of all packages of the module in dir and of their tests, and returns
// how many there are.
func checkTypes(ctx context.Context, dir, platform string) (int, error) {
	system, processor, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	c := checker{fset: token.NewFileSet(), sizes: types.SizesFor("gc", processor), done: map[string]*types.Package{"unsafe": types.Unsafe}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return c.own, errors.Join(c.errs...)
		} else if err != nil {
			return c.own, err
		}
		c.add(p)
	}
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          struct {
		Main      bool
		GoVersion string
	}
}

// checker checks packages, each after those that it imports.
type checker struct {
	fset  *token.FileSet
	sizes types.Sizes
	done  map[string]*types.Package
	own   int // packages of the module
	errs  []error
}

// add checks a package. The bodies of functions of other modules are not checked.
func (c *checker) add(p listed) {
	if c.done[p.ImportPath] != nil || strings.HasSuffix(p.ImportPath, ".test") {
		return
	}
	conf := types.Config{Importer: c.importer(p.ImportMap), Sizes: c.sizes, IgnoreFuncBodies: !p.Module.Main, Error: func(error) {}}
	if p.Module.Main {
		c.own++
		conf.Error = func(err error) { c.errs = append(c.errs, err) }
	}
	if p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			conf.Error(err)
		}
		files = append(files, f)
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // of a package built for a test
	c.done[p.ImportPath], _ = conf.Check(path, c.fset, files, nil)
}

func (c *checker) importer(mapped map[string]string) types.Importer {
	return importFunc(func(path string) (*types.Package, error) {
		if to, ok := mapped[path]; ok {
			path = to
		}
		if p := c.done[path]; p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("%s is not among the dependencies", path)
	})
}

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }
