package crs

import (
	"strings"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// rasterio reads the attributes crs and transform of an array, which xarray wrote for rasterio.
// rioxarray reads them if no convention applies. Other writers use these names for other values, so
// unknown values have no findings.
func (r *reader) rasterio() {
	n := r.node
	if !n.Array {
		return
	}
	if text, ok := n.Attrs["crs"].(string); ok && len(r.systems) == 0 {
		var ignored convention.Findings
		c := &CRS{Source: FromRasterio}
		low := strings.ToLower(strings.TrimSpace(text))
		if rest, ok := strings.CutPrefix(low, "+init="); ok {
			text = rest
		}
		if code, err := ParseCode(text); err == nil {
			c.Code = code
		} else {
			c.setWKT("", text, &ignored)
		}
		r.system(c.known())
	}
	var ignored convention.Findings
	t := ignored.Numbers("", n.Attrs["transform"], -1)
	if len(t) != 6 && len(t) != 9 || len(r.grids) > 0 {
		return
	}
	g := &Grid{Source: FromRasterio, Registration: PixelRegistration, Type: "affine"}
	g.setTransform("", Affine(t[:6]), &ignored)
	if g.Transform != (Affine{}) {
		r.shape(g, &ignored)
		r.grid(g, false)
	}
}
