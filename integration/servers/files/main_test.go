package main

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	storehttp "github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/storetest"
)

func serve(t *testing.T, root string) string {
	t.Helper()
	r, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(files{r})
	t.Cleanup(func() {
		server.Close()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

// site is a directory that is read over HTTP, with the directory's own listing and writer.
type site struct {
	store.Store
	folder store.Store
}

func (s site) List(ctx context.Context, prefix string, o store.ListOptions) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range s.folder.List(ctx, prefix, o) {
			e.Version = "" // the version is not an ETag
			if !yield(e, err) {
				return
			}
		}
	}
}

// quiet is a writer that returns no versions, because they are not ETags.
type quiet struct{ store.Store }

func (q quiet) Put(ctx context.Context, key string, value []byte, o store.PutOptions) (store.Version, error) {
	_, err := q.Store.Put(ctx, key, value, o)
	return "", err
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		root := t.TempDir()
		st, err := storehttp.Open(t.Context(), serve(t, root))
		if err != nil {
			t.Fatal(err)
		}
		return site{st, dir.New(root)}
	}, storetest.Keys(20), storetest.Rounds(3), storetest.Writer(func(s store.Store) store.Store { return quiet{s.(site).folder} }))
}

func TestRefused(t *testing.T) {
	root := t.TempDir()
	inside := filepath.Join(root, "inside")
	if err := os.MkdirAll(filepath.Join(inside, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "secret"), []byte("no"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../secret", filepath.Join(inside, "link")); err != nil {
		t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
	url := serve(t, inside)
	tests := []struct {
		name, method, path string
		want               int
	}{
		{"the folder", "GET", "/folder", http.StatusNotFound},
		{"the root", "GET", "/", http.StatusNotFound},
		{"a file as a folder", "GET", "/folder/", http.StatusNotFound},
		{"out by dots", "GET", "/%2e%2e/secret", http.StatusNotFound},
		{"out by a link", "GET", "/link", http.StatusInternalServerError},
		{"a write", "PUT", "/new", http.StatusMethodNotAllowed},
		{"a delete", "DELETE", "/folder", http.StatusMethodNotAllowed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), tt.method, url+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("status %d, want %d", resp.StatusCode, tt.want)
			}
		})
	}
}
