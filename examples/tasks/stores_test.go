package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"

	nethttp "net/http"

	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
	"github.com/zargo-io/zargo/zarr/store/http"
	"github.com/zargo-io/zargo/zarr/store/mem"
	"github.com/zargo-io/zargo/zarr/store/zip"
)

func Example_directory() {
	root, err := os.MkdirTemp("", "era5")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(root) }()

	ctx, st := context.Background(), dir.New(root) // the directory that contains zarr.json
	a, err := zarr.Create(ctx, st, "t2m", zarr.Spec{Shape: []int{4}, Chunks: []int{2}, DType: dtype.Float32})
	if err != nil {
		log.Fatal(err)
	}
	if err := zarr.Write(ctx, a, []float32{280, 281, 282, 283}); err != nil {
		log.Fatal(err)
	}
	b, err := os.ReadFile(root + "/t2m/c/0") // a chunk is a file
	fmt.Println(len(b) > 0, err)
	// Output: true <nil>
}

func Example_web() {
	server := webServer()
	defer server.Close()
	ctx := context.Background()

	st, err := http.Open(ctx, server.URL) // in your program: "https://data.example.org/era5.zarr"
	if err != nil {
		log.Fatal(err)
	}
	a, err := zarr.OpenArray(ctx, st, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(zarr.Read[float32](ctx, a, zarr.At(0), zarr.At(0)))
	_, err = zarr.Create(ctx, st, "u10", zarr.Spec{Shape: []int{1}, DType: dtype.Float32})
	fmt.Println(errors.Is(err, zarr.ErrReadOnly))
	// Output:
	// [0 1 2 3 4 5] <nil>
	// true
}

// webServer serves the weather dataset.
func webServer() *httptest.Server {
	st := weather(context.Background())
	return httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		v, err := st.Get(r.Context(), r.URL.Path[1:], store.GetOptions{}, nil)
		if err != nil {
			nethttp.NotFound(w, r)
			return
		}
		_, _ = w.Write(v.Bytes)
	}))
}

func Example_archive() {
	ctx, bucket := context.Background(), mem.New() // in your program: the store that contains the archive
	doc := []byte(`{"zarr_format":3,"node_type":"group","attributes":{"title":"run 7"}}`)
	_, err := zip.Save(ctx, bucket, "7.zarr.zip", store.PutOptions{IfAbsent: true}, func(w *zip.Writer) error {
		return w.Add("zarr.json", doc)
	})
	if err != nil {
		log.Fatal(err)
	}
	st, err := zip.Open(ctx, bucket, "7.zarr.zip")
	if err != nil {
		log.Fatal(err)
	}
	g, err := zarr.OpenGroup(ctx, st, "")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Attrs())
	// Output: map[title:run 7]
}
