package crs

import (
	"math"

	"github.com/zargo-io/zargo/internal/attributes/convention"
)

// proj reads the convention proj, and proj:epsg of STAC, which GDAL reads too. It returns nil if
// the attributes do not describe a coordinate reference system.
func proj(attrs map[string]any, from Source, f *convention.Findings) *CRS {
	c := &CRS{Source: from}
	at := convention.Pointer("proj:code")
	c.setCode(at, f.String(at, attrs["proj:code"]), f)
	at = convention.Pointer("proj:epsg")
	if v := attrs["proj:epsg"]; v != nil {
		if n, ok := convention.Number(v); ok && n == math.Trunc(n) && n > 0 && n < 1<<31 {
			c.setID(at, Code{"EPSG", convention.Whole(n)}, f)
		} else {
			f.Add(at, "must be a positive whole number, is %s", convention.Kind(v))
		}
	}
	at = convention.Pointer("proj:wkt2")
	c.setWKT(at, f.String(at, attrs["proj:wkt2"]), f)
	at = convention.Pointer("proj:projjson")
	c.setPROJJSON(at, f.Object(at, attrs["proj:projjson"]), f)
	return c.known()
}

// projAttrs contains the names of the attributes of the convention proj.
var projAttrs = [...]string{"proj:code", "proj:wkt2", "proj:projjson"}

// gdal reads the attribute _CRS of GDAL: an object with the members url, wkt and projjson. GDAL
// uses the first one of these that is present. gdal returns nil if no member describes a coordinate
// reference system.
func gdal(attrs map[string]any, f *convention.Findings) *CRS {
	m := f.Object(convention.Pointer("_CRS"), attrs["_CRS"])
	if m == nil {
		return nil
	}
	c := &CRS{Source: FromGDAL}
	at := convention.Pointer("_CRS", "url")
	c.setCode(at, f.String(at, m["url"]), f)
	at = convention.Pointer("_CRS", "wkt")
	c.setWKT(at, f.String(at, m["wkt"]), f)
	at = convention.Pointer("_CRS", "projjson")
	c.setPROJJSON(at, f.Object(at, m["projjson"]), f)
	if c.known() == nil {
		f.Add(convention.Pointer("_CRS"), "must have a url, wkt or projjson that describes a coordinate reference system")
	}
	return c.known()
}

// known returns c if it describes a system, and nil otherwise.
func (c *CRS) known() *CRS {
	if c.Code == (Code{}) && c.WKT == "" && c.PROJJSON == nil && c.GridMapping == nil {
		return nil
	}
	return c
}

// setCode parses the code in an attribute and sets it.
func (c *CRS) setCode(pointer, text string, f *convention.Findings) {
	if text == "" {
		return
	}
	code, err := ParseCode(text)
	if err != nil {
		f.Add(pointer, "%v", err)
		return
	}
	c.setID(pointer, code, f)
}

// setID sets the code. If an earlier attribute of the source has set another code, setID reports
// the difference instead.
func (c *CRS) setID(pointer string, code Code, f *convention.Findings) {
	switch {
	case code == Code{}:
	case c.Code == Code{}:
		c.Code = code
	case c.Code != code:
		f.Add(pointer, "has the code %s, and another attribute of %s has %s, which is used", code, c.Source, c.Code)
	}
}

// setWKT sets the WKT and its code.
func (c *CRS) setWKT(pointer, text string, f *convention.Findings) {
	if text == "" {
		return
	}
	w := parseWKT(text)
	if w.name == "" || !w.balanced {
		f.Add(pointer, "must be WKT, which has the form KEYWORD[\"name\",…], is %s", convention.Kind(text))
		return
	}
	c.WKT = text
	c.setID(pointer, w.code, f)
}

// setPROJJSON sets the PROJJSON and the code in its member id or, if id is absent, in the first
// element of ids.
func (c *CRS) setPROJJSON(pointer string, m map[string]any, f *convention.Findings) {
	if m == nil {
		return
	}
	if _, ok := m["type"].(string); !ok {
		f.Add(pointer+"/type", "must be the type of the system, is %s", convention.Kind(m["type"]))
		return
	}
	c.PROJJSON = m
	id, _ := m["id"].(map[string]any)
	if id == nil {
		if list, _ := m["ids"].([]any); len(list) > 0 {
			id, _ = list[0].(map[string]any)
		}
	}
	authority, _ := id["authority"].(string)
	if value := idText(id["code"]); authority != "" && value != "" {
		c.setCode(pointer+"/id", authority+":"+value, f)
	}
}

// idText returns the code of an identifier as text. The stored code is a number or a string.
func idText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if n, ok := convention.Number(v); ok && n >= 0 && n < 1<<31 {
		return convention.Whole(n)
	}
	return ""
}
