package bucket

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Site is a directory that a web server serves.
type Site struct {
	URL string // URL of the directory
	Dir string // path of the directory
}

// NewSite creates an empty directory below ZARR_TEST_HTTP_DIR, which ZARR_TEST_HTTP_URL serves. The
// directory is removed at the end of the test.
func NewSite(t testing.TB) Site {
	t.Helper()
	url, folder := os.Getenv("ZARR_TEST_HTTP_URL"), os.Getenv("ZARR_TEST_HTTP_DIR")
	if url == "" || folder == "" {
		Lack(t, "ZARR_TEST_HTTP_URL and ZARR_TEST_HTTP_DIR do not name a web server and its folder")
	}
	name := "test-" + rand.Text()[:12]
	s := Site{strings.TrimSuffix(url, "/") + "/" + name, filepath.Join(folder, name)}
	if err := os.Mkdir(s.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(s.Dir); err != nil {
			t.Error(err)
		}
	})
	return s
}
