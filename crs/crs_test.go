package crs_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/zarr/fault"
	"github.com/zargo-io/zargo/zarr/rule"
)

// load decodes a file of testdata.
func load(t testing.TB, name string, to any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, to); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// nodeData is a node of nodes.json, with the values that pyproj and rasterio read.
type nodeData struct {
	Name   string                    `json:"name"`
	Attrs  map[string]any            `json:"attrs"`
	Dims   []string                  `json:"dims"`
	Shape  []int                     `json:"shape"`
	Parent map[string]any            `json:"parent"`
	Vars   map[string]map[string]any `json:"vars"`
	CRS    *struct {
		Code       string         `json:"code"`
		Name       string         `json:"name"`
		Parameters map[string]any `json:"parameters"`
	} `json:"crs"`
	Grid *struct {
		Transform crs.Affine   `json:"transform"`
		At        [][4]float64 `json:"at"` // row, column, x, y
		Bounds    [4]float64   `json:"bounds"`
	} `json:"grid"`
}

func (d nodeData) node() crs.Node {
	return crs.Node{Array: true, Attrs: d.Attrs, Dims: d.Dims, Shape: d.Shape, Parent: d.Parent, Var: func(name string) (map[string]any, bool) {
		attrs, ok := d.Vars[name]
		return attrs, ok
	}}
}

// TestNodes compares arrays of GDAL and rioxarray, and published examples, with the values that
// pyproj, rasterio and rioxarray read.
func TestNodes(t *testing.T) {
	var all []nodeData
	load(t, "nodes.json", &all)
	if len(all) < 25 {
		t.Fatal(len(all))
	}
	for _, d := range all {
		t.Run(d.Name, func(t *testing.T) {
			ref := crs.Read(d.node())
			if len(ref.Findings) > 0 {
				t.Error(ref.Findings)
			}
			checkCRS(t, d, ref.CRS)
			checkGrid(t, d, ref.Grid)
		})
	}
}

func checkCRS(t *testing.T, d nodeData, got *crs.CRS) {
	t.Helper()
	switch {
	case d.CRS == nil && got == nil:
	case d.CRS == nil || got == nil:
		t.Errorf("CRS %v, want %v", got, d.CRS)
	case got.Code.String() != d.CRS.Code || got.Name() != d.CRS.Name:
		t.Errorf("%q %q from %s, want %q %q", got.Code, got.Name(), got.Source, d.CRS.Code, d.CRS.Name)
	default:
		for name, v := range d.CRS.Parameters {
			if !reflect.DeepEqual(got.GridMapping[name], v) {
				t.Errorf("parameter %s is %v, want %v", name, got.GridMapping[name], v)
			}
		}
	}
}

func checkGrid(t *testing.T, d nodeData, g *crs.Grid) {
	t.Helper()
	if d.Grid == nil || g == nil {
		if (d.Grid == nil) != (g == nil) {
			t.Errorf("grid %v, want %v", g, d.Grid)
		}
		return
	}
	if g.Transform != d.Grid.Transform || g.Dims != [2]string(d.Dims) {
		t.Errorf("grid %v, want %v", g, d.Grid)
	}
	for _, at := range d.Grid.At {
		x, y := g.At(int(at[0]), int(at[1]))
		if math.Abs(x-at[2]) > 1e-6 || math.Abs(y-at[3]) > 1e-6 {
			t.Errorf("at %v: %v %v", at, x, y)
		}
		if row, col, ok := g.Index(x, y); !ok || math.Abs(row-at[0]) > 1e-6 || math.Abs(col-at[1]) > 1e-6 {
			t.Errorf("index of %v %v: %v %v, want %v", x, y, row, col, at)
		}
	}
	if g.Transform[1] == 0 { // rasterio's array_bounds differs for rotated grids
		box, ok := g.Extent()
		for i := range box {
			if !ok || math.Abs(box[i]-d.Grid.Bounds[i]) > 1e-6 {
				t.Errorf("extent %v, want %v", box, d.Grid.Bounds)
			}
		}
	}
}

// TestSchemas compares Validate with the published JSON schemas of proj and spatial.
func TestSchemas(t *testing.T) {
	var cases []struct {
		Name  string         `json:"name"`
		Attrs map[string]any `json:"attrs"`
		Valid bool           `json:"valid"`
	}
	load(t, "cases.json", &cases)
	for _, c := range cases {
		var bad []rule.Finding
		for _, f := range crs.Validate(crs.Node{Array: true, Attrs: c.Attrs, Dims: []string{"y", "x"}, Shape: []int{6, 4}}) {
			if !f.Unused {
				bad = append(bad, f)
			}
		}
		if (len(bad) == 0) != c.Valid {
			t.Errorf("%s: valid is %v, findings %v", c.Name, c.Valid, bad)
		}
	}
	if len(cases) < 35 {
		t.Error(len(cases))
	}
}

