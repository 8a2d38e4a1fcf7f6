package serve

import (
	"math"
	"slices"

	"github.com/zargo-io/zargo/cf"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/zarr/store"
)

// coverage is a Coverage of CoverageJSON: variables with the same axes.
type coverage struct {
	geometry wkt
	roles    roles
	vars     []*dataset.Variable
	bands    []*bands
	area     *polygon // nil for points
}

const crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

// sendCoverages responds with a Coverage, or with a CoverageCollection of several.
func (c *call) sendCoverages(all []*coverage) error {
	var need store.Amount
	for _, v := range all {
		for _, of := range v.vars {
			b, err := c.admitted(&need, of)
			if err != nil {
				return err
			}
			v.bands = append(v.bands, b)
		}
		if rings := v.geometry.rings; rings != nil {
			var err error
			if v.area, err = newPolygon(rings, v.longitudes(), coordinates(v.vars[0].Index(v.roles["y"]))); err != nil {
				return err
			}
		}
	}
	w := c.stream("application/prs.coverage+json")
	if w == nil {
		return nil
	}
	d := document{w}
	if len(all) > 1 {
		d.text(`{"type":"CoverageCollection","coverages":[`)
	}
	for i, v := range all {
		if i > 0 {
			d.text(",")
		}
		if err := v.write(d); err != nil {
			return err
		}
	}
	if len(all) > 1 {
		d.text("]}")
	}
	d.text("\n")
	return d.Flush()
}

// longitudes returns the longitudes of the columns of an area, from the western end of the polygon on.
func (v *coverage) longitudes() []float64 {
	x := coordinates(v.vars[0].Index(v.roles["x"]))
	west, east := bounds(v.geometry.rings)[0][0], bounds(v.geometry.rings)[1][0]
	for i := range x {
		x[i] -= turn * math.Floor((x[i]-west)/turn)
		if x[i] > east && x[i]-turn > west-rounded {
			x[i] -= turn
		}
	}
	return x
}

// domainType returns the type of the domain, by the lengths of the axes of times and levels.
func (v *coverage) domainType(times, levels int) string {
	switch {
	case v.geometry.kind == "MULTIPOINT" && times > 1:
		return "MultiPointSeries"
	case v.geometry.kind == "MULTIPOINT":
		return "MultiPoint"
	case v.area != nil, times > 1 && levels > 1:
		return "Grid"
	case levels > 1:
		return "VerticalProfile"
	case times > 1:
		return "PointSeries"
	}
	return "Point"
}

func (v *coverage) write(d document) error {
	one := v.vars[0]
	x, y, z, t := one.Index(v.roles["x"]), one.Index(v.roles["y"]), one.Index(v.roles["z"]), one.Index(v.roles["t"])
	d.text(`{"type":"Coverage","domain":{"type":"Domain","domainType":"` + v.domainType(t.Len(), z.Len()) + `","axes":{`)
	system := []string{"x", "y"}
	if v.geometry.kind == "MULTIPOINT" {
		parts := []*dataset.Index{x, y}
		if z != nil {
			system, parts = append(system, "z"), append(parts, z)
		}
		d.text(`"composite":{"dataType":"tuple","coordinates":`)
		if err := d.value(system); err != nil {
			return err
		}
		d.text(`,"values":`)
		if err := d.list([]int{x.Len(), len(parts)}, sequence(func(dst []byte, i int) []byte {
			return appendLabel(dst, parts[i%len(parts)], i/len(parts)%parts[i%len(parts)].Len())
		}, x.Len()*len(parts))); err != nil {
			return err
		}
		d.text("}")
	} else {
		longitude := func(dst []byte, i int) []byte { return appendLabel(dst, x, i) }
		if v.area != nil {
			shifted := v.longitudes()
			longitude = func(dst []byte, i int) []byte { return appendFloat(dst, shifted[i], 64) }
		}
		if err := d.axis("x", x.Len(), longitude); err != nil {
			return err
		}
		d.text(",")
		if err := d.axis("y", y.Len(), func(dst []byte, i int) []byte { return appendLabel(dst, y, i) }); err != nil {
			return err
		}
		if z != nil {
			d.text(",")
			if err := d.axis("z", z.Len(), func(dst []byte, i int) []byte { return appendLabel(dst, z, i) }); err != nil {
				return err
			}
		}
	}
	if t != nil {
		d.text(",")
		if err := d.axis("t", t.Len(), func(dst []byte, i int) []byte {
			at, _ := t.Value(i).(cf.Time)
			return appendString(dst, at.String()+"Z")
		}); err != nil {
			return err
		}
	}
	d.text(`},"referencing":`)
	err := d.value(v.referencing(system[:2], z, t))
	d.text(`},"parameters":{`)
	for i, of := range v.vars {
		d.member(i, of.Name())
		if err == nil {
			err = d.value(parameterOf(of))
		}
	}
	d.text(`},"ranges":{`)
	for i, b := range v.bands {
		if err != nil {
			return err
		}
		d.member(i, v.vars[i].Name())
		err = v.writeRange(d, b)
	}
	d.text("}}")
	return err
}

