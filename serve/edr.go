package serve

import (
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/dataset"
)

// edr is a query of OGC API - Environmental Data Retrieval (OGC 19-086r6).
type edr struct {
	d        *dataset.Dataset
	geometry wkt
	params   url.Values
}

// position sends the elements nearest to a POINT or to the points of a MULTIPOINT, as CoverageJSON.
func position(c *call) error { return c.retrieve("POINT", "MULTIPOINT") }

// area sends the elements within a POLYGON, as CoverageJSON.
func area(c *call) error { return c.retrieve("POLYGON") }

func (c *call) retrieve(kinds ...string) error {
	d, err := c.dataset()
	if err != nil {
		return err
	}
	q := edr{d: d}
	if q.params, err = url.ParseQuery(c.URL.RawQuery); err != nil {
		return refuse(http.StatusBadRequest, "the query is malformed")
	}
	if q.geometry, err = parseWKT(q.params.Get("coords")); err != nil {
		return err
	}
	if !slices.Contains(kinds, q.geometry.kind) {
		return refuse(http.StatusBadRequest, "the geometry must be %s", strings.Join(kinds, " or "))
	}
	if crs := q.params.Get("crs"); !slices.Contains([]string{"", "CRS84", "OGC:CRS84", "EPSG:4326", crs84}, crs) {
		return refuse(http.StatusBadRequest, "the only coordinate reference system is CRS84")
	}
	if f := q.params.Get("f"); !slices.Contains([]string{"", "CoverageJSON", "covjson", "json"}, f) {
		return refuse(http.StatusBadRequest, "the only format is CoverageJSON")
	}
	vars, err := q.vars()
	if err != nil {
		return err
	}
	used := map[string]bool{"coords": true, "parameter-name": true, "crs": true, "f": true}
	var all []*coverage
	for _, v := range vars {
		of, err := q.coverage(v, used)
		if err != nil {
			return err
		}
		r := rolesOf(v)
		i := slices.IndexFunc(all, func(c *coverage) bool { return maps.Equal(c.roles, r) }) // the same axes
		if i < 0 {
			i, all = len(all), append(all, &coverage{geometry: q.geometry, roles: r})
		}
		all[i].vars = append(all[i].vars, of)
	}
	for name, texts := range q.params {
		if !used[name] {
			return refuse(http.StatusBadRequest, "%q is neither a parameter nor a dimension of the variables", name)
		}
		if len(texts) > 1 {
			return refuse(http.StatusBadRequest, "the parameter %s occurs %d times", name, len(texts))
		}
	}
	return c.sendCoverages(all)
}

// vars returns the variables of parameter-name. The default is all variables of numbers that have
// longitudes and latitudes.
func (q *edr) vars() (all []*dataset.Variable, err error) {
	names := q.params.Get("parameter-name")
	if names == "" {
		for _, v := range q.d.Vars() {
			if e, err := elementsOf(v); err == nil && e.kind != "" && q.placed(v) {
				all = append(all, v)
			}
		}
		if len(all) == 0 {
			return nil, refuse(http.StatusBadRequest, "no variable has longitudes and latitudes as dimensions")
		}
		return all, nil
	}
	list := strings.Split(names, ",")
	for i, name := range list {
		if slices.Contains(list[:i], name) {
			continue
		}
		v, err := variable(q.d, name)
		if err != nil {
			return nil, err
		}
		if e, err := elementsOf(v); err != nil || e.kind == "" || !q.placed(v) {
			return nil, refuse(http.StatusBadRequest, "variable %q is not of numbers along longitudes and latitudes", name)
		}
		if all = append(all, v); len(all) > maxVars {
			return nil, refuse(http.StatusBadRequest, "the parameter parameter-name names more than %d variables", maxVars)
		}
	}
	return all, nil
}

func (q *edr) placed(v *dataset.Variable) bool {
	r := rolesOf(v)
	return r["x"] != "" && r["y"] != ""
}

// pointsDim is the name of the dimension of the points of a MULTIPOINT.
const pointsDim = "zargo points"

