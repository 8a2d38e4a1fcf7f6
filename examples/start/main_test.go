package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
)

func TestRun(t *testing.T) {
	urls := map[string]func(t *testing.T) string{"directory": func(t *testing.T) string { return filepath.Join(t.TempDir(), "weather.zarr") }}
	for _, p := range bucket.All() {
		urls[p.Name] = func(t *testing.T) string { return p.URL(t) }
	}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			for range 2 { // the second run must succeed too
				var out bytes.Buffer
				if err := run(t.Context(), at, &out); err != nil || out.String() != "[308 309 310 NaN NaN]\n" {
					t.Fatalf("%q, %v", &out, err)
				}
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	if err := run(t.Context(), "ftp://host/weather.zarr", &bytes.Buffer{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}
