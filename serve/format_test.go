package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// lengths is a format that sends the dimensions of each variable.
type lengths struct {
	media string
	err   error
}

func (l lengths) MediaType() string { return l.media }

func (l lengths) Write(ctx context.Context, w io.Writer, d *dataset.Dataset, vars []*dataset.Variable) error {
	if _, ok := ctx.Deadline(); !ok {
		return errors.New("there is no deadline")
	}
	for _, v := range vars {
		if _, err := fmt.Fprintln(w, v.Name(), v.Dims(), d.Dims()); err != nil {
			return err
		}
	}
	if l.err != nil { // more than the buffer
		_, _ = w.Write(make([]byte, 1<<20))
	}
	return l.err
}

// TestFormats checks how a client gets a format of Options.Formats, and its limits.
func TestFormats(t *testing.T) {
	own := map[string]serve.Format{"lengths": lengths{media: "text/x-lengths"}, "csv": lengths{media: "text/x-none"}, "broken": lengths{"text/x-broken", errors.New("broken")}}
	st := weather(t, 3)
	url := start(t, serve.Options{Formats: own}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/"
	parts := mem.New()
	must(dataset.Create(t.Context(), parts, "", dataset.Spec{Vars: []dataset.VarSpec{
		{Name: "x", Spec: zarr.Spec{Shape: []int{3}, Chunks: []int{1}, DType: dtype.Int8, Dims: []string{"x"}}},
		{Name: "t2m", Spec: zarr.Spec{Shape: []int{3}, Chunks: []int{2}, DType: dtype.Int8, Dims: []string{"x"}}},
	}}, dataset.Options{}))
	limited := start(t, serve.Options{Formats: own, Limits: serve.Limits{Requests: 4}}, serve.Dataset{ID: "d", Store: parts}) + "/datasets/d/"
	const all = "=t2m [{time 3} {lat 2}] [{lat 2} {time 3}]\n"
	for _, tt := range []struct {
		url, accept string
		status      int
		want        string
	}{
		{url + "slice?var=t2m&f=lengths", "", 200, all},
		{url + "point?var=t2m&f=lengths&time=2020-01-02", "", 200, "=t2m [{lat 2}] [{lat 2}]\n"},
		{url + "slice?var=t2m", "text/html, text/x-lengths ;q=0.9", 200, all},
		{url + "slice?var=t2m", "*/*", 200, `"dims"`},
		{url + "slice?var=t2m&f=json", "text/x-lengths", 200, `"dims"`},
		{url + "slice?var=t2m&f=csv&time=2020-01-02&lat=40", "", 200, "=t2m\n2\n"},
		{url + "slice?var=t2m,lat&f=lengths", "", 400, "different dimensions"},
		{url + "slice?var=t2m&f=other", "", 400, "unknown"},
		{limited + "slice?var=t2m&f=csv", "", 200, "x,t2m"},
		{limited + "slice?var=t2m&f=lengths", "", 413, `"requests":5,`}, // 3 of the labels
	} {
		send(t, "GET", tt.url, "Accept: "+tt.accept).expect(t, tt.status, tt.want)
	}
	send(t, "HEAD", url+"slice?var=t2m", "Accept: text/x-lengths").expect(t, 200, "=", "Content-Type: text/x-lengths", "Vary: Origin, Accept")
	resp, err := http.Get(url + "slice?var=t2m&f=broken")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the body looks complete")
	}
}
