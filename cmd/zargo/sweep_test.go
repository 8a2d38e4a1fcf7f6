package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/internal/test/zarrtest"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/dtype"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

// placedSource is a group whose array t(time, y, x), or t(y, x), has elements that encode their
// position: 1000·Y + X of the centre of the pixel.
type placedSource struct {
	name string
	path string // of the array t
	make func(t *testing.T, g *zarr.Group, o ...zarr.Option)
}

// stated are attributes that state statistics or extents.
var stated = map[string]any{"actual_range": []any{0, 1}, "STATISTICS_MEAN": 1, "valid_range": []any{0, 1e6}}

func with(m ...map[string]any) map[string]any {
	out := map[string]any{}
	for _, m := range m {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// sourceTransform is the transformation of the source: pixels of 2 × 1, with the upper left corner
// at (10, 5).
var sourceTransform = crs.Affine{2, 0, 10, 0, -1, 5}

func spatialAttrs(shape ...int) map[string]any {
	w, h := float64(shape[1]), float64(shape[0])
	return map[string]any{"proj:code": "EPSG:4326", "spatial:dimensions": []any{"y", "x"}, "spatial:transform": []any{2, 0, 10, 0, -1, 5},
		"spatial:shape": []any{shape[0], shape[1]}, "spatial:bbox": []any{10, 5 - h, 10 + 2*w, 5}, "zarr_conventions": []any{map[string]any{"name": "spatial:"}, map[string]any{"name": "proj:"}}}
}

func placedArray(t *testing.T, g *zarr.Group, name string, shape []int, dims []string, attrs map[string]any, o ...zarr.Option) {
	t.Helper()
	chunks := make([]int, len(shape))
	for i, n := range shape {
		chunks[i] = min(n, 3)
	}
	if g.Format() == 2 {
		attrs = with(attrs, map[string]any{"_ARRAY_DIMENSIONS": dims})
		dims = nil
	}
	a, err := zarr.Create(t.Context(), g.Store(), path.Join(g.Path(), name), zarr.Spec{Format: g.Format(), Shape: shape, Chunks: chunks, DType: dtype.Float64, Dims: dims, Attrs: attrs, Fill: math.NaN()}, o...)
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	for _, length := range shape {
		n *= length
	}
	values := make([]float64, n)
	for i := range values {
		switch n := len(shape); {
		case n == 0:
		case n == 1 && (name == "y" || name == "x"):
			x, y := sourceTransform.Apply(float64(i)+.5, float64(i)+.5)
			values[i] = map[string]float64{"y": y, "x": x}[name]
		case n == 1 || name == "time_bnds":
			values[i] = float64(i)
		default:
			x, y := sourceTransform.Apply(float64(i%shape[n-1])+.5, float64(i/shape[n-1]%shape[n-2])+.5)
			values[i] = 1000*y + x
		}
	}
	succeed(t, zarr.Write(t.Context(), a, values))
}

func placedSources() []placedSource {
	cube := func(mapping map[string]any, coordinates bool, own map[string]any) func(*testing.T, *zarr.Group, ...zarr.Option) {
		return func(t *testing.T, g *zarr.Group, o ...zarr.Option) {
			placedArray(t, g, "t", []int{3, 5, 7}, []string{"time", "y", "x"}, with(stated, own), o...)
			placedArray(t, g, "time", []int{3}, []string{"time"}, with(stated, map[string]any{"units": "days since 2000-01-01", "bounds": "time_bnds"}))
			placedArray(t, g, "time_bnds", []int{3, 2}, []string{"time", "nv"}, nil)
			if coordinates {
				placedArray(t, g, "y", []int{5}, []string{"y"}, stated)
				placedArray(t, g, "x", []int{7}, []string{"x"}, stated)
			}
			if mapping != nil {
				placedArray(t, g, "spatial_ref", []int{}, []string{}, mapping)
			}
		}
	}
	crsOnly := map[string]any{"grid_mapping_name": "latitude_longitude"}
	geo := with(crsOnly, map[string]any{"GeoTransform": "10.0 2.0 0.0 5.0 0.0 -1.0"})
	mapped := map[string]any{"grid_mapping": "spatial_ref"}
	return []placedSource{
		{"coordinates", "t", cube(crsOnly, true, mapped)},
		{"GeoTransform", "t", cube(geo, false, mapped)},
		{"GeoTransform and coordinates", "t", cube(geo, true, mapped)},
		{"GeoTransform without a name", "t", cube(geo, true, nil)},
		{"spatial", "t", cube(nil, false, spatialAttrs(5, 7))},
		{"spatial and coordinates", "t", cube(nil, true, spatialAttrs(5, 7))},
		{"all", "t", cube(geo, true, with(mapped, spatialAttrs(5, 7)))},
		{"two arrays", "t", func(t *testing.T, g *zarr.Group, o ...zarr.Option) {
			cube(geo, true, mapped)(t, g, o...)
			placedArray(t, g, "u", []int{5, 7}, []string{"y", "x"}, mapped)
			placedArray(t, g, "p", []int{3}, []string{"station"}, mapped)
		}},
		{"inherited", "t", func(t *testing.T, g *zarr.Group, o ...zarr.Option) {
			if _, err := g.SetAttrs(t.Context(), with(g.Attrs(), spatialAttrs(5, 7))); err != nil {
				t.Fatal(err)
			}
			placedArray(t, g, "t", []int{5, 7}, []string{"y", "x"}, stated, o...)
		}},
		{"rasterio", "t", func(t *testing.T, g *zarr.Group, o ...zarr.Option) {
			placedArray(t, g, "t", []int{5, 7}, []string{"y", "x"}, map[string]any{"transform": []any{2, 0, 10, 0, -1, 5}, "res": []any{2, 1}, "crs": "EPSG:4326"}, o...)
		}},
		{"level", "0/t", func(t *testing.T, g *zarr.Group, o ...zarr.Option) {
			h, err := zarr.CreateGroup(t.Context(), g.Store(), path.Join(g.Path(), "0"), zarr.Spec{Format: g.Format()})
			if err != nil {
				t.Fatal(err)
			}
			placedArray(t, h, "t", []int{5, 7}, []string{"y", "x"}, with(stated, spatialAttrs(5, 7)), o...)
		}},
	}
}

// placedNode is the part of info --json that the sweep checks.
type placedNode struct {
	Shape []int
	Dims  []string `json:"dimension_names"`
	Grid  *struct {
		Transform, BBox []float64
		Registration    crs.Registration
	}
	Findings []struct{ Node, Pointer, Message string }
}

// TestNothingStale runs the commands that write over sources with every convention of positions and
// statistics. zargo info must have no finding about any node, and the position of every element, in
// transformations, bounding boxes and coordinates, must be the position in the source.
func TestNothingStale(t *testing.T) {
	here, p := t.TempDir(), newProgram()
	t.Chdir(here)
	for name, values := range map[string][]float64{"time": {3}, "y": {-0.5, -1.5}, "x": {25, 27}} {
		a := zarrtest.Create(t, dir.New(filepath.Join(here, "npy", name)), "", zarr.Spec{Shape: []int{len(values)}, DType: dtype.Float64})
		succeed(t, zarr.Write(t.Context(), a, values))
		do(t, p, "cat npy/"+name+" --format npy -o "+name+".npy")
	}
	commands := []struct {
		name, lines string
		other       bool // the array t of the result has other elements
	}{
		{"nothing", "copy S O", false},
		{"consolidate", "copy S O; consolidate O", false},
		{"crop", "copy S O --isel y=1:4,x=2:7", true},
		{"one element of each", "copy S O --isel y=3:4,x=2:3", true},
		{"labels", "copy S O --sel y=2.5:4.5,x=12:20", true},
		{"chunks", "copy S O --chunks y=2,x=2", false},
		{"other format", "copy S O --format F", false},
		{"crop to the other format", "copy S O --format F --isel y=2:,x=:5", true},
		{"crop of the array", "copy S/T O --isel 1:,...,1:6", true},
		{"crop of a crop", "copy S N --isel y=1:,x=1:; copy N O --isel y=1:,x=1:", true},
		{"transfer", "transfer plan S O --isel y=1:,x=2: -o plan.json; transfer run plan.json", true},
		{"pyramid", "copy S O; pyramid O/T --levels 2", false},
		{"pyramid of a crop", "copy S O --isel y=1:,x=1:; pyramid O/T --levels 1", true},
		{"copy of a pyramid", "copy S N; pyramid N/T --levels 2; copy N O", false},
		{"crop of a pyramid's source", "copy S N; pyramid N/T --levels 1; copy N/T O --isel ...,2:,1:", true},
		{"migrate", "copy S O --format 2; migrate O", false},
		{"resize", "copy S O; resize O/T --dim y=4", true},
		{"resize more", "copy S O; resize O/T --dim y=8", true},
		{"append", "copy S O; append O/T --dim y --rows 2", true},
		{"append to the group", "copy S O; append O --dim time time=time.npy --reserve", true},
		{"append y to the group", "copy S O; append O --dim y y=y.npy --reserve", true},
		{"append x to the group", "copy S O; append O --dim x x=x.npy --reserve", true},
		{"blank", "copy S O; blank O/T --isel y=1", true},
		{"put", "copy S O; cat O/T --format npy -o t.npy; put O/T t.npy", true},
		{"like", "create O --like S", false},
		{"like the array", "create O --like S/T", false},
	}
	for _, format := range []int{2, 3} {
		for i, src := range placedSources() {
			in := fmt.Sprintf("s%d-%d", format, i)
			attrs := map[string]any{"geospatial_lat_min": 0, "geospatial_bounds": "POLYGON EMPTY", "time_coverage_end": "2000-01-03", "title": "x"}
			g, err := zarr.CreateGroup(t.Context(), dir.New(filepath.Join(here, in)), "", zarr.Spec{Format: format, Attrs: attrs})
			if err != nil {
				t.Fatal(err)
			}
			src.make(t, g)
			for j, c := range commands {
				if (i+j+format)%2 == 0 {
					continue // half of the combinations, for the time of the test
				}
				t.Run(fmt.Sprintf("v%d/%s/%s", format, src.name, c.name), func(t *testing.T) {
					out := fmt.Sprintf("o%d-%d-%d", format, i, j)
					swap := strings.NewReplacer("S", in, "O", out, "T", src.path, "N", out+"n", "F", fmt.Sprint(5-format))
					for line := range strings.SplitSeq(c.lines, "; ") {
						if r := zargo(t, p, swap.Replace(line)); r.code != 0 {
							// Some sources have no coordinates: selections by label and appends to
							// a coordinate are then refused, for this reason only.
							dim := lacking(filepath.Join(here, in, filepath.Dir(src.path)), r.err)
							if dim == "" {
								t.Fatalf("zargo %s: %s", swap.Replace(line), r.err)
							}
							t.Skipf("SKIPPED: the source has no coordinate %q", dim)
						}
					}
					checkPlaces(t, p, here, out)
					a, err := zarr.OpenArray(t.Context(), dir.New(filepath.Join(here, out)), src.path)
					if err != nil {
						a, err = zarr.OpenArray(t.Context(), dir.New(filepath.Join(here, out)), "")
					}
					if err != nil {
						t.Fatal(err)
					}
					for name := range stated {
						if kept := a.Attrs()[name] != nil; kept == c.other && name != "valid_range" && src.name != "rasterio" {
							t.Errorf("the array has the attribute %s: %v", name, kept)
						}
					}
				})
			}
		}
	}
}

// lacking returns the dimension that an error of the command names as one without a coordinate, if
// the folder of the source has no array with its name. It returns "" for other errors.
func lacking(folder, message string) string {
	for _, dim := range []string{"time", "y", "x"} {
		_, err := os.Stat(filepath.Join(folder, dim))
		named := strings.Contains(message, fmt.Sprintf("dimension %q has no coordinate", dim)) || strings.Contains(message, fmt.Sprintf("%q: not found: no array here", dim))
		if named && os.IsNotExist(err) {
			return dim
		}
	}
	return ""
}

// checkPlaces checks all nodes below a folder.
func checkPlaces(t *testing.T, p *program, root, out string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, out), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{"zarr.json", ".zarray", ".zgroup"}, d.Name()) {
			return err
		}
		at, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		r := zargo(t, p, "info --json "+at)
		var n placedNode
		if err := json.Unmarshal([]byte(r.out), &n); err != nil || r.code != 0 {
			t.Fatalf("%s: %v, %s", at, err, r.err)
		}
		for _, f := range n.Findings {
			t.Errorf("%s: %s %s: %s", at, f.Node, f.Pointer, f.Message)
		}
		if d.Name() != ".zgroup" && len(n.Shape) > 0 {
			checkPlace(t, root, at, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkPlace compares the transformation and the coordinates of an array with its elements.
func checkPlace(t *testing.T, root, at string, n placedNode) {
	t.Helper()
	a, err := zarr.OpenArray(context.Background(), dir.New(filepath.Join(root, at)), "")
	if err != nil {
		t.Fatal(err)
	}
	if n.Grid == nil || n.Grid.Transform == nil || len(n.Shape) < 2 {
		return
	}
	values, err := zarr.Read[float64](context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	h, w := n.Shape[len(n.Shape)-2], n.Shape[len(n.Shape)-1]
	tr := crs.Affine(n.Grid.Transform)
	off := 0.5
	if n.Grid.Registration == crs.NodeRegistration {
		off = 0
	}
	level := strings.Contains(at, "/1/") || strings.Contains(at, "/2/")
	for i, v := range values {
		if level && (i%w == w-1 || i/w%h == h-1) {
			continue // the windows of the last elements may be smaller
		}
		x, y := tr.Apply(float64(i%w)+off, float64(i/w%h)+off)
		if v == v && math.Abs(1000*y+x-v) > 1e-6 {
			t.Errorf("%s: the element %d is at %v, %v in the source, and its transformation %v is that of %v, %v", at, i, math.Mod(v, 1000), math.Floor(v/1000), tr, x, y)
			return
		}
	}
	if b := n.Grid.BBox; b != nil && !level {
		x0, y0 := tr.Apply(0, 0)
		x1, y1 := tr.Apply(float64(w), float64(h))
		if want := []float64{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}; !slices.Equal(b, want) {
			t.Errorf("%s: the bounding box is %v, want %v", at, b, want)
		}
	}
}