// coverage returns the selected elements of a variable. It adds the parameters that it used.
func (q *edr) coverage(v *dataset.Variable, used map[string]bool) (*dataset.Variable, error) {
	r := rolesOf(v)
	queries, err := q.horizontal(v, r)
	if err != nil {
		return nil, err
	}
	for _, d := range v.Dims() {
		var selected dataset.Query
		text := q.params.Get(d.Name)
		switch {
		case d.Name == r["x"], d.Name == r["y"]:
			continue
		case d.Name == r["t"] && q.params.Has("datetime"):
			used["datetime"] = true
			selected, err = interval(d.Name, q.params.Get("datetime"))
		case d.Name == r["z"] && q.params.Has("z"):
			used["z"] = true
			selected, err = levels(v, d.Name, q.params.Get("z"))
		case text != "":
			used[d.Name] = true
			selected = dataset.Text(d.Name, text)
		case d.Len == 1:
			selected = dataset.At(d.Name, 0)
		case d.Name == r["t"], d.Name == r["z"]:
			continue
		default:
			return nil, refuse(http.StatusBadRequest, "the parameter %s must select one element of the dimension", d.Name)
		}
		if err != nil {
			return nil, err
		}
		queries = append(queries, selected)
	}
	out, err := v.Sel(queries...)
	if err != nil {
		return nil, err
	}
	for _, d := range out.Dims() {
		if role := r.of(d.Name); role == "" && d.Name != pointsDim || q.geometry.kind == "MULTIPOINT" && role == "z" {
			return nil, refuse(http.StatusBadRequest, "the query must select one element of the dimension %s", d.Name)
		}
	}
	if out.Len() == 0 {
		return nil, refuse(http.StatusNotFound, "the query selects no element")
	}
	return out, nil
}

// horizontal returns the queries of longitudes and latitudes.
func (q *edr) horizontal(v *dataset.Variable, r roles) ([]dataset.Query, error) {
	if q.geometry.kind == "POLYGON" {
		box := bounds(q.geometry.rings)
		return []dataset.Query{
			dataset.Between(r["x"], box[0][0], box[1][0]).Wrap(turn),
			dataset.Between(r["y"], box[0][1], box[1][1]),
		}, nil
	}
	var x, y []float64
	for _, p := range q.geometry.points {
		x, y = append(x, p[0]), append(y, p[1])
	}
	if q.geometry.kind == "POINT" {
		return []dataset.Query{near(v, r["x"], x[0]).Wrap(turn), near(v, r["y"], y[0])}, nil
	}
	return []dataset.Query{dataset.Pointwise(pointsDim, near(v, r["x"], x).Wrap(turn), near(v, r["y"], y))}, nil
}

// near returns a query of the nearest label, which is at most half of the largest distance between
// two labels away. So a position beside the data is refused.
func near(v *dataset.Variable, dim string, label any) dataset.Query {
	q := dataset.Label(dim, label).Nearest()
	x, gap := coordinates(v.Index(dim)), 0.0
	for i := 1; i < len(x); i++ {
		gap = max(gap, math.Abs(x[i]-x[i-1]))
	}
	if gap > 0 {
		q = q.Within(gap / 2 * (1 + 1e-9)) // coordinates are rounded
	}
	return q
}

// interval returns the query of the parameter datetime: an instant, or an interval "start/end" whose
// open ends are "..".
func interval(dim, text string) (dataset.Query, error) {
	start, end, ok := strings.Cut(text, "/")
	if !ok {
		return dataset.Label(dim, text), nil
	}
	var ends [2]any
	for i, text := range []string{start, end} {
		if text != ".." && text != "" {
			ends[i] = text
		}
	}
	if ends == [2]any{} || strings.Contains(end, "/") {
		return dataset.Query{}, refuse(http.StatusBadRequest, "the parameter datetime must be a time, or an interval such as 2026-01-01/2026-01-31")
	}
	return dataset.Between(dim, ends[0], ends[1]), nil
}

// levels returns the query of the parameter z: a level, a list, a range "low/high", or "Rn/low/step"
// for n levels.
func levels(v *dataset.Variable, dim, text string) (dataset.Query, error) {
	bad := refuse(http.StatusBadRequest, "the parameter z must be a level, a list, a range such as 100/500, or levels such as R5/100/50")
	sep := ","
	if strings.Contains(text, "/") {
		sep = "/"
	}
	cells := strings.Split(text, sep)
	repeated := sep == "/" && len(cells) == 3 && strings.HasPrefix(cells[0], "R")
	if repeated {
		cells[0] = cells[0][1:]
	}
	if len(cells) > maxPoints || sep == "/" && !repeated && len(cells) != 2 {
		return dataset.Query{}, bad
	}
	var z []float64
	for _, cell := range cells {
		f, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
		if err != nil || f-f != 0 {
			return dataset.Query{}, bad
		}
		z = append(z, f)
	}
	switch {
	case repeated:
		if !(z[0] >= 1 && z[0] <= maxPoints) || z[0] != math.Trunc(z[0]) {
			return dataset.Query{}, bad
		}
		list := make([]float64, int(z[0]))
		for i := range list {
			list[i] = z[1] + float64(i)*z[2]
		}
		return near(v, dim, list), nil
	case sep == "/":
		return dataset.Between(dim, z[0], z[1]), nil
	case len(z) == 1:
		return near(v, dim, z[0]), nil
	}
	return near(v, dim, z), nil
}