// TestParseCode compares codes with those of pyproj and GDAL.
func TestParseCode(t *testing.T) {
	var codes map[string]string
	load(t, "codes.json", &codes)
	for text, want := range codes {
		c, err := crs.ParseCode(text)
		if c.String() != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, fault.Metadata) {
			t.Errorf("%q: %q %v, want %q", text, c, err, want)
		}
	}
	if n, ok := (crs.Code{Authority: "EPSG", Value: "4326"}).Number(); n != 4326 || !ok {
		t.Error(n, ok)
	}
	if n, ok := (crs.Code{Authority: "OGC", Value: "CRS84"}).Number(); ok {
		t.Error(n)
	}
	for _, text := range []string{strings.Repeat("A", 1000) + ":1", "EPSG:43 26", "EPSG:\x00", ":", "urn:ogc:def:crs:EPSG", "http://www.opengis.net/def/crs/EPSG/4326"} {
		if c, err := crs.ParseCode(text); err == nil || len(err.Error()) > 500 {
			t.Errorf("%.20q: %v", text, c)
		}
	}
}

// TestNodeRegistration checks the coordinates of the DEM in the specification of spatial: its
// corner elements are centered on the corners of the bounding box.
func TestNodeRegistration(t *testing.T) {
	const step = 0.1
	ref := crs.Read(crs.Node{Array: true, Dims: []string{"y", "x"}, Shape: []int{1801, 3601}, Attrs: map[string]any{
		"spatial:dimensions": []any{"y", "x"}, "spatial:transform": []any{step, 0.0, -180.0, 0.0, -step, 90.0},
		"spatial:bbox": []any{-180.0, -90.0, 180.0, 90.0}, "spatial:registration": "node",
	}})
	if len(ref.Findings) > 0 || ref.CRS != nil {
		t.Fatal(ref)
	}
	if x, y := ref.Grid.At(0, 0); x != -180 || y != 90 {
		t.Error(x, y)
	}
	if x, y := ref.Grid.At(1800, 3600); math.Abs(x-180) > 1e-9 || math.Abs(y+90) > 1e-9 {
		t.Error(x, y)
	}
	if col, row := ref.Grid.Transform.Resolution(); col != step || row != step {
		t.Error(col, row)
	}
	if got := crs.GDALAffine(ref.Grid.Transform.GDAL()); got != ref.Grid.Transform {
		t.Error(got)
	}
}

// TestPriority checks which source is used, and that disagreements are findings.
func TestPriority(t *testing.T) {
	vars := map[string]map[string]any{
		"crs":         {"crs_wkt": `PROJCRS["one",ID["EPSG",1]]`, "GeoTransform": "0 1 0 0 0 -1"},
		"other":       {"spatial_ref": `PROJCRS["two",ID["EPSG",2]]`},
		"spatial_ref": {"crs_wkt": `PROJCRS["three",ID["EPSG",3]]`},
		"empty":       {},
	}
	proj := func(code string) map[string]any { return map[string]any{"proj:code": code} }
	transform := []any{2.0, 0.0, 0.0, 0.0, -2.0, 0.0}
	for _, c := range []struct {
		name          string
		attrs, parent map[string]any
		code          string
		source        crs.Source
		finding       string
	}{
		{"grid mapping", map[string]any{"grid_mapping": "crs"}, nil, "EPSG:1", crs.FromGridMapping, ""},
		{"extended", map[string]any{"grid_mapping": "crs: lat lon other: y x"}, nil, "EPSG:2", crs.FromGridMapping, ""},
		{"extended with blanks", map[string]any{"grid_mapping": "other : y x"}, nil, "EPSG:2", crs.FromGridMapping, ""},
		{"spatial_ref", map[string]any{}, proj("EPSG:9"), "EPSG:3", crs.FromSpatialRef, ""},
		{"grid mapping before _CRS", map[string]any{"grid_mapping": "crs", "_CRS": map[string]any{"url": "EPSG:4"}}, nil, "EPSG:1", crs.FromGridMapping, "_CRS has EPSG:4"},
		{"_CRS before proj", map[string]any{"grid_mapping": "gone", "_CRS": map[string]any{"url": "EPSG:4"}, "proj:code": "EPSG:5"}, nil, "EPSG:4", crs.FromGDAL, "no variable"},
		{"url before wkt", map[string]any{"grid_mapping": nil, "_CRS": map[string]any{"url": "EPSG:3", "wkt": `GEOGCS["x",AUTHORITY["EPSG","6"]]`}}, nil, "EPSG:3", crs.FromSpatialRef, "another attribute"},
		{"array before group", map[string]any{"grid_mapping": "empty", "proj:code": "EPSG:5"}, proj("EPSG:9"), "EPSG:5", crs.FromProj, "grid_mapping_name"},
		{"group", map[string]any{"grid_mapping": "::"}, proj("EPSG:9"), "EPSG:9", crs.FromGroupProj, "must be the name"},
		{"transformations", map[string]any{"grid_mapping": "crs", "spatial:transform": transform, "spatial:dimensions": []any{"y", "x"}}, nil, "EPSG:1", crs.FromGridMapping, "spatial is used"},
		{"dimension", map[string]any{"spatial:dimensions": []any{"y", "lon"}}, nil, "EPSG:3", crs.FromSpatialRef, "no dimension"},
		{"shape", map[string]any{"spatial:shape": []any{1.0, 5.0}}, nil, "EPSG:3", crs.FromSpatialRef, "length of the dimension"},
		{"box", map[string]any{"spatial:transform": transform, "spatial:bbox": []any{0.0, 0.0, 1.0, 1.0}}, nil, "EPSG:3", crs.FromSpatialRef, "bounding box"},
		{"line", map[string]any{"spatial:transform": []any{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}}, nil, "EPSG:3", crs.FromSpatialRef, "one line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := nodeData{Attrs: c.attrs, Parent: c.parent, Vars: vars, Dims: []string{"y", "x"}, Shape: []int{4, 5}}
			ref := crs.Read(d.node())
			if ref.CRS == nil || ref.CRS.Code.String() != c.code || ref.CRS.Source != c.source {
				t.Fatalf("%+v %v, want %s from %s", ref.CRS, ref.Findings, c.code, c.source)
			}
			var text strings.Builder
			for _, f := range ref.Findings {
				text.WriteString(f.String() + "\n")
			}
			if !strings.Contains(text.String(), c.finding) || c.finding == "" && text.Len() > 0 {
				t.Errorf("findings %q, want %q", text.String(), c.finding)
			}
		})
	}
}

