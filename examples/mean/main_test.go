package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
)

// create writes the values 0 to 5 as two rows of three to the array "a" of the store at url, and
// returns the URL of the array.
func create(t *testing.T, url string) string {
	t.Helper()
	st, err := all.Mux().Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	// The array has the layout of the dataset in docs/start.md: format 2, one row in each chunk,
	// float32.
	a, err := zarr.Create(t.Context(), st, "a", zarr.Spec{Format: 2, Shape: []int{2, 3}, Chunks: []int{1, 3}, DType: dtype.Float32})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, []float32{0, 1, 2, 3, 4, 5}); err != nil {
		t.Fatal(err)
	}
	base, query, _ := strings.Cut(url, "?")
	if query != "" {
		query = "?" + query
	}
	return base + "/a" + query
}

func TestMean(t *testing.T) {
	urls := map[string]func(t *testing.T) string{"directory": func(t *testing.T) string { return t.TempDir() }}
	for _, p := range bucket.All() {
		urls[p.Name] = func(t *testing.T) string { return p.URL(t) }
	}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			array := create(t, url(t))
			if m, err := mean(t.Context(), array, 0, 2); m != 2.5 || err != nil {
				t.Errorf("mean of all: %v, %v", m, err)
			}
			if m, err := mean(t.Context(), array, 1, 2); m != 4 || err != nil {
				t.Errorf("mean of the last row: %v, %v", m, err)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	root := t.TempDir()
	array := create(t, root)
	tests := []struct {
		name, url string
		to        int
		is        error // nil means any error
	}{
		{"no array", filepath.Join(root, "none"), 1, zarr.ErrNotFound},
		{"beyond the shape", array, 3, zarr.ErrSelection},
		{"no URL", "", 1, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := mean(t.Context(), test.url, 0, test.to); err == nil || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("got %v, want %v", err, test.is)
			}
		})
	}
}