// axis writes an axis of a domain.
func (d document) axis(name string, n int, appendTo func(dst []byte, i int) []byte) error {
	d.text(`"` + name + `":{"values":`)
	err := d.list([]int{n}, sequence(appendTo, n))
	d.text("}")
	return err
}

// writeRange writes the elements of a variable. Elements beside the polygon are null.
func (v *coverage) writeRange(d document, b *bands) error {
	axes, shape := []string{}, []int{}
	rows, columns, stepY, stepX, n := 0, 0, 1, 1, 1 // lengths, and elements between neighbors
	for _, dim := range slices.Backward(b.dims) {
		role := v.roles.of(dim.Name)
		switch role {
		case "x":
			columns, stepX = dim.Len, n
		case "y":
			rows, stepY = dim.Len, n
		case "":
			role = "composite"
		}
		axes, shape, n = append(axes, role), append(shape, dim.Len), n*dim.Len
	}
	slices.Reverse(axes)
	slices.Reverse(shape)
	d.text(`{"type":"NdArray","dataType":"` + b.of[0].kind + `","axisNames":`)
	err := d.value(axes)
	d.text(`,"shape":`)
	if err == nil {
		err = d.value(shape)
	}
	d.text(`,"values":`)
	var failed error
	values := b.values(&failed)
	if v.area != nil {
		values = func(yield func(func([]byte, int) []byte, int) bool) {
			before := 0
			for appendTo, n := range b.values(&failed) {
				if !yield(func(dst []byte, i int) []byte {
					if at := before + i; !v.area.has(at/stepY%rows, at/stepX%columns) {
						return append(dst, "null"...)
					}
					return appendTo(dst, i)
				}, n) {
					return
				}
				before += n
			}
		}
	}
	if err == nil {
		err = d.list([]int{n}, values)
	}
	d.text("}")
	if failed != nil {
		return failed
	}
	return err
}

// referencing returns the reference systems of the axes.
func (v *coverage) referencing(horizontal []string, z, t *dataset.Index) []any {
	system := func(coordinates []string, kind string, members map[string]any) any {
		members["type"] = kind
		return map[string]any{"coordinates": coordinates, "system": members}
	}
	all := []any{system(horizontal, "GeographicCRS", map[string]any{"id": crs84})}
	if z != nil {
		axis := map[string]any{"name": map[string]any{"en": v.roles["z"]}}
		if c, ok := v.vars[0].Coord(v.roles["z"]); ok {
			if units, ok := c.Attrs()["units"].(string); ok {
				axis["unit"] = map[string]any{"symbol": units}
			}
			if d := c.Attrs()["positive"]; d == "up" || d == "down" {
				axis["direction"] = d
			}
		}
		all = append(all, system([]string{"z"}, "VerticalCRS", map[string]any{"cs": map[string]any{"csAxes": []any{axis}}}))
	}
	if t != nil {
		calendar := "Gregorian"
		if at, ok := t.Value(0).(cf.Time); ok && at.Calendar() != cf.Standard && at.Calendar() != cf.ProlepticGregorian {
			calendar = "https://cfconventions.org/cf-conventions/cf-conventions.html#" + at.Calendar().String()
		}
		all = append(all, system([]string{"t"}, "TemporalRS", map[string]any{"calendar": calendar}))
	}
	return all
}

// parameterOf describes a variable.
func parameterOf(v *dataset.Variable) any {
	attrs, label := v.Attrs(), v.Name()
	if name, ok := attrs["long_name"].(string); ok {
		label = name
	}
	property := map[string]any{"label": map[string]any{"en": label}}
	if name, ok := attrs["standard_name"].(string); ok {
		property["id"] = "http://vocab.nerc.ac.uk/standard_name/" + name + "/"
	}
	p := map[string]any{"type": "Parameter", "observedProperty": property}
	if units, ok := attrs["units"].(string); ok {
		p["unit"] = map[string]any{"symbol": units}
	}
	return p
}
