package bucket

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
)

// outcome runs a test's body on a T that records how it ended.
type outcome struct {
	testing.TB
	how string
}

func (o *outcome) Helper() {}

func (o *outcome) Skipf(string, ...any) { o.how = "skipped"; runtime.Goexit() }

func (o *outcome) Fatalf(string, ...any) { o.how = "failed"; runtime.Goexit() }

func (o *outcome) Cleanup(func()) {}

func end(t *testing.T, f func(testing.TB)) string {
	o := &outcome{TB: t, how: "passed"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(o)
	}()
	<-done
	return o.how
}

func TestWithoutServer(t *testing.T) {
	tests := []struct {
		name        string
		ci, servers string
		run         func(testing.TB)
		want        string
	}{
		{"S3", "", "", func(t testing.TB) { S3().URL(t) }, "skipped"},
		{"S3 in CI", "true", "", func(t testing.TB) { S3().URL(t) }, "failed"},
		{"MinIO", "", "s3 peers", func(t testing.TB) { MinIO().URL(t) }, "skipped"},
		{"MinIO in CI", "true", "s3 peers", func(t testing.TB) { MinIO().URL(t) }, "skipped"},
		{"MinIO in CI, asked for", "true", "s3 minio", func(t testing.TB) { MinIO().URL(t) }, "failed"},
		{"MinIO asked for", "", "minio", func(t testing.TB) { MinIO().URL(t) }, "skipped"},
		{"site", "", "", func(t testing.TB) { NewSite(t) }, "skipped"},
		{"site in CI", "true", "", func(t testing.TB) { NewSite(t) }, "failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range All() {
				t.Setenv(p.Env, "")
			}
			t.Setenv("ZARR_TEST_HTTP_URL", "")
			t.Setenv("CI", tt.ci)
			t.Setenv("ZARR_TEST_SERVERS", tt.servers)
			if got := end(t, tt.run); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestEndpoints(t *testing.T) {
	tests := []struct{ name, url, endpoint, through string }{
		{"s3", "s3://b/p?endpoint=http://127.0.0.1:9000&region=r", "http://127.0.0.1:9000", "s3://b/p?endpoint=http%3A%2F%2F127.0.0.1%3A1&region=r"},
		{"gcs", "gs://b/p?endpoint=http://127.0.0.1:9000", "http://127.0.0.1:9000", "gs://b/p?endpoint=http%3A%2F%2F127.0.0.1%3A1"},
		{"azure", "azblob://b/p?domain=127.0.0.1:9000", "http://127.0.0.1:9000", "azblob://b/p?domain=127.0.0.1%3A1"},
		{"http", "http://127.0.0.1:9000/p", "http://127.0.0.1:9000", "http://127.0.0.1:1/p"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Endpoint(t, tt.url).String(); got != tt.endpoint {
				t.Errorf("endpoint %s, want %s", got, tt.endpoint)
			}
			if got := Through(t, tt.url, "127.0.0.1:1"); got != tt.through {
				t.Errorf("through %s, want %s", got, tt.through)
			}
		})
	}
	for _, url := range []string{"s3://b/p?region=r", "gs://b/p", "azblob://b/p"} {
		if got := end(t, func(t testing.TB) { Endpoint(t, url) }); got != "skipped" {
			t.Errorf("%s, which is the cloud's own: %s", url, got)
		}
	}
}

// TestPlaces checks that each place is a separate store and is emptied at the end.
func TestPlaces(t *testing.T) {
	for _, p := range All() {
		t.Run(p.Name, func(t *testing.T) {
			var url string
			t.Run("use", func(t *testing.T) {
				url = p.URL(t)
				st := Open(t, url)
				if _, err := st.Put(t.Context(), "a/b", []byte("x"), store.PutOptions{}); err != nil {
					t.Fatal(err)
				}
				other := Open(t, p.URL(t))
				if _, err := other.Get(t.Context(), "a/b", store.GetOptions{}, nil); !errors.Is(err, fault.NotFound) {
					t.Errorf("another place has it too: %v", err)
				}
			})
			if url == "" {
				t.SkipNow() // use logs the reason
			}
			st, err := p.Open(context.Background(), url, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = st.Close() }()
			for e, err := range st.List(t.Context(), "", store.ListOptions{}) {
				t.Errorf("left behind: %+v, %v", e, err)
			}
		})
	}
}

func TestSite(t *testing.T) {
	var site Site
	t.Run("use", func(t *testing.T) {
		site = NewSite(t)
		if err := os.WriteFile(filepath.Join(site.Dir, "a"), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	})
	if site.Dir == "" {
		t.SkipNow() // use logs the reason
	}
	if _, err := os.Stat(site.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}
