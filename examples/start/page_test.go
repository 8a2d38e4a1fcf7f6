package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/internal/test/doctest"
)

// TestPage follows docs/start.md in a separate module. It saves each program under the last file
// name that the page mentions before it, runs the commands that start with "$ " in order, and
// compares their output. Commands that use a bucket need the server that "make test" starts.
func TestPage(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("SKIPPED: the page is for a POSIX shell")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, filepath.Join(root, "docs", "start.md"))
	work, bin := t.TempDir(), t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", bin+string(filepath.Separator), "./cmd/zargo")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	// The module requires the same modules as this one, and this one from its directory.
	write(t, filepath.Join(work, "go.mod"), strings.Replace(read(t, filepath.Join(root, "go.mod")), "module github.com/zargo-io/zargo", "module example.com/weather", 1)+
		"\nrequire github.com/zargo-io/zargo v0.0.0\nreplace github.com/zargo-io/zargo => "+filepath.ToSlash(root)+"\n")
	write(t, filepath.Join(work, "go.sum"), read(t, filepath.Join(root, "go.sum")))
	env := append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -ldflags=-w", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0")

	prefix := ""
	if at := os.Getenv(bucket.S3().Env); at != "" {
		u, err := url.Parse(bucket.S3().URL(t))
		if err != nil {
			t.Fatal(err)
		}
		prefix = "s3://" + u.Host + u.Path
		env = append(env, "AWS_ENDPOINT_URL="+u.Query().Get("endpoint"), "AWS_REGION="+u.Query().Get("region"))
	}

	lines := strings.Split(page, "\n")
	name := regexp.MustCompile("`([a-z]+/main\\.go)`")
	for _, b := range doctest.Fenced(page) {
		switch b.Lang {
		case "go":
			names := name.FindAllStringSubmatch(strings.Join(lines[:b.Line], "\n"), -1)
			if names == nil {
				t.Fatalf("docs/start.md:%d does not say where the program is saved", b.Line)
			}
			write(t, filepath.Join(work, filepath.FromSlash(names[len(names)-1][1])), b.Text)
		case "console":
			t.Run("line "+lines[b.Line], func(t *testing.T) {
				text := b.Text
				if strings.Contains(text, "s3://zarr-test/") {
					if prefix == "" {
						bucket.Lack(t, bucket.S3().Env+" does not name a bucket")
					}
					text = strings.ReplaceAll(text, "s3://zarr-test/", prefix+"/")
				}
				var got strings.Builder
				for line := range strings.Lines(text) {
					command, ok := strings.CutPrefix(line, "$ ")
					if !ok {
						continue
					}
					cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
					cmd.Dir, cmd.Env = work, env
					out, err := cmd.CombinedOutput()
					if err != nil {
						t.Fatalf("%s%v\n%s", line, err, out)
					}
					got.WriteString(line + string(out))
				}
				if got.String() != text {
					t.Errorf("docs/start.md:%d has\n%s\nprinted\n%s", b.Line, text, &got)
				}
			})
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
