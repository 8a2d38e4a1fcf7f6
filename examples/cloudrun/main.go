package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/examples/region"
	"github.com/zargo-io/zargo/examples/web"
	"github.com/zargo-io/zargo/gcs"
	"github.com/zargo-io/zargo/openurl"
	"github.com/zargo-io/zargo/zarr"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	l, err := net.Listen("tcp", ":"+cmp.Or(os.Getenv("PORT"), "8080"))
	if err == nil {
		err = run(ctx, os.Getenv("ARRAY_URL"), l)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cloudrun:", err)
		os.Exit(1)
	}
}

const (
	// most is the maximum number of elements in a response. 80 concurrent responses, of 8 bytes and
	// 25 characters per element, take 170 MB.
	most = 1 << 16
	// timeout is the maximum time of a request.
	timeout = 30 * time.Second
)

func run(ctx context.Context, url string, l net.Listener) (err error) {
	a, err := open(ctx, url)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, a.Store().Close()) }()
	log.Printf("%v; %d MiB in flight at most", a, concurrency.Default().Bytes.Size()>>20)
	return web.Serve(ctx, l, handler{a})
}

func open(ctx context.Context, url string) (*zarr.Array, error) {
	if url == "" {
		return nil, errors.New("ARRAY_URL is not set")
	}
	stores := openurl.Mux{"gs": openurl.With(gcs.Open), "file": openurl.Dir()}
	st, err := stores.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	return zarr.OpenArray(ctx, st, "")
}

// handler responds to requests with the values of regions of one array.
type handler struct{ array *zarr.Array }

func (h handler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path != "/" {
		http.NotFound(w, req)
		return
	}
	if req.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "GET is wanted", http.StatusMethodNotAllowed)
		return
	}
	ctx, cancel := context.WithTimeout(req.Context(), timeout)
	defer cancel()
	r, err := region.Parse(req.URL.Query().Get("region"), h.array.Shape())
	if err != nil {
		web.Fail(w, err)
		return
	}
	answer, err := region.Read(ctx, h.array, r, most)
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.JSON(w, answer)
}
