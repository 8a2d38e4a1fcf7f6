package multiscale_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/multiscale"
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

// levelData is a level as another implementation reads it.
type levelData struct {
	Path        string    `json:"path"`
	Scale       []float64 `json:"scale"`
	Translation []float64 `json:"translation"`
}

func near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-12*math.Max(1, math.Abs(b[i])) {
			return false
		}
	}
	return true
}

// compare compares the levels of a pyramid with those of another implementation.
func compare(t *testing.T, p multiscale.Pyramid, want []levelData) {
	t.Helper()
	if len(p.Levels) != len(want) {
		t.Fatalf("%d levels, want %d", len(p.Levels), len(want))
	}
	for i, l := range p.Levels {
		w := want[i]
		if w.Path != "" && l.Path != w.Path || !near(l.Scale, w.Scale) || !near(l.Translation, w.Translation) {
			t.Errorf("level %d is %q %v %v, want %q %v %v", i, l.Path, l.Scale, l.Translation, w.Path, w.Scale, w.Translation)
		}
	}
}

// violations returns the findings that are not notes.
func violations(all []rule.Finding) (out []rule.Finding) {
	for _, f := range all {
		if !f.Unused {
			out = append(out, f)
		}
	}
	return out
}

// TestExamples compares the levels of the published examples with those that other implementations
// read.
func TestExamples(t *testing.T) {
	var expected map[string]*struct {
		Axes   []multiscale.Axis `json:"axes"`
		Levels []levelData       `json:"levels"`
	}
	load(t, "expected.json", &expected)
	files, err := filepath.Glob("testdata/examples/*.json")
	if err != nil || len(files) != len(expected)+2 { // TestGDAL reads the other two
		t.Fatal(len(files), len(expected), err)
	}
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			var doc struct {
				Attributes map[string]any `json:"attributes"`
			}
			load(t, "examples/"+name, &doc)
			got, found := multiscale.Read(doc.Attributes)
			if want == nil {
				all := append(multiscale.Validate(doc.Attributes), crs.Validate(crs.Node{Attrs: doc.Attributes})...)
				if len(violations(all)) == 0 {
					t.Error("an invalid example has no findings")
				}
				return
			}
			if len(got) != 1 || len(violations(found)) > 0 {
				t.Fatalf("%d pyramids, findings %v", len(got), found)
			}
			compare(t, got[0], want.Levels)
			if want.Axes != nil && !reflect.DeepEqual(got[0].Axes, want.Axes) {
				t.Errorf("axes %v, want %v", got[0].Axes, want.Axes)
			}
		})
	}
}

// TestGDAL reads two groups of GDAL's tests, in which levels have a spatial:transform without a
// transform, or neither.
func TestGDAL(t *testing.T) {
	var doc struct {
		Attributes map[string]any `json:"attributes"`
	}
	load(t, "examples/gdal_simple_multiscales_spatial.json", &doc)
	got, found := multiscale.Read(doc.Attributes)
	if len(got) != 1 || len(found) != 0 {
		t.Fatal(got, found)
	}
	compare(t, got[0], []levelData{
		{"level0", []float64{1, 1}, []float64{0, 0}},
		{"level1", []float64{2, 2}, []float64{0, 0}},
		{"level2", []float64{4, 4}, []float64{1.5, 1.5}},
	})
	if g := got[0].Levels[2].Grid; g.Shape != [2]int{50, 25} || g.Dims != [2]string{"y", "x"} {
		t.Error(g)
	}
	if r := got[0].Resolution(got[0].Levels[1]); !near(r, []float64{20, 20}) {
		t.Error(r)
	}
	for _, c := range []struct {
		want string
		ok   bool
		at   []float64
	}{
		{"level0", false, []float64{5}},
		{"level0", true, []float64{19}},
		{"level1", true, []float64{20}},
		{"level1", true, []float64{20, 45}},
		{"level2", true, []float64{math.Inf(1)}},
		{"level0", false, []float64{math.NaN()}},
		{"level0", false, []float64{20, 20, 20}},
		{"level0", false, nil},
	} {
		if l, ok := got[0].Coarsest(c.at...); l.Path != c.want || ok != c.ok {
			t.Errorf("%v: %s %v, want %s %v", c.at, l.Path, ok, c.want, c.ok)
		}
	}

	doc.Attributes = nil
	load(t, "examples/gdal_simple_multiscales_ref_array.json", &doc)
	got, _ = multiscale.Read(doc.Attributes)
	compare(t, got[0], []levelData{{"level0/ar", []float64{1, 1}, []float64{0, 0}}, {"level1/ar", []float64{2, 2}, []float64{0, 0}}, {"level2/ar", nil, nil}})
}

