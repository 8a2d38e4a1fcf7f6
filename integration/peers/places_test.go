package peers

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	httpstore "github.com/zargo-io/zargo/zarr/store/http"
)

// place is a location where zargo and the peers exchange data. Data that peers read over HTTP is
// written to the served directory.
type place struct {
	reads, writes store.Store // used by zargo
	in, out       string      // directory or URL where peers write and read
}

// placeNames has all places, with the environment variable that names the bucket if one is needed.
var placeNames = []struct{ name, env string }{
	{"dir", ""}, {"s3", bucket.S3().Env}, {"gcs", bucket.GCS().Env}, {"azure", bucket.Azure().Env}, {"http", ""},
}

// open returns a place that no other test uses. It skips the test if the server is missing.
func open(t *testing.T, name string) place {
	t.Helper()
	switch name {
	case "dir":
		folder := t.TempDir()
		return place{dir.New(folder), dir.New(folder), folder, folder}
	case "http":
		folder, url := served(t)
		st, err := httpstore.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		closeAtEnd(t, st)
		return place{st, dir.New(folder), folder, url}
	}
	for _, p := range bucket.All() {
		if p.Name == name {
			url := p.URL(t)
			st, err := p.Open(t.Context(), url, 0)
			if err != nil {
				t.Fatal(err)
			}
			closeAtEnd(t, st)
			return place{st, st, url, url}
		}
	}
	panic("there is no place " + name)
}

func closeAtEnd(t *testing.T, st store.Store) {
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}

// served returns an empty directory and its URL, on the server of ZARR_TEST_HTTP_URL or, if that is
// not set, on a server that this test starts.
func served(t *testing.T) (folder, url string) {
	t.Helper()
	root, url := os.Getenv("ZARR_TEST_HTTP_DIR"), os.Getenv("ZARR_TEST_HTTP_URL")
	if root == "" || url == "" {
		folder := t.TempDir()
		s := httptest.NewServer(files(folder))
		t.Cleanup(s.Close)
		return folder, s.URL
	}
	folder, err := os.MkdirTemp(root, "test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(folder, 0o755); err != nil { // the server may run as another user
		t.Fatal(err)
	}
	return folder, strings.TrimRight(url, "/") + strings.TrimPrefix(folder, strings.TrimRight(root, "/"))
}

// files serves the files of a directory like nginx for servers.py. Any other path is not found, for
// every method. Writes are not accepted.
func files(folder string) http.Handler {
	within := os.DirFS(folder)
	serve := http.FileServerFS(within)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, err := fs.Stat(within, strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil || !info.Mode().IsRegular() {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		serve.ServeHTTP(w, r)
	})
}

// everywhere runs a test at each place. plan returns the jobs of the peers there. The jobs of all
// places run together, because a Python process starts slowly. check compares the results.
func everywhere(t *testing.T, plan func(t *testing.T, name string, at place) []job, check func(t *testing.T, name string, at place, jobs []job, answers []said)) {
	t.Helper()
	needPython(t)
	type part struct {
		name string
		at   place
		jobs []job
	}
	var parts []part
	var jobs []job
	for _, p := range placeNames {
		if p.env != "" && os.Getenv(p.env) == "" {
			t.Run(p.name, func(t *testing.T) { bucket.Lack(t, p.env+" does not name a bucket") })
			continue
		}
		at := open(t, p.name)
		own := plan(t, p.name, at)
		parts = append(parts, part{p.name, at, own})
		jobs = append(jobs, own...)
	}
	answers := ask(t, jobs)
	for _, p := range parts {
		own := answers[:len(p.jobs)]
		answers = answers[len(p.jobs):]
		t.Run(p.name, func(t *testing.T) { check(t, p.name, p.at, p.jobs, own) })
	}
}
