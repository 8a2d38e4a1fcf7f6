package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// lines sends each written text to a channel.
type lines chan string

func (l lines) Write(b []byte) (int, error) { l <- string(b); return len(b), nil }

// serve runs the program on an array, sends one request and stops the program.
func serve(t *testing.T, url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said, ended := make(lines, 1), make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-listen", "127.0.0.1:0", "x=" + url}, said) }()
	var base string
	select {
	case line := <-said:
		base = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	case err := <-ended:
		t.Fatal(err)
	}
	r, err := http.Get(base + "/mean?array=x&region=1:3")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if b, err := io.ReadAll(r.Body); err != nil || string(b) != "{\"mean\":63.5}\n" {
		t.Errorf("got %s %s, %v", r.Status, b, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestRunOnDirectory(t *testing.T) {
	root := t.TempDir()
	put(t, dir.New(root))
	serve(t, root)
}

// The buckets are on servers that "make test" starts.
func TestRunOnBuckets(t *testing.T) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) {
			url := p.URL(t)
			st, err := all.Mux().Open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			put(t, st)
			serve(t, url)
		})
	}
}

func TestArguments(t *testing.T) {
	root := t.TempDir()
	for name, dt := range map[string]dtype.Type{"ints": dtype.Int32, "large": dtype.Float32} {
		if _, err := zarr.Create(t.Context(), dir.New(filepath.Join(root, name)), "", zarr.Spec{Shape: []int{1 << 20}, Chunks: []int{1 << 20}, DType: dt}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, args string
		is         error // nil means any error
	}{
		{"no array", "", nil},
		{"no name", "data.zarr", nil},
		{"no time", "-timeout 0 x=y", nil},
		{"nothing there", "x=" + filepath.Join(root, "none"), fault.NotFound},
		{"integers", "x=" + filepath.Join(root, "ints"), fault.Type},
		{"chunks larger than the budget", "-budget 1 x=" + filepath.Join(root, "large"), fault.Limit},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := run(t.Context(), strings.Fields(test.args), &bytes.Buffer{})
			if err == nil || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("got %s", fmt.Sprint(err))
			}
		})
	}
}
