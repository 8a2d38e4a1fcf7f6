package serve

import (
	"math"
	"math/bits"
	"net/http"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/picture"
)

// tile sends a tile of one variable, as PNG: by default of the tile matrix set WebMercatorQuad (OGC
// 17-083r4), and with tms=grid of the elements themselves. A pixel is the nearest element.
func tile(c *call) error {
	s, err := c.selected("tms", "palette", "range")
	if err != nil {
		return err
	}
	v, err := s.one()
	if err != nil {
		return err
	}
	z, err := strconv.ParseUint(c.PathValue("z"), 10, 5)
	x, err2 := strconv.ParseUint(c.PathValue("x"), 10, 31)
	y, err3 := strconv.ParseUint(strings.TrimSuffix(c.PathValue("y"), ".png"), 10, 31)
	if err != nil || err2 != nil || err3 != nil || x>>z > 0 || y>>z > 0 {
		return refuse(http.StatusNotFound, "there is no such tile")
	}
	of, tms := mercator, s.params.Get("tms")
	if tms == "grid" {
		of = gridded
	} else if tms != "" && tms != "WebMercatorQuad" {
		return refuse(http.StatusBadRequest, "the tile matrix set %q is unknown", tms)
	}
	s.params.Del("tms")
	_, draw, err := s.picture()
	if err != nil {
		return err
	}
	if draw.Range == (picture.Range{}) || draw.Range.Percent {
		return refuse(http.StatusBadRequest, "the parameter range must set the values of the first and the last color, such as 250:310, so that all tiles have the same colors")
	}
	for _, d := range v.Dims() {
		if d.Len == 1 && len(v.Dims()) > 2 {
			if v, err = v.Sel(dataset.At(d.Name, 0)); err != nil {
				return err
			}
		}
	}
	if _, numbers := v.Coding(); !numbers || len(v.Dims()) != 2 {
		return refuse(http.StatusBadRequest, "a tile needs numbers along two dimensions: select one element of the others")
	}
	rows, columns, err := of(v, int(z), int(x), int(y))
	if err != nil {
		return err
	}
	values, err := c.pixels(v, rows, columns)
	if err != nil {
		return err
	}
	draw.Plain, draw.Rows, draw.Size = true, picture.Downward, 0
	return c.sendImage(&picture.Slice{Values: values, Height: tileSize, Width: tileSize}, draw)
}

// tileSize is the height and width of a tile.
const tileSize = 256

// line is the positions along a dimension of the rows or columns of a tile; -1 is beside the data.
type line struct {
	dim string
	at  [tileSize]int
}

// mercator returns the rows and the columns of a tile of WebMercatorQuad.
func mercator(v *dataset.Variable, z, x, y int) (rows, columns line, err error) {
	r := rolesOf(v)
	if r["x"] == "" || r["y"] == "" {
		return rows, columns, refuse(http.StatusBadRequest, "variable %q has no longitudes and latitudes: tms=grid draws its elements", v.Name())
	}
	rows.dim, columns.dim = r["y"], r["x"]
	size := math.Ldexp(tileSize, z) // of the world
	lat, lon := coordinates(v.Index(rows.dim)), coordinates(v.Index(columns.dim))
	for i := range tileSize {
		north := math.Pi * (1 - 2*(float64(y*tileSize+i)+0.5)/size)
		rows.at[i] = nearestTo(lat, math.Atan(math.Sinh(north))*180/math.Pi, 0)
		columns.at[i] = nearestTo(lon, (float64(x*tileSize+i)+0.5)/size*turn-turn/2, turn)
	}
	return rows, columns, nil
}

// nearestTo returns the position of the coordinate that is nearest to a point, or -1 if it is more
// than half of the largest distance between two coordinates away.
func nearestTo(x []float64, point, period float64) int {
	apart := func(a, b float64) float64 {
		if period > 0 {
			return math.Abs(math.Remainder(a-b, period))
		}
		return math.Abs(a - b)
	}
	best, gap := -1, 0.0
	for i := range x {
		if i > 0 {
			gap = max(gap, apart(x[i], x[i-1]))
		}
		if best < 0 || apart(x[i], point) < apart(x[best], point) {
			best = i
		}
	}
	if best >= 0 && len(x) > 1 && apart(x[best], point) > gap/2*(1+1e-9) { // coordinates are rounded
		return -1
	}
	return best
}

// gridded returns the rows and the columns of a tile of elements. Tile 0/0/0 has all of them, and a
// pixel of the next level is half as high and wide.
func gridded(v *dataset.Variable, z, x, y int) (rows, columns line, err error) {
	shape := v.Shape()
	rows.dim, columns.dim = v.Dims()[0].Name, v.Dims()[1].Name
	whole := bits.Len(uint((max(shape[0], shape[1]) - 1) / tileSize)) // the level on which a pixel is an element
	for i := range tileSize {
		for _, l := range []struct {
			to      *line
			tile, n int
		}{{&rows, y, shape[0]}, {&columns, x, shape[1]}} {
			l.to.at[i] = -1
			if at := math.Ldexp(float64(l.tile*tileSize+i)+0.5, whole-z); at < float64(l.n) {
				l.to.at[i] = int(at)
			}
		}
	}
	return rows, columns, nil
}

// pixels reads the elements of a tile. Those beside the data are NaN.
func (c *call) pixels(v *dataset.Variable, rows, columns line) ([]float64, error) {
	out := make([]float64, tileSize*tileSize)
	for i := range out {
		out[i] = math.NaN()
	}
	var at, to [2][]int
	for k, l := range []line{rows, columns} {
		for i, p := range l.at {
			if p >= 0 {
				at[k], to[k] = append(at[k], p), append(to[k], i)
			}
		}
	}
	if len(at[0]) == 0 || len(at[1]) == 0 {
		return out, nil
	}
	v, err := v.Sel(dataset.At(rows.dim, at[0]), dataset.At(columns.dim, at[1]))
	if err != nil {
		return nil, err
	}
	if err := c.o.Limits.admitPlan(v.Plan()); err != nil {
		return nil, err
	}
	values, err := dataset.Read[float64](c.ctx(), v)
	if err != nil {
		return nil, err
	}
	step, next := len(at[1]), 1
	if v.Dims()[0].Name == columns.dim {
		step, next = 1, len(at[0])
	}
	for i, row := range to[0] {
		for j, column := range to[1] {
			out[row*tileSize+column] = values[i*step+j*next]
		}
	}
	return out, nil
}