// TestGroup checks that the group of a pyramid does not pass its box to its arrays, and that a
// group has no grid mapping.
func TestGroup(t *testing.T) {
	attrs := map[string]any{"proj:code": "EPSG:32633", "spatial:dimensions": []any{"y", "x"}, "spatial:bbox": []any{0.0, 0.0, 1.0, 1.0}}
	ref := crs.Read(crs.Node{Attrs: attrs})
	if ref.CRS == nil || ref.Grid == nil || ref.Grid.BBox == nil || len(ref.Findings) > 0 {
		t.Fatal(ref)
	}
	if box, ok := ref.Grid.Extent(); !ok || box != [4]float64{0, 0, 1, 1} {
		t.Error(box, ok)
	}
	if x, y := ref.Grid.At(0, 0); !math.IsNaN(x) || !math.IsNaN(y) {
		t.Error(x, y)
	}
	if _, _, ok := ref.Grid.Index(0, 0); ok {
		t.Error("a grid without transformation has an index")
	}
	child := crs.Read(crs.Node{Array: true, Parent: attrs, Dims: []string{"y", "x"}, Shape: []int{2, 2}})
	if child.CRS == nil || child.CRS.Source != crs.FromGroupProj || child.Grid != nil {
		t.Error(child)
	}
}

// FuzzRead reads attributes that may be malformed, as those of an array, a group, the group above
// and a grid mapping variable.
func FuzzRead(f *testing.F) {
	var all []nodeData
	load(f, "nodes.json", &all)
	for _, d := range all {
		for _, attrs := range []map[string]any{d.Attrs, d.Parent, d.Vars["spatial_ref"], d.Vars["crs"]} {
			if b, err := json.Marshal(attrs); err == nil {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var attrs map[string]any
		if json.Unmarshal(doc, &attrs) != nil {
			return
		}
		for _, n := range []crs.Node{
			{Attrs: attrs},
			{Array: true, Attrs: attrs, Parent: attrs, Dims: []string{"y", "x"}, Shape: []int{2, 3}, Var: func(string) (map[string]any, bool) { return attrs, true }},
			{Array: true, Attrs: attrs, Parent: attrs},
		} {
			ref := crs.Read(n)
			if len(crs.Validate(n)) < len(ref.Findings) {
				t.Error("Validate has fewer findings than Read")
			}
			if ref.CRS != nil {
				_ = ref.CRS.Name()
			}
			if ref.Grid != nil {
				x, y := ref.Grid.At(1, 2)
				ref.Grid.Index(x, y)
				ref.Grid.Extent()
			}
		}
	})
}

// FuzzParseCode parses texts that may be malformed.
func FuzzParseCode(f *testing.F) {
	var codes map[string]string
	load(f, "codes.json", &codes)
	for text := range codes {
		f.Add(text)
	}
	f.Add("http://opengis.net/def/crs/IAU/a/0")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := crs.ParseCode(text)
		if err != nil {
			return
		}
		if again, err := crs.ParseCode(c.String()); err != nil || again != c {
			t.Errorf("%q: %v, then %v %v", text, c, again, err)
		}
	})
}
