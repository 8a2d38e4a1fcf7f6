package served

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/integration/fixtures"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestPython runs the tests in python/ against a server with these datasets: w is writable and empty,
// v2 and so on are directories that Python writes, and the others are those of served.
func TestPython(t *testing.T) {
	python := os.Getenv("ZARGO_PEERS_PYTHON313")
	if python == "" {
		bucket.Lack(t, "ZARGO_PEERS_PYTHON313 does not name a Python with requirements-py313.txt")
	}
	written := t.TempDir()
	var forms []serve.Dataset
	for _, form := range []string{"v2", "v2-plain", "v3", "v3-plain", "values"} {
		forms = append(forms, serve.Dataset{ID: form, Store: dir.New(filepath.Join(written, form))})
	}
	root, url := served(t, forms...)
	writable, socket := start(t, serve.Options{Writable: true}, serve.Dataset{ID: "w", Store: mem.New()})
	cmd := exec.CommandContext(t.Context(), python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function", "python")
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "SERVED_URL="+writable+"/datasets/w/zarr", "SERVED_SOCKET="+socket, "SERVED_READS="+url, "SERVED_ROOT="+root, "SERVED_WRITTEN="+written)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "passed") || strings.Contains(string(out), "skipped") {
		t.Errorf("pytest: %v", err)
	}
}

// TestPeers has TensorStore and zarrita read each array of integration/fixtures from its directory and
// through a server. The values are equal. Shards behind a codec that transposes are left out: zarrita
// computes ranges of them that are not numbers.
func TestPeers(t *testing.T) {
	root, url := served(t)
	type array struct {
		Path   string `json:"path"`
		URL    string `json:"url"`
		Format int    `json:"format"`
	}
	var arrays []array
	for i, c := range must(fixtures.Cases(root)) {
		if c.Kind == "array" && c.Store == "dir" && c.Format > 1 && !strings.Contains(c.Path, "outer_transpose") {
			arrays = append(arrays, array{filepath.Join(root, "data", filepath.FromSlash(c.Path)), fmt.Sprintf("%s/datasets/%d/zarr", url, i), c.Format})
		}
	}
	for _, tt := range []struct {
		name, env string
		least     int // arrays that the peer reads
		command   func(where string) *exec.Cmd
	}{
		{"TensorStore", "ZARGO_PEERS_PYTHON", 500, func(where string) *exec.Cmd { return exec.CommandContext(t.Context(), where, "peers/tensor.py") }},
		{"zarrita", "ZARGO_PEERS_ZARRITA", 450, func(where string) *exec.Cmd {
			c := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", string(must(os.ReadFile("peers/zarrita.mjs"))))
			c.Dir = where
			return c
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			where := os.Getenv(tt.env)
			if where == "" {
				bucket.Lack(t, tt.env+" is not set")
			}
			c := tt.command(where)
			c.Stdin, c.Stderr = bytes.NewReader(must(json.Marshal(arrays))), os.Stderr
			var got struct {
				Same, Refused int
				Others        []string
			}
			if err := json.Unmarshal(must(c.Output()), &got); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d arrays are the same, %d are refused in both", got.Same, got.Refused)
			if got.Same < tt.least || len(got.Others) > 0 {
				t.Errorf("%d arrays are the same, want at least %d; these differ: %v", got.Same, tt.least, got.Others)
			}
		})
	}
}

// served serves the stores of integration/fixtures, by their numbers in the manifest, and other
// datasets.
func served(t *testing.T, more ...serve.Dataset) (root, url string) {
	root = t.TempDir()
	if err := fixtures.Unpack(root); err != nil {
		t.Fatal(err)
	}
	for i, c := range must(fixtures.Cases(root)) {
		path := filepath.Join(root, "data", filepath.FromSlash(c.Path))
		st := store.Store(dir.New(path))
		if c.Store == "zip" {
			st = must(zip.Open(t.Context(), dir.New(filepath.Dir(path)), filepath.Base(path), zip.Inner(c.Inner)))
		}
		more = append(more, serve.Dataset{ID: fmt.Sprint(i), Store: st})
	}
	url, _ = start(t, serve.Options{Refresh: serve.EachRequest}, more...)
	return root, url
}

// start serves datasets at an address and at a Unix socket until the test ends.
func start(t *testing.T, o serve.Options, datasets ...serve.Dataset) (url, socket string) {
	s := must(serve.New(o, datasets...))
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	folder := must(os.MkdirTemp("", "served")) // shorter than t.TempDir, for the limit of a socket's path
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	socket = filepath.Join(folder, "s")
	l := must(net.Listen("unix", socket))
	u := &http.Server{Handler: s}
	t.Cleanup(func() { _ = u.Close() })
	go func() { _ = u.Serve(l) }() // ends with Close
	return h.URL, socket
}
