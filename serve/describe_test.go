package serve_test

import (
	"bytes"
	"context"
	"math"
	"testing"
	"time"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// weather returns a store with a dataset, without consolidated metadata.
func weather(t *testing.T, format int) store.Store {
	st := mem.New()
	lat := dataset.VarSpec{Name: "lat", Spec: zarr.Spec{Shape: []int{2}, DType: dtype.Float64, Dims: []string{"lat"}}}
	temp := dataset.VarSpec{Name: "t2m", Spec: zarr.Spec{Shape: []int{3, 2}, DType: dtype.Int16, Dims: []string{"time", "lat"}, Attrs: map[string]any{"units": "K", "scale_factor": 0.5, "odd": math.NaN()}}}
	when := dataset.VarSpec{Name: "time", Spec: zarr.Spec{Shape: []int{3}, DType: dtype.Int64, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2020-01-01", "long_name": "time"}}}
	d := must(dataset.Create(t.Context(), st, "", dataset.Spec{Format: format, Attrs: map[string]any{"title": "<demo>"}, Vars: []dataset.VarSpec{lat, temp, when}}, dataset.Options{}))
	must(d.Write(t.Context(), dataset.Stored("lat", []float64{50, 40}), dataset.Stored("time", []int64{0, 1, 2}), dataset.Stored("t2m", []int16{1, 2, 3, 4, 5, 6})))
	if err := st.Delete(t.Context(), ".zmetadata", store.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	return st
}

// TestDescriptions checks the descriptions of a dataset. They have the forms, names and types of Xpublish
// 0.5.2.
func TestDescriptions(t *testing.T) {
	url := start(t, serve.Options{}, serve.Dataset{ID: "d", Store: weather(t, 3)}) + "/datasets/d/"
	for path, want := range map[string]string{
		"":     "&lt;zargo.Dataset",
		"keys": "=[\"lat\",\"t2m\",\"time\"]\n",
		"info": `={"dimensions":{"lat":2,"time":3},"global_attributes":{"title":"\u003cdemo\u003e"},"variables":{` +
			`"lat":{"attributes":{},"dimensions":["lat"],"type":"float64"},` +
			`"t2m":{"attributes":{"odd":null,"units":"K"},"dimensions":["time","lat"],"type":"float64"},` +
			`"time":{"attributes":{"long_name":"time"},"dimensions":["time"],"type":"datetime64[ns]"}}}` + "\n",
		"dict": `={"attrs":{"title":"\u003cdemo\u003e"},"coords":{"lat":{"dims":["lat"],"attrs":{},"dtype":"float64","shape":[2]},` +
			`"time":{"dims":["time"],"attrs":{"long_name":"time"},"dtype":"datetime64[ns]","shape":[3]}},` +
			`"data_vars":{"t2m":{"dims":["time","lat"],"attrs":{"odd":null,"units":"K"},"dtype":"float64","shape":[3,2]}},"dims":{"lat":2,"time":3}}` + "\n",
	} {
		send(t, "GET", url+path).expect(t, 200, want, "Cache-Control: no-cache")
		send(t, "HEAD", url+path).expect(t, 200, "=")
	}
	send(t, "GET", url+"zarr/t2m/x").expect(t, 404)
	send(t, "GET", url+"none").expect(t, 404)
}

// TestRefresh checks that an opened dataset and generated metadata are as recent as the rule demands.
func TestRefresh(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rule  time.Duration
		after string
	}{
		{"never", 0, "=[\"lat\",\"t2m\",\"time\"]\n"},
		{"after an hour", time.Hour, "=[\"lat\",\"t2m\",\"time\"]\n"},
		{"each request", serve.EachRequest, "=[\"lat\",\"new\",\"t2m\",\"time\"]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := weather(t, 2)
			lists := 0
			seen := store.Observe(st, func(_ context.Context, e store.Event) {
				if e.Op == store.OpList {
					lists++
				}
			})
			url := start(t, serve.Options{Refresh: tt.rule}, serve.Dataset{ID: "d", Store: seen}) + "/datasets/d/"
			send(t, "GET", url+"keys").expect(t, 200, "=[\"lat\",\"t2m\",\"time\"]\n")
			generated := send(t, "GET", url+"zarr/.zmetadata")
			generated.expect(t, 200, `"time/.zarray"`, "Content-Type: application/json")
			tag := generated.Header.Get("ETag")
			send(t, "GET", url+"zarr/.zmetadata", "If-None-Match: "+tag).expect(t, 304)
			send(t, "GET", url+"zarr/.zmetadata", "Range: bytes=0-0").expect(t, 206, "={")

			must(zarr.Create(t.Context(), st, "new", zarr.Spec{Format: 2, Shape: []int{1}, DType: dtype.Int8, Attrs: map[string]any{"_ARRAY_DIMENSIONS": []any{"x"}}}))
			send(t, "GET", url+"keys").expect(t, 200, tt.after)
			again := send(t, "GET", url+"zarr/.zmetadata")
			if fresh := again.Header.Get("ETag") != tag; fresh != (tt.rule == serve.EachRequest) || fresh != bytes.Contains([]byte(again.body), []byte("new/.zarray")) {
				t.Errorf("made again: %v", fresh)
			}
			if tt.rule != serve.EachRequest && lists != 2 {
				t.Errorf("%d listings, want one for each use", lists)
			}
			if _, err := st.Get(t.Context(), ".zmetadata", store.GetOptions{}, nil); err == nil {
				t.Error("it was stored")
			}
			g := must(zarr.OpenGroup(t.Context(), st, ""))
			must(g.Consolidate(t.Context()))
			stored := must(st.Get(t.Context(), ".zmetadata", store.GetOptions{}, nil))
			send(t, "GET", url+"zarr/.zmetadata").expect(t, 200, "="+string(stored.Bytes))
		})
	}
}

// TestGeneratedOnlyOfV2 checks that nothing else than a v2 group gets generated metadata, and that a
// failure is not an absence.
func TestGeneratedOnlyOfV2(t *testing.T) {
	broken := filled(t, ".zgroup", `{"zarr_format":2}`, "a/.zarray", "{")
	url := start(t, serve.Options{}, serve.Dataset{ID: "v3", Store: weather(t, 3)}, serve.Dataset{ID: "array", Store: weather(t, 2), Path: "t2m"},
		serve.Dataset{ID: "broken", Store: broken}, serve.Dataset{ID: "read-only", Store: store.ReadOnly(weather(t, 2))}, serve.Dataset{ID: "down", Store: failing(weather(t, 2), store.OpList)}) + "/datasets/"
	for id, status := range map[string]int{"v3": 404, "array": 404, "broken": 404, "read-only": 200, "down": 502} {
		send(t, "GET", url+id+"/zarr/.zmetadata").expect(t, status)
	}
}

// TestViews checks that a view is served like a dataset, and that its requests to the source count.
func TestViews(t *testing.T) {
	opened := 0
	view := func(_ context.Context, st store.Store) (store.Store, error) {
		opened++
		return store.ReadOnly(must(store.Prefix(st, "g"))), nil
	}
	st := filled(t, "d/g/zarr.json", "{}", "d/g/c/0", "0123")
	url := start(t, serve.Options{Writable: true, Limits: serve.Limits{Requests: 1}}, serve.Dataset{ID: "d", Store: st, Path: "d", Views: map[string]serve.View{"v": view}}) + "/datasets/d/views/"
	send(t, "GET", url+"v/zarr/zarr.json").expect(t, 200, "={}")
	send(t, "GET", url+"v/zarr/c/0", "Range: bytes=1-2").expect(t, 206, "=12")
	send(t, "GET", url+"v/zarr/?list").expect(t, 200, `"key":"c/0"`)
	send(t, "GET", url+"v/zarr/").expect(t, 200, `href="c/"`)
	send(t, "GET", url+"v/zarr/c/0", "Range: bytes=-9").expect(t, 413, `"error"`) // two requests
	send(t, "PUT", url+"v/zarr/x", "If-None-Match: *", "x").expect(t, 405)
	send(t, "GET", url+"w/zarr/x").expect(t, 404)
	planned := func(_ context.Context, st store.Store) (store.Store, error) { return plans{st}, nil }
	url = start(t, serve.Options{}, serve.Dataset{ID: "d", Store: st, Path: "d/g", Views: map[string]serve.View{"v": planned}}) + "/datasets/d/views/v/zarr/"
	send(t, "GET", url+"c/0").expect(t, 413, `"requests":20000,"bytes":7,"limit"`)
	send(t, "GET", url+"zarr.json").expect(t, 200, "={}")
	refreshed := 0
	current := func(_ context.Context, st store.Store) (store.Store, error) {
		opened++
		return refreshing{failing(st, store.OpGet, fault.Conflict), &refreshed}, nil
	}
	url = start(t, serve.Options{Refresh: serve.EachRequest}, serve.Dataset{ID: "d", Store: st, Views: map[string]serve.View{"v": current}}) + "/datasets/d/views/v/zarr/"
	for range 3 {
		send(t, "GET", url+"zarr.json").expect(t, 503, "the source has changed")
	}
	if opened != 2 || refreshed != 2 {
		t.Errorf("opened %d times, refreshed %d times", opened, refreshed)
	}
}

// plans is a store whose chunks need many requests.
type plans struct{ store.Store }

func (plans) Plan(key string) (store.Amount, error) {
	if key == "zarr.json" {
		return store.Amount{}, fault.NotFound
	}
	return store.Amount{Gets: 20_000, BytesRead: 7}, nil
}

// refreshing is a store that counts its refreshes.
type refreshing struct {
	store.Store
	n *int
}

func (r refreshing) Refresh(context.Context) error {
	*r.n++
	return nil
}