// TestWritten reads the attributes of groups that ngff-zarr wrote.
func TestWritten(t *testing.T) {
	var written map[string]struct {
		Attrs  map[string]any `json:"attrs"`
		Levels []levelData    `json:"levels"`
	}
	load(t, "written.json", &written)
	if len(written) != 3 {
		t.Fatal(len(written))
	}
	for version, w := range written {
		t.Run(version, func(t *testing.T) {
			got, found := multiscale.Read(w.Attrs)
			if len(got) != 1 || len(found) > 0 || len(multiscale.Validate(w.Attrs)) > 0 {
				t.Fatal(got, found, multiscale.Validate(w.Attrs))
			}
			compare(t, got[0], w.Levels)
			p := got[0]
			if p.Version != version || p.Name != "cells" || p.Axes[1] != (multiscale.Axis{Name: "x", Type: "space", Unit: "micrometer"}) {
				t.Error(p)
			}
			if l, ok := p.Coarsest(0.5, 1.2); l.Path != "scale1/cells" || !ok {
				t.Error(l, ok)
			}
		})
	}
}

// TestSchemas compares Validate with the published JSON schemas.
func TestSchemas(t *testing.T) {
	var cases []struct {
		Name  string         `json:"name"`
		Attrs map[string]any `json:"attrs"`
		Valid bool           `json:"valid"`
	}
	load(t, "cases.json", &cases)
	for _, c := range cases {
		if found := violations(multiscale.Validate(c.Attrs)); (len(found) == 0) != c.Valid {
			t.Errorf("%s: valid is %v, findings %v", c.Name, c.Valid, found)
		}
	}
	if len(cases) < 80 {
		t.Error(len(cases))
	}
}

// TestAttributes compares the attributes with those of zarr-cm, and reads them.
func TestAttributes(t *testing.T) {
	var want map[string]any
	load(t, "attributes.json", &want)
	p := multiscale.Pyramid{Method: "average", Levels: []multiscale.Level{
		{Path: "0", Scale: []float64{1, 1, 1}},
		{Path: "1/data", DerivedFrom: "0", Method: "nearest", Scale: []float64{1, 2, 2}, Translation: []float64{0, .5, .5}},
		{Path: "2/data", DerivedFrom: "1/data", Scale: []float64{1, 4, 4}, Translation: []float64{0, 1.5, 1.5}},
	}}
	got := multiscale.Attributes(p)
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("got  %s\nwant %s", a, b)
	}
	if found := multiscale.Validate(got); len(found) > 0 {
		t.Error(found)
	}
	back, _ := multiscale.Read(got)
	p.Format, p.Version, p.Axes, p.Levels[0].Translation = multiscale.Convention, "0.1", make([]multiscale.Axis, 3), []float64{0, 0, 0}
	if !reflect.DeepEqual(back, []multiscale.Pyramid{p}) {
		t.Errorf("got  %+v\nwant %+v", back[0], p)
	}
}

// TestAttributesOfGrids writes the convention spatial of levels, and reads it.
func TestAttributesOfGrids(t *testing.T) {
	var doc struct {
		Attributes map[string]any `json:"attributes"`
	}
	load(t, "examples/spatial_multiscales.json", &doc)
	first, _ := multiscale.Read(doc.Attributes)
	attrs := multiscale.Attributes(first[0])
	b, err := json.Marshal(attrs)
	if err != nil {
		t.Fatal(err)
	}
	var stored map[string]any
	if err := json.Unmarshal(b, &stored); err != nil {
		t.Fatal(err)
	}
	if found := append(multiscale.Validate(stored), crs.Validate(crs.Node{Attrs: stored})...); len(found) > 0 {
		t.Error(found)
	}
	if again, _ := multiscale.Read(stored); !reflect.DeepEqual(again, first) {
		t.Errorf("got  %+v\nwant %+v", again, first)
	}
}

