package serve_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/serve"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/mem"
)

// globe returns a store with a variable over the longitudes of the whole globe, and one without
// longitudes.
func globe(t *testing.T) store.Store {
	st := mem.New()
	spec := func(name string, shape []int, attrs map[string]any, dims ...string) dataset.VarSpec {
		return dataset.VarSpec{Name: name, Spec: zarr.Spec{Shape: shape, DType: dtype.Float64, Dims: dims, Attrs: attrs}}
	}
	d := must(dataset.Create(t.Context(), st, "", dataset.Spec{Vars: []dataset.VarSpec{
		spec("y", []int{3}, map[string]any{"standard_name": "latitude"}, "y"),
		spec("x", []int{4}, map[string]any{"units": "degrees_east"}, "x"),
		spec("time", []int{2}, map[string]any{"units": "days since 2000-02-28", "calendar": "noleap"}, "time"),
		spec("member", []int{2}, nil, "member"),
		spec("p", []int{2, 3, 4}, map[string]any{"long_name": "<p>", "units": "Pa"}, "time", "y", "x"),
		spec("m", []int{2, 3, 4}, nil, "member", "y", "x"),
		spec("q", []int{2}, nil, "time"),
		spec("w", []int{4, 3}, nil, "x", "y"),
	}}, dataset.Options{}))
	values := make([]float64, 24)
	for i := range values {
		values[i] = float64(i)
	}
	turned := []float64{12, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23} // p at the second time
	must(d.Write(t.Context(), dataset.Stored("w", turned), dataset.Stored("y", []float64{60, 0, -60}), dataset.Stored("x", []float64{0, 90, 180, 270}), dataset.Stored("time", []float64{0, 1}),
		dataset.Stored("member", []float64{1, 2}), dataset.Stored("p", values), dataset.Stored("m", values), dataset.Stored("q", []float64{1, 2})))
	return st
}

// TestEDR checks queries of positions and areas, and refusals.
func TestEDR(t *testing.T) {
	base := start(t, serve.Options{}, serve.Dataset{ID: "d", Store: globe(t)}) + "/datasets/d/"
	const (
		p     = "&parameter-name=p"
		times = `"t":{"values":["2000-02-28T00:00:00Z","2000-03-01T00:00:00Z"]}`
	)
	long := strings.Repeat("0 0,", 1000)
	for _, tt := range []struct {
		query  string
		status int
		want   string
	}{
		{"position?coords=POINT(-80 50)" + p, 200, `={"type":"Coverage","domain":{"type":"Domain","domainType":"PointSeries","axes":{"x":{"values":[270]},"y":{"values":[60]},` + times + `},` +
			`"referencing":[{"coordinates":["x","y"],"system":{"id":"http://www.opengis.net/def/crs/OGC/1.3/CRS84","type":"GeographicCRS"}},` +
			`{"coordinates":["t"],"system":{"calendar":"https://cfconventions.org/cf-conventions/cf-conventions.html#noleap","type":"TemporalRS"}}]},` +
			`"parameters":{"p":{"observedProperty":{"label":{"en":"\u003cp\u003e"}},"type":"Parameter","unit":{"symbol":"Pa"}}},` +
			`"ranges":{"p":{"type":"NdArray","dataType":"float","axisNames":["t"],"shape":[2],"values":[3,15]}}}` + "\n"},
		{"position?coords=MULTIPOINT(359 1, 91 -59)&datetime=2000-03-01" + p, 200, `"axisNames":["composite"],"shape":[2],"values":[16,21]`},
		{"position?coords=POINT(0 0)&member=2&parameter-name=m", 200, `"axisNames":[],"shape":[],"values":[16]`},
		{"area?coords=POLYGON((-91 -1,1 -1,1 61,-91 -1))&datetime=/2000-02-28" + p, 200, `"x":{"values":[-90,0]},"y":{"values":[60,0]},"t":{"values":["2000-02-28T00:00:00Z"]}}`},
		{"area?coords=POLYGON((-91 -1,1 -1,1 61,-91 -1))&datetime=/2000-02-28" + p, 200, `"shape":[1,2,2],"values":[null,0,null,4]`},
		{"area?coords=POLYGON((0 0,180 0,180 60,0 60,0 0))&datetime=2000-03-01" + p, 200, `"values":[12,13,14,16,17,18]`},
		{"area?coords=POLYGON((0 0,180 0,90 60,0 0))&datetime=2000-03-01" + p, 200, `"values":[null,13,null,16,17,18]`},
		{"area?coords=POLYGON((0 0,180 0,90 60,0 0))&parameter-name=w", 200, `"axisNames":["x","y"],"shape":[3,2],"values":[null,16,13,17,null,18]`},
		{"area?coords=POLYGON((180 -60,180 60,0 0,180 -60))&datetime=2000-03-01" + p, 200, `"values":[null,null,14,16,17,18,null,null,22]`},
		{"area?coords=POLYGON((10 0,20 0,10 10,10 0))" + p, 404, "no element"},
		{"position?coords=POINT(0 0)" + p + "&datetime=2001/2002", 404, "no element"},
		{"position?coords=POINT(0 90)" + p, 200, `"y":{"values":[60]}`},
		{"position?coords=POINT(0 0)" + p + "&z=1", 400, "neither a parameter nor"},
		{"position?coords=POINT(0 0)" + p + "&datetime=2001", 400, "no label"},
		{"position?coords=POINT(0 0)" + p + "&datetime=../..", 400, "datetime"},
		{"position?coords=POINT(0 0)" + p + "&crs=EPSG:3857", 400, "CRS84"},
		{"position?coords=POINT(0 0)" + p + "&f=GRIB", 400, "CoverageJSON"},
		{"position?coords=POINT(0 0)", 400, "the parameter member must"},
		{"position?coords=POINT(0 0)&parameter-name=q", 400, "longitudes"},
		{"position?coords=POINT(0 0)&parameter-name=none", 404, "none"},
		{"position?coords=POLYGON((0 0,1 0,1 1,0 0))", 400, "POINT or MULTIPOINT"},
		{"area?coords=POINT(0 0)", 400, "POLYGON"},
		{"position", 400, "geometry"},
		{"position?coords=POINT(0 0", 400, "geometry"},
		{"position?coords=POINT Z(0 0 0)", 400, "geometry"},
		{"position?coords=POINT(0 91)", 400, "malformed"},
		{"position?coords=POINT(NaN 0)", 400, "malformed"},
		{"position?coords=POINT(0x1 0)", 400, "malformed"},
		{"position?coords=MULTIPOINT((0 0)(1 1))", 400, "malformed"},
		{"position?coords=MULTIPOINT(" + long + "0 0)", 400, "malformed"},
		{"area?coords=POLYGON((0 0,1 0,1 1))", 400, "malformed"},
		{"area?coords=POLYGON((0 0,1 0,1 1,0 1))", 400, "malformed"},
		{"area?coords=POLYGON(())", 400, "malformed"},
	} {
		path, query, _ := strings.Cut(tt.query, "?")
		parsed := must(url.ParseQuery(query))
		send(t, "GET", base+path+"?"+parsed.Encode()).expect(t, tt.status, tt.want)
	}
	send(t, "HEAD", base+"position?coords=POINT(0+0)"+p).expect(t, 200, "=", "Content-Type: application/prs.coverage+json")
}
