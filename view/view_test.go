package view_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/view"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/codec"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sample creates a dataset: the packed array t(time, lat, lon) with bounds of lat, the floats f,
// the texts name, and the coordinates of the dimensions.
func sample(t *testing.T, st store.Store, format int) *dataset.Dataset {
	t.Helper()
	ctx := t.Context()
	g := must(zarr.CreateGroup(ctx, st, "", zarr.Spec{Format: format, Attrs: map[string]any{"title": "test", "geospatial_lat_max": 60}}))
	put := func(name string, typ dtype.Type, shape, chunks []int, attrs map[string]any, values any, dims ...string) {
		if attrs == nil {
			attrs = map[string]any{}
		}
		s := zarr.Spec{Format: format, Shape: shape, Chunks: chunks, DType: typ, Attrs: attrs, Dims: dims}
		if format == 2 {
			s.Dims, s.Fill = nil, zarr.NoFill
			s.Attrs["_ARRAY_DIMENSIONS"] = dims
		}
		a := must(g.CreateArray(ctx, name, s))
		switch v := values.(type) {
		case []int16:
			succeed(t, zarr.Write(ctx, a, v))
		case []int32:
			succeed(t, zarr.Write(ctx, a, v))
		case []float32:
			succeed(t, zarr.Write(ctx, a, v))
		case []float64:
			succeed(t, zarr.Write(ctx, a, v))
		case []string:
			succeed(t, zarr.Write(ctx, a, v))
		}
	}
	packed, floats, times := make([]int16, 48*3*4), make([]float32, 3*4), make([]int32, 48)
	for i := range packed {
		packed[i] = int16(i%500 - 1)
	}
	for i := range floats {
		floats[i] = float32(i) / 4
	}
	floats[5] = -9999
	for i := range times {
		times[i] = int32(i)
	}
	put("time", dtype.Int32, []int{48}, []int{48}, map[string]any{"units": "hours since 2020-01-31"}, times, "time")
	put("lat", dtype.Float32, []int{3}, []int{3}, map[string]any{"bounds": "lat_bnds"}, []float32{60, 50, 40}, "lat")
	put("lat_bnds", dtype.Float32, []int{3, 2}, []int{2, 2}, nil, []float32{65, 55, 55, 45, 45, 35}, "lat", "nv")
	put("lon", dtype.Float64, []int{4}, []int{4}, nil, []float64{0, 90, 180, 270}, "lon")
	put("t", dtype.Int16, []int{48, 3, 4}, []int{10, 2, 3}, map[string]any{"_FillValue": -1, "scale_factor": 0.5, "add_offset": 100.0, "units": "K", "valid_min": -1, "actual_range": []any{1, 2}}, packed, "time", "lat", "lon")
	put("f", dtype.Float32, []int{3, 4}, []int{2, 2}, map[string]any{"missing_value": -9999}, floats, "lat", "lon")
	put("name", dtype.String, []int{4}, []int{3}, nil, []string{"a", "", "ccc", "dd"}, "lon")
	return must(dataset.Open(ctx, st, "", dataset.Options{}, zarr.IgnoreConsolidated()))
}

// open opens a view as a dataset. It bypasses the consolidated metadata if direct is set.
func open(ctx context.Context, st store.Store, direct bool) *dataset.Dataset {
	if direct {
		return must(dataset.Open(ctx, st, "", dataset.Options{}, zarr.IgnoreConsolidated()))
	}
	return must(dataset.Open(ctx, st, "", dataset.Options{}))
}

// same compares the decoded values of all variables of two datasets.
func same(t *testing.T, got, want *dataset.Dataset, names ...string) {
	t.Helper()
	for _, name := range names {
		g, w := must(got.Var(name)), must(want.Var(name))
		if g.Array().DType() == dtype.String {
			a, b := must(g.Strings(t.Context())), must(w.Strings(t.Context()))
			for i := range b {
				if len(a) != len(b) || a[i] != b[i] {
					t.Fatalf("%s: %q, want %q", name, a, b)
				}
			}
			continue
		}
		a, b := must(dataset.Read[float64](t.Context(), g)), must(dataset.Read[float64](t.Context(), w))
		if len(a) != len(b) {
			t.Fatalf("%s: %d values, want %d", name, len(a), len(b))
		}
		for i := range b {
			if math.Float64bits(a[i]) != math.Float64bits(b[i]) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
				t.Fatalf("%s: element %d is %v, want %v", name, i, a[i], b[i])
			}
		}
	}
}

