package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"github.com/zargo-io/zargo/crs"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/integration/bucket"
	"github.com/zargo-io/zargo/pyramid"
	"github.com/zargo-io/zargo/transfer"
	"github.com/zargo-io/zargo/zarr"
	"github.com/zargo-io/zargo/zarr/store"
	"github.com/zargo-io/zargo/zarr/store/dir"
)

var (
	positionCases = flag.Int("positions", 8, "number of random datasets of TestPositions")
	positionsSeed = flag.Int("positions-seed", 1, "seed of the random datasets of TestPositions")
)

// position is the position of an array as peers read it.
type position struct {
	Bounds    [4]float64
	RioXarray crs.Affine
	GDAL      *crs.Affine // nil if GDAL has no transformation
	X, Y      []float64   // coordinates; nil if there are none
}

// placesOf runs positions.py.
func placesOf(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Getenv(python313Env), append([]string{"python/positions.py"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("positions.py: %v\n%s", err, &stderr)
	}
	return out
}

// TestPositions compares the positions of random images, of parts that transfers copied, and of the
// levels of pyramids with those that rioxarray and GDAL compute. If the windows of the last
// elements of a level have fewer elements than the others, the coordinates decide: see unequal.
func TestPositions(t *testing.T) {
	if os.Getenv(python313Env) == "" {
		bucket.Lack(t, python313Env+" does not name a Python with requirements-py313.txt")
	}
	root := t.TempDir()
	placesOf(t, "make", root, strconv.Itoa(*positionCases), strconv.Itoa(*positionsSeed))
	st := dir.New(root)
	paths := []string{}
	for i := range *positionCases {
		at := "c" + strconv.Itoa(i)
		v := variable(t, st, at)
		shape := v.Array().Shape()
		y, x := []int{shape[0] / 2, shape[0]}, []int{1, shape[1]}
		crop := at + "-crop"
		p, err := transfer.NewPlan(t.Context(), group(t, st, at), st, transfer.Options{
			Source: transfer.Place{Store: "s"}, Target: transfer.Place{Store: "s", Path: crop}, Root: crop,
			Ranges: func(a *zarr.Array) ([][2]int, error) {
				var r [][2]int
				for _, dim := range a.Dims() {
					r = append(r, map[string][2]int{"y": [2]int(y), "x": [2]int(x)}[dim])
				}
				return r, nil
			},
		})
		if err == nil {
			err = transfer.Run(t.Context(), p, func(context.Context, string) (store.Store, error) { return st, nil }, transfer.RunOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pyramid.Build(t.Context(), st, at+"/t", pyramid.Options{Levels: 2}); err != nil {
			t.Fatal(err)
		}
		if s, err := pyramid.StatusOf(t.Context(), st, at+"/t"); err != nil || s != pyramid.Current {
			t.Errorf("the status of %s is %v, %v", at, s, err)
		}
		paths = append(paths, at, crop, at+"/1", at+"/2")
	}
	var want map[string]position
	succeed(t, json.Unmarshal(placesOf(t, "look", root), &want))
	compared, irregular := 0, 0
	for _, at := range paths {
		ref := variable(t, st, at).CRS()
		p, ok := want[at]
		if ok && p.RioXarray == (crs.Affine{}) {
			continue
		}
		if ok && p.unequal() {
			irregular++
			if why := p.differs(ref.Grid); why != "" {
				t.Errorf("%s: %s: %+v, zargo has %+v", at, why, p, ref.Grid)
			}
			continue
		}
		if !ok || ref.Grid == nil {
			t.Errorf("%s: the peers have %v, zargo has %v", at, want[at], ref.Grid)
			continue
		}
		compared++
		box, _ := ref.Grid.Extent()
		p.Bounds = [4]float64{min(p.Bounds[0], p.Bounds[2]), min(p.Bounds[1], p.Bounds[3]), max(p.Bounds[0], p.Bounds[2]), max(p.Bounds[1], p.Bounds[3])}
		if !close6(box[:], p.Bounds[:]) || !close6(ref.Grid.Transform[:], p.RioXarray[:]) || p.GDAL != nil && !close6(ref.Grid.Transform[:], p.GDAL[:]) {
			t.Errorf("%s: the bounds are %v and the transformation is %v from %s; the peers have %v, %v, %v", at, box, ref.Grid.Transform, ref.Grid.Source, p.Bounds, p.RioXarray, p.GDAL)
		}
		if stale := len(ref.Findings); stale > 0 && !hasStale(ref) {
			t.Errorf("%s: the findings are %v", at, ref.Findings)
		}
	}
	t.Logf("compared %d positions with the peers, and %d with coordinates at unequal distances", compared, irregular)
}

// unequal reports whether coordinates are at unequal distances, or the last of two may be: such
// levels have no transformation. rioxarray divides the distance of the first and the last
// coordinate by the number of elements between them, and GDAL has no transformation.
func (p position) unequal() bool {
	for _, c := range [][]float64{p.X, p.Y} {
		if last := len(c) - 1; last > 0 {
			if step := (c[last] - c[0]) / float64(last); math.Abs(c[1]-c[0]-step) > 1e-6*math.Abs(step) {
				return true
			}
		}
	}
	return false
}

// differs returns how a grid contradicts coordinates at unequal distances, or "". The grid is nil,
// as that of GDAL, or it comes from an attribute: then it contains the exact coordinate of every
// element but the last of a row or a column, whose coordinate is within the element.
func (p position) differs(g *crs.Grid) string {
	switch {
	case p.GDAL != nil:
		return "GDAL has a transformation"
	case g == nil || g.Transform == (crs.Affine{}):
		return ""
	}
	for i := range max(len(p.X), len(p.Y)) {
		x, y := g.Transform.Apply(float64(i)+0.5, float64(i)+0.5)
		for _, axis := range []struct {
			coords   []float64
			at, step float64
		}{{p.X, x, g.Transform[0]}, {p.Y, y, g.Transform[4]}} {
			if i >= len(axis.coords) {
				continue
			}
			d := math.Abs(axis.coords[i]-axis.at) / math.Abs(axis.step)
			if last := i == len(axis.coords)-1; d > 1e-6 && !last || d >= 0.5 {
				return fmt.Sprintf("the coordinate %d is %v, and the transformation has %v", i, axis.coords[i], axis.at)
			}
		}
	}
	return ""
}

// hasStale reports whether all findings are about a GeoTransform that was false in the source.
func hasStale(ref crs.Reference) bool {
	return ref.Grid.Source == crs.FromCoordinates
}

func close6(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(1, math.Abs(x)) })
}

func group(t *testing.T, st store.Store, at string) *zarr.Group {
	t.Helper()
	g, err := zarr.OpenGroup(t.Context(), st, at)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func variable(t *testing.T, st store.Store, at string) *dataset.Variable {
	t.Helper()
	d, err := dataset.Open(t.Context(), st, at, dataset.Options{})
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", at, err))
	}
	v, err := d.Var("t")
	if err != nil {
		t.Fatal(err)
	}
	return v
}
