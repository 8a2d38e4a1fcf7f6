package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// fill creates an array of 4 × 100 000 elements and writes the first six of its first row.
func fill(t *testing.T, st store.Store) {
	t.Helper()
	a, err := zarr.Create(t.Context(), st, "", zarr.Spec{Shape: []int{4, 100_000}, Chunks: []int{2, 3}, DType: dtype.Float32, Fill: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(t.Context(), a, []float32{1, 2, 3, 4, 5, 6.5}, zarr.At(0), zarr.Range(0, 6)); err != nil {
		t.Fatal(err)
	}
}

// serve opens the array as the program does, requests a region over HTTP and compares the response.
func serve(t *testing.T, url string) {
	t.Helper()
	a, err := open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Store().Close()
	srv := httptest.NewServer(handler{a})
	defer srv.Close()
	r, err := http.Get(srv.URL + "/?region=0:2,4:7")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if want := `{"shape":[2,3],"dtype":"float32","values":[5,6.5,-1,-1,-1,-1]}` + "\n"; err != nil || r.StatusCode != 200 || string(b) != want {
		t.Errorf("got %s %s, %v; want %s", r.Status, b, err, want)
	}
}

func TestDirectory(t *testing.T) {
	root := t.TempDir()
	fill(t, dir.New(root))
	serve(t, root)
	serve(t, "file://"+root)
}

func TestGCS(t *testing.T) {
	url := bucket.GCS().URL(t)
	st, err := gcs.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	fill(t, st)
	serve(t, url)
}

// ask calls the handler in process and returns the status code.
func ask(a *zarr.Array, method, target string) int {
	w := httptest.NewRecorder()
	handler{a}.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w.Code
}

func TestRefuses(t *testing.T) {
	st := mem.New()
	fill(t, st)
	a, err := zarr.OpenArray(t.Context(), st, "")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, method, target string
		code                 int
	}{
		{"outside", "GET", "/?region=9", 400},
		{"no region", "GET", "/?region=a:b", 400},
		{"too large an answer", "GET", "/", 413},
		{"no such page", "GET", "/favicon.ico", 404},
		{"a write", "POST", "/", 405},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ask(a, test.method, test.target); got != test.code {
				t.Errorf("got %d, want %d", got, test.code)
			}
		})
	}
	for _, url := range []string{"", t.TempDir()} {
		if err := run(t.Context(), url, listen(t)); err == nil {
			t.Errorf("%q was opened", url)
		}
	}
}

// silent blocks reads of chunks until the context ends.
type silent struct{ store.Store }

func (s silent) Get(ctx context.Context, key string, o store.GetOptions, buf []byte) (store.Value, error) {
	if strings.HasPrefix(key, "c/") {
		<-ctx.Done()
		return store.Value{}, context.Cause(ctx)
	}
	return s.Store.Get(ctx, key, o, buf)
}

func TestDeadline(t *testing.T) {
	st := mem.New()
	fill(t, st) // not in the bubble, because codecs keep state between calls
	synctest.Test(t, func(t *testing.T) {
		a, err := zarr.OpenArray(t.Context(), silent{st}, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(a, "GET", "/?region=0,0"); got != 504 {
			t.Errorf("got %d", got)
		}
	})
}

// listen returns a listener on a free port.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestRunEnds(t *testing.T) {
	root := t.TempDir()
	fill(t, dir.New(root))
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, root, l) }()
	r, err := http.Get("http://" + l.Addr().String() + "/?region=0,5") // waits for the array to be opened
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 200 {
		t.Error(r.Status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
