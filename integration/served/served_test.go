package served

import (
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
// v2 and so on are directories that Python writes, and all others are the stores of integration/fixtures, by
// their numbers in the manifest.
func TestPython(t *testing.T) {
	python := os.Getenv("ZARGO_PEERS_PYTHON313")
	if python == "" {
		bucket.Lack(t, "ZARGO_PEERS_PYTHON313 does not name a Python with requirements-py313.txt")
	}
	root, written := t.TempDir(), t.TempDir()
	if err := fixtures.Unpack(root); err != nil {
		t.Fatal(err)
	}
	var datasets []serve.Dataset
	for _, form := range []string{"v2", "v2-plain", "v3", "v3-plain"} {
		datasets = append(datasets, serve.Dataset{ID: form, Store: dir.New(filepath.Join(written, form))})
	}
	for i, c := range must(fixtures.Cases(root)) {
		path := filepath.Join(root, "data", filepath.FromSlash(c.Path))
		st := store.Store(dir.New(path))
		if c.Store == "zip" {
			st = must(zip.Open(t.Context(), dir.New(filepath.Dir(path)), filepath.Base(path), zip.Inner(c.Inner)))
		}
		datasets = append(datasets, serve.Dataset{ID: fmt.Sprint(i), Store: st})
	}
	url, _ := start(t, serve.Options{Refresh: serve.EachRequest}, datasets...)
	writable, socket := start(t, serve.Options{Writable: true}, serve.Dataset{ID: "w", Store: mem.New()})
	cmd := exec.CommandContext(t.Context(), python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function", "python")
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "SERVED_URL="+writable+"/datasets/w/zarr", "SERVED_SOCKET="+socket, "SERVED_READS="+url, "SERVED_ROOT="+root, "SERVED_WRITTEN="+written)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "passed") || strings.Contains(string(out), "skipped") {
		t.Errorf("pytest: %v", err)
	}
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
