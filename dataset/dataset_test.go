package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// weather creates a dataset: t(time, lat, lon) packed as int16, with the coordinates of its
// dimensions, and the station heights h(station) with the coordinate name(station).
func weather(t *testing.T, format int) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroup(t.Context(), mem.New(), "", zarr.Spec{Format: format, Attrs: map[string]any{"title": "test"}})
	if err != nil {
		t.Fatal(err)
	}
	spec := func(typ dtype.Type, shape []int, attrs map[string]any, dims ...string) zarr.Spec {
		s := zarr.Spec{Shape: shape, DType: typ, Attrs: attrs, Fill: zarr.NoFill}
		if format == 3 {
			s.Dims, s.Fill = dims, nil
			return s
		}
		if s.Attrs == nil {
			s.Attrs = map[string]any{}
		}
		s.Attrs["_ARRAY_DIMENSIONS"] = dims
		return s
	}
	put(t, g, "time", spec(dtype.Int32, []int{48}, map[string]any{"units": "hours since 2020-01-31"}, "time"), sequence[int32](48))
	put(t, g, "lat", spec(dtype.Float32, []int{3}, nil, "lat"), []float32{60, 50, 40})
	put(t, g, "lon", spec(dtype.Float64, []int{4}, nil, "lon"), []float64{0, 90, 180, 270})
	values := sequence[int16](48 * 3 * 4)
	values[1] = -1
	put(t, g, "t", spec(dtype.Int16, []int{48, 3, 4}, map[string]any{"_FillValue": -1, "scale_factor": 0.5, "add_offset": 100}, "time", "lat", "lon"), values)
	put(t, g, "h", spec(dtype.Float32, []int{2}, map[string]any{"coordinates": "name other"}, "station"), []float32{7, 8})
	put(t, g, "name", spec(dtype.Int8, []int{2}, nil, "station"), []int8{1, 2})
	return g
}

func sequence[T int16 | int32](n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(i)
	}
	return out
}

