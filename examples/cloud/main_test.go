package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/openurl/all"
	"github.com/zargo-io/zargo/zarr/store"
)

// do runs the example on a URL and checks that it leaves no objects.
func do(t *testing.T, url string) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-mib", "8", url}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"requests in flight", "read, many at once", "Every value was right"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	st, err := all.Mux().Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(e.Key, "zargo-example-") {
			t.Errorf("%s was left behind", e.Key)
		}
	}
}

func TestDirectory(t *testing.T) {
	root := t.TempDir()
	for _, url := range []string{root, "file://" + root} {
		t.Run(url, func(t *testing.T) { do(t, url) })
	}
}

// The buckets are on servers that "make test" starts.
func TestBuckets(t *testing.T) {
	for _, p := range bucket.All() {
		t.Run(p.Name, func(t *testing.T) { do(t, p.URL(t)) })
	}
}

func TestArguments(t *testing.T) {
	tests := []struct {
		name string
		args []string
		fact string
		is   error
	}{
		{"an unknown provider", []string{"ftp://bucket"}, "s3", errors.ErrUnsupported},
		{"no URL", nil, "URL", nil},
		{"two URLs", []string{"a", "b"}, "URL", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := run(t.Context(), test.args, &bytes.Buffer{})
			if err == nil || !strings.Contains(err.Error(), test.fact) {
				t.Fatalf("got %v, want %q in it", err, test.fact)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("got %v, want %v", err, test.is)
			}
		})
	}
}