// TestValues compares views with direct reads of their source.
func TestValues(t *testing.T) {
	all := []string{"time", "lat", "lat_bnds", "lon", "t", "f", "name"}
	for _, from := range []int{2, 3} {
		for _, r := range []struct {
			name string
			o    view.Options
			sel  []dataset.Query // in the source, for the same elements; nil is o.Sel
		}{
			{name: "same"},
			{name: "v2", o: view.Options{Format: 2}},
			{name: "v3", o: view.Options{Format: 3}},
			{name: "chunks", o: view.Options{Chunks: map[string]int{"time": 7, "lon": 4, "lat": 1}}},
			{name: "shards", o: view.Options{Format: 3, Chunks: map[string]int{"time": 4, "lat": 1}, Shards: map[string]int{"time": 16, "lat": 3}}},
			{name: "codecs", o: view.Options{Codecs: []codec.Spec{codec.Gzip(1)}}},
			{name: "stored", o: view.Options{Codecs: []codec.Spec{}}},
			{name: "decoded", o: view.Options{Decode: true}},
			{name: "decoded v2", o: view.Options{Decode: true, Format: 2, Codecs: []codec.Spec{codec.Zlib(1)}}},
			{name: "decoded shards", o: view.Options{Decode: true, Format: 3, Shards: map[string]int{"time": 20}}},
			{name: "range", o: view.Options{Sel: []dataset.Query{dataset.Text("time", "2020-02"), dataset.Between("lat", 60, 50)}}},
			{name: "step", o: view.Options{Sel: []dataset.Query{dataset.Slice("time", 3, 40).By(5)}, Decode: true}},
			{name: "list", o: view.Options{Sel: []dataset.Query{dataset.At("lon", []int{3, 0, 2})}}},
			{name: "one", o: view.Options{Sel: []dataset.Query{dataset.Label("lat", 50)}}, sel: []dataset.Query{dataset.Slice("lat", 1, 2)}},
		} {
			t.Run(r.name, func(t *testing.T) {
				ds := sample(t, mem.New(), from)
				v := must(view.New(t.Context(), ds, r.o))
				if r.sel == nil {
					r.sel = r.o.Sel
				}
				want := must(ds.Sel(r.sel...))
				for _, direct := range []bool{false, true} {
					same(t, open(t.Context(), v, direct), want, all...)
				}
			})
		}
	}
}

// TestAbsent checks that chunks of missing values are absent, whichever values the source stores.
func TestAbsent(t *testing.T) {
	for _, o := range []view.Options{{Decode: true}, {Decode: true, Format: 2}, {Decode: true, Format: 3, Shards: map[string]int{"t/time": 20, "t/lat": 2, "t/lon": 3}}} {
		st := mem.New()
		ds := sample(t, st, 3)
		a := must(zarr.OpenArray(t.Context(), st, "t"))
		succeed(t, zarr.Write(t.Context(), a, slices.Repeat([]int16{-1}, 10*2*3), zarr.Range(20, 30), zarr.Range(0, 2), zarr.Range(0, 3)))
		v := must(view.New(t.Context(), ds, o))
		key := must(zarr.OpenArray(t.Context(), v, "t")).ChunkKey(2, 0, 0)
		if o.Shards != nil {
			key = must(zarr.OpenArray(t.Context(), v, "t")).ChunkKey(1, 0, 0)
		}
		got, err := v.Get(t.Context(), key, store.GetOptions{}, nil)
		if absent := errors.Is(err, fault.NotFound); absent != (o.Shards == nil) {
			t.Errorf("%+v: %s has %d bytes, %v", o, key, len(got.Bytes), err)
		}
	}
}
