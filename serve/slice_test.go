package serve_test

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/npy"
	"github.com/zargo-io/zargo/picture"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// TestSlices checks the formats of selections, and the refusals.
func TestSlices(t *testing.T) {
	st := weather(t, 3)
	url := start(t, serve.Options{}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/"
	const lat, when = `"lat":{"dims":["lat"],"attrs":{},"data":[50,40]}`, `"time":{"dims":[],"attrs":{"long_name":"time"},"data":"2020-01-02T00:00:00"}`
	for _, tt := range []struct {
		query  string
		status int
		want   string
	}{
		{"point?var=t2m&time=2020-01-02", 200, `={"dims":{"lat":2},"coords":{` + lat + `,` + when + `},"data_vars":{"t2m":{"dims":["lat"],"attrs":{"odd":null,"units":"K"},"data":[1.5,2]}}}` + "\n"},
		{"point?var=t2m&sel=time=nearest::2020-01-02T05,lat=40", 200, `"t2m":{"dims":[],"attrs":{"odd":null,"units":"K"},"data":2}`},
		{"slice?var=t2m,time&time=2020-01-02:", 200, `"data":[[1.5,2],[2.5,3]]},"time":{"dims":["time"],"attrs":{"long_name":"time"},"data":["2020-01-02T00:00:00","2020-01-03T00:00:00"]}`},
		{"slice?var=t2m&lat=45:41", 200, `"data":[[],[],[]]`},
		{"slice?var=t2m&time=2021:2022", 200, `"data":[]`},
		{"slice?var=t2m&f=csv&lat=40,50&time=:2020-01-02", 200, "=time,lat,t2m\n2020-01-01T00:00:00,40,1\n2020-01-01T00:00:00,50,0.5\n2020-01-02T00:00:00,40,2\n2020-01-02T00:00:00,50,1.5\n"},
		{"slice?var=time,lat,time&time=2020-01-02&lat=50&f=csv", 200, "=time,lat\n2020-01-02T00:00:00,50\n"},
		{"point?var=t2m&f=csv&isel=time=1&isel=lat=-1", 200, "=t2m\n2\n"},
		{"slice?var=t2m&isel=time=0,lat=0", 400, "no dimension"},
		{"slice?var=t2m&isel=0", 400, "no dimension"},
		{"slice?var=t2m&isel=", 400, "isel must be"},
		{"slice?var=t2m&isel=lat=2", 400, "lat"},
		{"slice?var=t2m&isel=none=2", 400, "none"},
		{"slice?var=t2m&lat=45", 400, `no label 45`},
		{"slice?var=t2m&lat=50&lat=40", 400, "twice"},
		{"slice?var=t2m&depth=1", 400, "neither a parameter nor a dimension"},
		{"slice?var=lat&time=2020", 400, "neither a parameter nor a dimension"},
		{"slice?var=t2m&lat=x", 400, ""},
		{"slice?var=t2m&sel=45", 400, "dimension=label"},
		{"slice?var=t2m,lat&f=csv", 400, "different dimensions"},
		{"slice?var=t2m,lat&f=npy", 400, "of one variable"},
		{"slice?var=t2m&f=tiff", 400, "format"},
		{"slice?var=t2m&f=json&f=csv", 400, "2 times"},
		{"slice?var=t2m&size=10", 400, "only for f=png"},
		{"slice?var=t2m&f=png&size=1000000", 400, "size"},
		{"slice?var=t2m&f=png&lat=50", 400, "two dimensions"},
		{"point?var=t2m&f=png", 400, "format"},
		{"slice?var=t2m&%zz", 400, "malformed"},
		{"stats?var=t2m&lat=40,50&bins=2", 200, `={"var":"t2m","units":"K","elements":6,"missing":0,"nan":0,"infinite":0,"count":6,"min":0.5,"max":3,"mean":1.75,"std":0.8539125638299665,` +
			`"histogram":{"edges":[0.5,1.75,3],"counts":[3,3],"below":0,"above":0}}` + "\n"},
		{"stats?var=t2m&lat=40&bins=1&range=1:2", 200, `"edges":[1,2],"counts":[2],"below":0,"above":1}`},
		{"stats?var=t2m&lat=45:41&bins=3", 200, `"count":0,"min":null,"max":null,"mean":null,"std":null}`},
		{"stats?var=lat&lat=50", 200, `"elements":1,"missing":0,"nan":0,"infinite":0,"count":1,"min":50,"max":50`},
		{"stats?var=t2m&range=1:2", 400, "needs the parameter bins"},
		{"stats?var=t2m&bins=1000000", 400, "bins"},
		{"stats?var=t2m&bins=1&range=1:NaN", 400, "range"},
		{"stats?var=t2m,lat", 400, "of one variable"},
		{"slice", 400, "var"},
		{"slice?var=" + strings.Repeat("t2m,", 200) + "x", 404, "x"},
		{"slice?var=none", 404, "none"},
	} {
		send(t, "GET", url+tt.query).expect(t, tt.status, tt.want)
		send(t, "HEAD", url+tt.query).expect(t, tt.status, "=")
	}

	file := send(t, "GET", url+"slice?var=t2m&f=npy&lat=40")
	file.expect(t, 200, "Content-Type: application/x-npy", "Content-Length: 152")
	values := make([]float64, 3)
	must(npy.Read(must(npy.NewReader(strings.NewReader(file.body))), values))
	if !slices.Equal(values, []float64{1, 2, 3}) {
		t.Errorf("npy: %v", values)
	}

	drawn := send(t, "GET", url+"slice?var=t2m&f=png&palette=magma&range=0:2&first-row=bottom&axes=no")
	drawn.expect(t, 200, "Content-Type: image/png", "Zargo-Range: 0:2")
	send(t, "GET", url+"slice?var=t2m&f=png").expect(t, 200, "Zargo-Range: 0.5:3")
	v := must(must(dataset.Open(t.Context(), st, "", dataset.Options{})).Var("t2m"))
	img := must(picture.Render(must(picture.Read(t.Context(), v, picture.ReadOptions{})), picture.Options{Palette: picture.Magma, Range: picture.Range{High: 2}, Rows: picture.Upward, Plain: true, Size: 1024}))
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil || b.String() != drawn.body {
		t.Errorf("the picture differs: %v", err)
	}
}

// TestLongSlice sends a slice that is longer than the memory, and refuses it if a request may not
// read as much.
func TestLongSlice(t *testing.T) {
	st := mem.New()
	g := must(zarr.CreateGroup(t.Context(), st, "", zarr.Spec{}))
	a := must(g.CreateArray(t.Context(), "v", zarr.Spec{Shape: []int{3000, 1000}, Chunks: []int{100, 600}, DType: dtype.Float64, Dims: []string{"y", "x"}}))
	values := make([]float64, a.Len())
	for i := range values {
		values[i] = float64(i)
	}
	if err := zarr.Write(t.Context(), a, values); err != nil {
		t.Fatal(err)
	}
	memory := concurrency.NewBudget(16 << 20)
	url := start(t, serve.Options{Memory: memory}, serve.Dataset{ID: "d", Store: st}) + "/datasets/d/slice?var=v"
	got := make([]float64, len(values))
	must(npy.Read(must(npy.NewReader(strings.NewReader(send(t, "GET", url+"&f=npy").body))), got))
	if !slices.Equal(got, values) {
		t.Error("npy: other values")
	}
	if now, peak := memory.Used(); now != 0 || peak == 0 || peak > 12<<20 {
		t.Errorf("%d bytes are reserved, %d at most", now, peak)
	}
	if body := send(t, "GET", url).body; strings.Count(body, "[") != 3002 || !strings.HasSuffix(body, "2999998,2999999]]}}}\n") {
		t.Errorf("JSON: %d bytes", len(body))
	}
	send(t, "GET", start(t, serve.Options{Limits: serve.Limits{Requests: 59}}, serve.Dataset{ID: "d", Store: st})+"/datasets/d/slice?var=v").expect(t, 413, `"requests":60`)
	send(t, "GET", start(t, serve.Options{Limits: serve.Limits{Bytes: 1 << 20}}, serve.Dataset{ID: "d", Store: st})+"/datasets/d/slice?var=v&f=png").expect(t, 413, `"bytes":`)
}

// TestStatisticsMemory checks that the counts of integers are within the memory.
func TestStatisticsMemory(t *testing.T) {
	st := mem.New()
	g := must(zarr.CreateGroup(t.Context(), st, "", zarr.Spec{}))
	a := must(g.CreateArray(t.Context(), "v", zarr.Spec{Shape: []int{100}, Chunks: []int{10}, DType: dtype.Int16, Dims: []string{"x"}}))
	if err := zarr.Write(t.Context(), a, make([]int16, 100)); err != nil {
		t.Fatal(err)
	}
	memory := concurrency.NewBudget(16 << 20)
	url := start(t, serve.Options{Memory: memory}, serve.Dataset{ID: "d", Store: st})
	send(t, "GET", url+"/datasets/d/stats?var=v&bins=2").expect(t, 200, `"count":100`)
	if now, peak := memory.Used(); now != 0 || peak < 3<<20 {
		t.Errorf("%d bytes are reserved, %d at most", now, peak)
	}
}