// TestFindings checks the pointer and the cause of findings that the schemas cannot express.
func TestFindings(t *testing.T) {
	layout := func(levels string) string { return `{"multiscales":{"layout":[` + levels + `]}}` }
	ome := func(datasets string) string {
		return `{"ome":{"version":"0.5","multiscales":[{"axes":[{"name":"y","type":"space"},{"name":"x","type":"space"}],"datasets":[` + datasets + `]}]}}`
	}
	for _, c := range []struct{ name, attrs, pointer, text string }{
		{"cycle", layout(`{"asset":"0","derived_from":"1","transform":{"scale":[2]}},{"asset":"1","derived_from":"0","transform":{"scale":[2]}}`), "/multiscales/layout/0/derived_from", "derived from itself"},
		{"own source", layout(`{"asset":"0","derived_from":"0","transform":{"scale":[2]}}`), "/multiscales/layout/0/derived_from", "derived from itself"},
		{"two lengths", layout(`{"asset":"0","transform":{"scale":[1,1]}},{"asset":"1","derived_from":"0","transform":{"scale":[2]}}`), "/multiscales/layout/1/transform", "must have 2 numbers"},
		{"negative scale", layout(`{"asset":"0","transform":{"scale":[1,-1]}}`), "/multiscales/layout/0/transform/scale/1", "positive"},
		{"huge scale", layout(`{"asset":"0","transform":{"scale":[1e300]}},{"asset":"1","derived_from":"0","transform":{"scale":[1e300]}}`), "/multiscales/layout/1/transform", "range"},
		{"same path", layout(`{"asset":"0"},{"asset":"0"}`), "/multiscales/layout/1/asset", "earlier level"},
		{"backslash", layout(`{"asset":"..\\0"}`), "/multiscales/layout/0/asset", "relative path"},
		{"spatial", layout(`{"asset":"0","spatial:transform":[1,2]}`), "/multiscales/layout/0/spatial:transform", "6 numbers"},
		{"wrong kind", `{"multiscales":7}`, "/multiscales", "object or an array"},
		{"path above", ome(`{"path":"../0","coordinateTransformations":[{"type":"scale","scale":[1,1]}]}`), "/ome/multiscales/0/datasets/0/path", "relative path"},
		{"scale in an array", ome(`{"path":"0","coordinateTransformations":[{"type":"scale","path":"s"}]}`), "/ome/multiscales/0/datasets/0/coordinateTransformations/0/path", "not read"},
		{"scale of another length", ome(`{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,1,1]}]}`), "/ome/multiscales/0/datasets/0/coordinateTransformations", "one for each axis"},
		{"affine", ome(`{"path":"0","coordinateTransformations":[{"type":"affine","affine":[[1]]}]}`), "/ome/multiscales/0/datasets/0/coordinateTransformations/0", "\"affine\" is not computed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var attrs map[string]any
			if err := json.Unmarshal([]byte(c.attrs), &attrs); err != nil {
				t.Fatal(err)
			}
			_, found := multiscale.Read(attrs)
			for _, f := range found {
				if f.Pointer == c.pointer && strings.Contains(f.String(), c.text) {
					return
				}
			}
			t.Errorf("findings %v, want one at %s: %s", found, c.pointer, c.text)
		})
	}
}

// TestLongChain composes a chain of the maximum number of levels. Each level precedes its source.
func TestLongChain(t *testing.T) {
	var layout []any
	for i := range 3000 {
		layout = append(layout, map[string]any{
			"asset": string(rune('a'+i%26)) + strings.Repeat("x", i/26), "transform": map[string]any{"scale": []any{1.001}},
			"derived_from": string(rune('a'+(i+1)%26)) + strings.Repeat("x", (i+1)/26),
		})
	}
	delete(layout[1023].(map[string]any), "derived_from")
	got, found := multiscale.Read(map[string]any{"multiscales": map[string]any{"layout": layout}})
	if len(found) != 1 || len(got[0].Levels) != 1024 {
		t.Fatal(found)
	}
	if s := got[0].Levels[0].Scale[0]; math.Abs(s-math.Pow(1.001, 1024)) > 1e-9 {
		t.Error(s)
	}
}

// FuzzRead reads attributes that may be malformed.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/examples/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		var doc struct {
			Attributes json.RawMessage `json:"attributes"`
		}
		load(f, "examples/"+filepath.Base(file), &doc)
		f.Add([]byte(doc.Attributes))
	}
	f.Add([]byte(`{"multiscales":[{"axes":["y"],"datasets":[{"path":"0","coordinateTransformations":[{"type":"sequence","transformations":[{"type":"sequence"}]}]}]}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var attrs map[string]any
		if json.Unmarshal(doc, &attrs) != nil {
			return
		}
		multiscale.Validate(attrs)
		pyramids, _ := multiscale.Read(attrs)
		for _, p := range pyramids {
			p.Coarsest(10)
			for _, l := range p.Levels {
				if strings.Contains(l.Path, "..") || strings.HasPrefix(l.Path, "/") || l.Path == "" {
					t.Errorf("path %q", l.Path)
				}
				if (l.Scale == nil) != (l.Translation == nil) || p.Axes != nil && l.Scale != nil && len(l.Scale) != len(p.Axes) {
					t.Errorf("axes %v, scale %v, translation %v", p.Axes, l.Scale, l.Translation)
				}
			}
			multiscale.Read(multiscale.Attributes(p))
		}
	})
}
