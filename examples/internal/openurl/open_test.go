package openurl

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr/store"
)

// same writes through one opened store and reads through another.
func same(t *testing.T, url string) {
	t.Helper()
	for _, verb := range []string{"put", "get"} {
		st, err := Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if verb == "put" {
			_, err = st.Put(t.Context(), "a/b", []byte("value"), store.PutOptions{IfAbsent: true})
		} else {
			var v store.Value
			if v, err = st.Get(t.Context(), "a/b", store.GetOptions{}, nil); string(v.Bytes) != "value" {
				t.Errorf("read %q", v.Bytes)
			}
		}
		if err := errors.Join(err, st.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDirectories(t *testing.T) {
	root := t.TempDir()
	for name, url := range map[string]string{"path": filepath.Join(root, "p"), "URL": "file://" + filepath.ToSlash(filepath.Join(root, "u"))} {
		t.Run(name, func(t *testing.T) { same(t, url) })
	}
}

// The buckets are on the servers that "make test" starts.
func TestProviders(t *testing.T) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { same(t, p.URL(t)) })
	}
}

func TestUnknownScheme(t *testing.T) {
	_, err := Open(t.Context(), "ftp://host/secret?token=hidden")
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), `"ftp"`) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}