func sel(t *testing.T, d *dataset.Dataset, q ...dataset.Query) *dataset.Dataset {
	t.Helper()
	s, err := d.Sel(q...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func variable(t *testing.T, d *dataset.Dataset, name string) *dataset.Variable {
	t.Helper()
	v, err := d.Var(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func values(t *testing.T, v *dataset.Variable) []float64 {
	t.Helper()
	got, err := dataset.Read[float64](t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestDataset checks dimensions, coordinates and variables, in both formats.
func TestDataset(t *testing.T) {
	for _, format := range []int{2, 3} {
		d := open(t, weather(t, format))
		if got := fmt.Sprint(d.Dims()); got != "[{station 2} {lat 3} {lon 4} {time 48}]" {
			t.Errorf("dimensions: %s", got)
		}
		var names []string
		for _, v := range append(d.Coords(), d.Vars()...) {
			names = append(names, v.Name())
		}
		if got := strings.Join(names, " "); got != "lat lon name time h t" {
			t.Errorf("coordinates and variables: %s", got)
		}
		if len(d.Findings()) > 0 || d.Attrs()["title"] != "test" {
			t.Errorf("%v, %v", d.Findings(), d.Attrs())
		}
		v := variable(t, d, "t")
		if _, ok := v.Attrs()["_ARRAY_DIMENSIONS"]; ok || fmt.Sprint(v.Shape()) != "[48 3 4]" {
			t.Errorf("%v, %v", v.Attrs(), v.Shape())
		}
		if got := values(t, v); !math.IsNaN(got[1]) || got[0] != 100 || got[5] != 102.5 {
			t.Errorf("values: %v", got[:6])
		}
		if _, err := d.Var("q"); !errors.Is(err, zarr.ErrNotFound) || !strings.Contains(err.Error(), `"lat"`) {
			t.Errorf("a variable that does not exist: %v", err)
		}
	}
}

// TestSel checks selections of several dimensions, one after the other, and dropped dimensions.
func TestSel(t *testing.T) {
	d := open(t, weather(t, 3))
	s := sel(t, d, dataset.Label("time", "2020-02"), dataset.Between("lat", 40, 55), dataset.Label("lon", 100).Nearest().Within(20.0))
	v := variable(t, s, "t")
	if got := fmt.Sprint(v.Dims()); got != "[{time 24} {lat 2}]" || v.Len() != 48 {
		t.Fatalf("dimensions: %s", got)
	}
	if got := values(t, v); got[0] != 100+0.5*(24*12+4+1) || got[1] != 100+0.5*(24*12+8+1) {
		t.Errorf("values: %v", got[:2])
	}
	again := sel(t, s, dataset.Slice("time", -3, dataset.End).By(2), dataset.Label("lat", 40))
	v = variable(t, again, "t")
	if got := values(t, v); !slices.Equal(got, []float64{100 + 0.5*(45*12+9), 100 + 0.5*(47*12+9)}) {
		t.Errorf("values: %v", got)
	}
	times, err := variable(t, again, "time").Times(t.Context())
	if err != nil || fmt.Sprint(times) != "[2020-02-01T21:00:00 2020-02-01T23:00:00]" {
		t.Errorf("times: %v, %v", times, err)
	}
	at := time.Date(2020, 1, 31, 4, 20, 0, 0, time.UTC)
	one := sel(t, d, dataset.Label("time", at).Nearest().Within(30*time.Minute), dataset.Label("lat", float32(60)), dataset.At("lon", -1))
	if got := values(t, variable(t, one, "t")); len(got) != 1 || got[0] != 100+0.5*(4*12+3) {
		t.Errorf("one element: %v", got)
	}
	noon, err := cf.NewTime(cf.Standard, cf.Date{Year: 2020, Month: 1, Day: 31, Hour: 12})
	if err != nil {
		t.Fatal(err)
	}
	if got := variable(t, sel(t, d, dataset.Between("time", noon, nil)), "t").Shape()[0]; got != 36 {
		t.Errorf("%d hours from noon on, want 36", got)
	}
	queries, err := dataset.Parse("time=nearest::2020-01-31T04:20,lat=50:40,lon=270,0")
	if err != nil {
		t.Fatal(err)
	}
	if got := values(t, variable(t, sel(t, d, queries...), "t")); !slices.Equal(got, []float64{100 + 0.5*55, 100 + 0.5*52, 100 + 0.5*59, 100 + 0.5*56}) {
		t.Errorf("a text: %v", got)
	}
}

// TestSelRefused checks the errors of selections.
func TestSelRefused(t *testing.T) {
	d := open(t, weather(t, 3))
	dropped := sel(t, d, dataset.At("lat", 0))
	points := sel(t, d, dataset.Pointwise("p", dataset.At("lat", []int{0, 1}), dataset.At("lon", []int{0, 1})))
	for _, k := range []struct {
		name  string
		d     *dataset.Dataset
		words string
		q     []dataset.Query
	}{
		{"unknown dimension", d, "no dimension \"z\"", []dataset.Query{dataset.At("z", 0)}},
		{"twice", d, "selected twice", []dataset.Query{dataset.At("lat", 0), dataset.At("lat", 1)}},
		{"dropped", dropped, "was dropped", []dataset.Query{dataset.At("lat", 0)}},
		{"points again", points, "became points", []dataset.Query{dataset.At("lat", 0)}},
		{"position", d, "position 3 is outside", []dataset.Query{dataset.At("lat", 3)}},
		{"position from the end", d, "position -4 is outside", []dataset.Query{dataset.At("lat", []int{-4})}},
		{"step", d, "step must be", []dataset.Query{dataset.Slice("lat", 0, 3).By(0)}},
		{"tolerance", d, "tolerance is 5", []dataset.Query{dataset.Label("lat", 55).Nearest().Within(4.5)}},
		{"tolerance of times", d, "time.Duration", []dataset.Query{dataset.Label("time", "2020-01-31").Nearest().Within(5)}},
		{"tolerance without method", d, "no tolerance", []dataset.Query{dataset.Label("lat", 60).Within(1)}},
		{"a time for a number", d, "labels are numbers", []dataset.Query{dataset.Label("lat", time.Time{})}},
		{"a number for a time", d, "labels are times", []dataset.Query{dataset.Label("time", 1)}},
		{"another calendar", d, "calendar", []dataset.Query{dataset.Label("time", cf.NaT(cf.NoLeap))}},
		{"points of two lengths", d, "same number", []dataset.Query{dataset.Pointwise("p", dataset.At("lat", []int{0}), dataset.At("lon", []int{0, 1}))}},
		{"points without a name", d, "cannot be named", []dataset.Query{dataset.Pointwise("", dataset.At("lat", []int{0}))}},
		{"points named as a dimension", d, "cannot be named", []dataset.Query{dataset.Pointwise("time", dataset.At("lat", []int{0}), dataset.At("lon", []int{0}))}},
		{"period", d, "period", []dataset.Query{dataset.Label("lon", 1).Nearest().Wrap(-1)}},
	} {
		if s, err := k.d.Sel(k.q...); k.name == "tolerance" && err != nil && strings.Contains(err.Error(), "tolerance is 4.5") {
			continue
		} else if !errors.Is(err, zarr.ErrSelection) || !strings.Contains(err.Error(), k.words) {
			t.Errorf("%s: %v, %v", k.name, s, err)
		}
	}
}

// TestWrap checks labels of a cyclic coordinate.
func TestWrap(t *testing.T) {
	d := open(t, weather(t, 3)) // lon is 0, 90, 180, 270
	lon := func(q dataset.Query) string {
		s, err := d.Sel(q.Wrap(360))
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(values(t, variable(t, s, "lon")))
	}
	for _, k := range []struct {
		name string
		q    dataset.Query
		want string
	}{
		{"exact", dataset.Label("lon", -90), "[270]"},
		{"two turns", dataset.Label("lon", 810), "[90]"},
		{"nearest across the end", dataset.Label("lon", 359).Nearest(), "[0]"},
		{"nearest across the start", dataset.Label("lon", -50).Nearest(), "[270]"},
		{"pad before the start", dataset.Label("lon", -5).Pad(), "[270]"},
		{"backfill after the end", dataset.Label("lon", 300).Backfill(), "[0]"},
		{"across the end", dataset.Between("lon", -100, 100), "[270 0 90]"},
		{"not across", dataset.Between("lon", 80, 200), "[90 180]"},
		{"downwards", dataset.Between("lon", 200, 80), "[270 0]"},
		{"a whole turn", dataset.Between("lon", -180, 180), "[180 270 0 90]"},
		{"only the end", dataset.Between("lon", 260, 300), "[270]"},
		{"a gap at the end", dataset.Between("lon", 280, 10), "[0]"},
	} {
		if got := lon(k.q); got != k.want {
			t.Errorf("%s: %s, want %s", k.name, got, k.want)
		}
	}
}

// TestPointwise checks points of two dimensions, with a third one that is whole, sliced or dropped.
func TestPointwise(t *testing.T) {
	d := open(t, weather(t, 3))
	p := dataset.Pointwise("site", dataset.Label("lat", []int{40, 60, 40}), dataset.Label("lon", []int{95, 5, 280}).Nearest())
	at := func(time, lat, lon int) float64 { return 100 + 0.5*float64(12*time+4*lat+lon) }
	s := sel(t, d, p, dataset.Slice("time", 10, 12))
	v := variable(t, s, "t")
	if got := fmt.Sprint(v.Dims(), s.Dims()); got != "[{time 2} {site 3}] [{station 2} {site 3} {time 2}]" {
		t.Errorf("dimensions: %s", got)
	}
	if got := values(t, v); !slices.Equal(got, []float64{at(10, 2, 1), at(10, 0, 0), at(10, 2, 3), at(11, 2, 1), at(11, 0, 0), at(11, 2, 3)}) {
		t.Errorf("values: %v", got)
	}
	if got := values(t, variable(t, s, "lon")); !slices.Equal(got, []float64{90, 0, 270}) {
		t.Errorf("lon: %v", got)
	}
	v = variable(t, sel(t, d, p, dataset.Label("time", "2020-01-31T05")), "t")
	if got := values(t, v); len(v.Dims()) != 1 || !slices.Equal(got, []float64{at(5, 2, 1), at(5, 0, 0), at(5, 2, 3)}) {
		t.Errorf("one time: %v, %v", v.Dims(), got)
	}
	if got := variable(t, sel(t, d, p), "t").Shape(); fmt.Sprint(got) != "[48 3]" {
		t.Errorf("all times: %v", got)
	}
}

// TestNames checks the names of dimensions in each convention, and the findings for those that are
// missing.
func TestNames(t *testing.T) {
	for _, k := range []struct {
		name, doc, want, finding string
		attrs                    string
	}{
		{"v3", `"dimension_names": ["y", "x"]`, "[y x]", "", ""},
		{"v3 with null", `"dimension_names": ["y", null]`, "[y dim_1]", "dimension_names", ""},
		{"v3 with null and xarray's names", `"dimension_names": [null, "x"]`, "[b a]", "dimension_names", `"_ARRAY_DIMENSIONS": ["b", "a"]`},
		{"v3 without names", ``, "[dim_0 dim_1]", "no names", ""},
		{"v3 with xarray's names", ``, "[b a]", "", `"_ARRAY_DIMENSIONS": ["b", "a"]`},
		{"v3 with a repeated name", `"dimension_names": ["x", "x"]`, "[x dim_1]", "repeated", ""},
		{"v2", "", "[b a]", "", `"_ARRAY_DIMENSIONS": ["b", "a"]`},
		{"v2 with too few names", "", "[dim_0 dim_1]", "no names", `"_ARRAY_DIMENSIONS": ["b"]`},
		{"NCZarr in the attributes", "", "[lat lon]", "", `"_nczarr_array": {"dimension_references": ["/lat", "/g/lon"]}`},
		{"NCZarr in upper case", "", "[lat lon]", "", `"_NCZARR_ARRAY": {"dimrefs": ["/lat", "/lon"]}`},
		{"NCZarr in .zarray", `"_NCZARR_ARRAY": {"dimrefs": ["/lat", "/lon"], "storage": "chunked"}`, "[lat lon]", "", ""},
	} {
		st := mem.New()
		documents := map[string]string{
			"zarr.json": `{"zarr_format": 3, "node_type": "group", "attributes": {}}`,
			"v/zarr.json": `{"zarr_format": 3, "node_type": "array", "shape": [2, 3], "data_type": "int8", "fill_value": 0,
				"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}}, "codecs": [{"name": "bytes"}],
				"chunk_key_encoding": {"name": "default"}, "attributes": {` + k.attrs + `}` + comma(k.doc) + `}`,
		}
		if !strings.HasPrefix(k.name, "v3") {
			documents = map[string]string{
				".zgroup":   `{"zarr_format": 2}`,
				"v/.zattrs": `{` + k.attrs + `}`,
				"v/.zarray": `{"zarr_format": 2, "shape": [2, 3], "chunks": [2, 3], "dtype": "|i1", "compressor": null, "filters": null, "order": "C", "fill_value": 0` + comma(k.doc) + `}`,
			}
		}
		for key, doc := range documents {
			if _, err := st.Put(t.Context(), key, []byte(doc), store.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		g, err := zarr.OpenGroup(t.Context(), st, "")
		if err != nil {
			t.Fatal(err)
		}
		d := open(t, g)
		var got []string
		for _, dim := range variable(t, d, "v").Dims() {
			got = append(got, dim.Name)
		}
		if fmt.Sprint(got) != k.want || (k.finding == "") != (len(d.Findings()) == 0) || !strings.Contains(fmt.Sprint(d.Findings()), k.finding) {
			t.Errorf("%s: %v, want %s; findings %v", k.name, got, k.want, d.Findings())
		}
	}
}

func comma(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

// TestTwoLengths checks the error for a dimension with two lengths.
func TestTwoLengths(t *testing.T) {
	g := root(t)
	put(t, g, "a", zarr.Spec{Shape: []int{2}, DType: dtype.Int8, Dims: []string{"x"}}, []int8{1, 2})
	put(t, g, "b", zarr.Spec{Shape: []int{3}, DType: dtype.Int8, Dims: []string{"x"}}, []int8{1, 2, 3})
	_, err := dataset.OpenGroup(t.Context(), g, dataset.Options{})
	if !errors.Is(err, zarr.ErrMetadata) || !strings.Contains(err.Error(), `"x" has the length 2 in a and 3 in b`) {
		t.Error(err)
	}
}

// TestRequests checks that Open of a group with consolidated metadata sends one request for each
// index coordinate, and that a selection sends requests only for chunks of the variable.
func TestRequests(t *testing.T) {
	g := weather(t, 3)
	if _, err := g.Consolidate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var r zarr.Report
	g, err := zarr.OpenGroup(t.Context(), g.Store(), "", zarr.WithReport(&r))
	if err != nil {
		t.Fatal(err)
	}
	before := (r.Gets.Load() + r.Lists.Load())
	d := open(t, g)
	if n := (r.Gets.Load() + r.Lists.Load()) - before; n != 3 {
		t.Errorf("Open sent %d requests, want 3", n)
	}
	before = (r.Gets.Load() + r.Lists.Load())
	selected := sel(t, d, dataset.Label("time", "2020-02-01"), dataset.Between("lat", 60, 50))
	if n := (r.Gets.Load() + r.Lists.Load()) - before; n != 0 {
		t.Errorf("Sel sent %d requests", n)
	}
	values(t, variable(t, selected, "t"))
	if n := (r.Gets.Load() + r.Lists.Load()) - before; n != 1 {
		t.Errorf("the read sent %d requests, want 1", n)
	}
}

// TestManyVariables checks the requests that open a consolidated dataset of 20 variables and 4
// coordinates: one, and then one for each coordinate. The latter are in flight at the same time.
func TestManyVariables(t *testing.T) {
	g := root(t)
	var dims []string
	for i := range 4 {
		dims = append(dims, fmt.Sprintf("d%d", i))
		put(t, g, dims[i], zarr.Spec{Shape: []int{2}, DType: dtype.Int32, Dims: dims[i : i+1]}, []int32{0, 1})
	}
	for i := range 20 {
		put(t, g, fmt.Sprintf("v%d", i), zarr.Spec{Shape: []int{2, 2, 2, 2}, DType: dtype.Int8, Dims: dims}, make([]int8, 16))
	}
	if _, err := g.Consolidate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	var all sync.WaitGroup
	all.Add(len(dims))
	st := store.Around(g.Store(), store.Hooks{Before: func(ctx context.Context, c store.Call) (context.Context, error) {
		sent.Add(1)
		if strings.HasPrefix(c.Key, "d") { // a request for a coordinate waits for the others
			all.Done()
			all.Wait()
		}
		return ctx, nil
	}})
	d, err := dataset.Open(t.Context(), st, "", dataset.Options{}, zarr.Format(3))
	if err != nil || len(d.Vars()) != 20 || len(d.Coords()) != 4 {
		t.Fatal(d, err)
	}
	if n := sent.Load(); n != 5 {
		t.Errorf("%d requests, want 5", n)
	}
}

// TestBounds checks that the bounds of times have the units of the times.
func TestBounds(t *testing.T) {
	g := root(t)
	put(t, g, "time", zarr.Spec{Shape: []int{2}, DType: dtype.Int32, Dims: []string{"time"}, Attrs: map[string]any{"units": "days since 2020-02-28", "calendar": "noleap", "bounds": "time_bnds", "climatology": "clim"}}, []int32{0, 1})
	put(t, g, "clim", zarr.Spec{Shape: []int{2, 2}, DType: dtype.Int8, Dims: []string{"time", "bnds"}, Attrs: map[string]any{"units": "hours since 2020-02-28"}}, []int8{0, 24, 25, 26})
	if got, err := variable(t, open(t, g), "clim").Times(t.Context()); err != nil || fmt.Sprint(got[1]) != "2020-03-01T00:00:00" {
		t.Error(got, err)
	}
	put(t, g, "time_bnds", zarr.Spec{Shape: []int{2, 2}, DType: dtype.Float64, Dims: []string{"time", "bnds"}}, []float64{0, 1, 1, 1.5})
	got, err := variable(t, open(t, g), "time_bnds").Times(t.Context())
	if err != nil || fmt.Sprint(got) != "[2020-02-28T00:00:00 2020-03-01T00:00:00 2020-03-01T00:00:00 2020-03-01T12:00:00]" {
		t.Error(got, err)
	}
}

// TestCharacters checks texts that are stored as characters along a dimension, also at points.
func TestCharacters(t *testing.T) {
	g := root(t)
	a, err := g.CreateArray(t.Context(), "name", zarr.Spec{Shape: []int{3, 4}, DType: dtype.S(1), Dims: []string{"station", "length"}})
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, a.WriteBytes(t.Context(), []byte("abcdx\x00\x00\x00\xc3\xa9\x00\x00")))
	put(t, g, "station", zarr.Spec{Shape: []int{3}, DType: dtype.Int8, Dims: []string{"station"}}, []int8{1, 2, 3})
	d := open(t, g)
	v := variable(t, sel(t, d, dataset.Between("station", 2, 3)), "name")
	if got, err := v.Strings(t.Context()); err != nil || fmt.Sprintf("%q", got) != `["x" "é"]` || fmt.Sprint(v.Dims(), d.Dims()) != "[{station 2}] [{station 3}]" {
		t.Errorf("%q, %v, %v, %v", got, err, v.Dims(), d.Dims())
	}
	v = variable(t, sel(t, d, dataset.Pointwise("p", dataset.At("station", []int{2, 0}))), "name")
	if got, err := v.Strings(t.Context()); err != nil || fmt.Sprintf("%q", got) != `["é" "abcd"]` {
		t.Errorf("points: %q, %v", got, err)
	}
}

// TestHostileCharacters checks that texts of a shape that exceeds the memory are refused.
func TestHostileCharacters(t *testing.T) {
	g := root(t)
	if _, err := g.CreateArray(t.Context(), "name", zarr.Spec{Shape: []int{1 << 30, 1 << 20}, Chunks: []int{10, 10}, DType: dtype.S(1), Dims: []string{"station", "length"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := variable(t, open(t, g), "name").Strings(t.Context()); !errors.Is(err, zarr.ErrLimit) {
		t.Error(err)
	}
}

// TestHostilePoints checks that points in a shape that exceeds the memory are refused.
func TestHostilePoints(t *testing.T) {
	g := root(t)
	if _, err := g.CreateArray(t.Context(), "v", zarr.Spec{Shape: []int{1 << 30, 2}, Chunks: []int{10, 2}, DType: dtype.Int8, Dims: []string{"t", "x"}}); err != nil {
		t.Fatal(err)
	}
	v := variable(t, sel(t, open(t, g), dataset.Pointwise("p", dataset.At("x", []int{0, 1}))), "v")
	if _, err := dataset.Read[float64](t.Context(), v); !errors.Is(err, zarr.ErrLimit) {
		t.Error(err)
	}
	if _, err := v.Plan(); !errors.Is(err, zarr.ErrLimit) {
		t.Error(err)
	}
}
