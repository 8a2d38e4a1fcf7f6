package crs

import "github.com/zargo-io/zargo/zarr/rule"

// Reference is the georeference of an array or group.
type Reference struct {
	CRS      *CRS  // nil if no source has a coordinate reference system
	Grid     *Grid // nil if no source has a grid
	Findings []rule.Finding
}

// CRS is a coordinate reference system. At least one of the fields Code, WKT, PROJJSON and
// GridMapping is set. All of them come from the same source.
type CRS struct {
	// Code is the code of the system. If the source lacks a code, Code is the identifier in WKT or
	// PROJJSON. It is the zero value if neither has an identifier.
	Code Code

	WKT      string         // WKT 1 or WKT 2, unchanged; or ""
	PROJJSON map[string]any // unchanged; or nil

	// GridMapping contains all attributes of the CF grid mapping variable, unchanged; or nil. They
	// may include grid_mapping_name and the parameters of the projection.
	GridMapping map[string]any

	Source Source
	Var    string // name of the grid mapping variable; or ""
}

// Source is the convention that defines a value.
type Source string

// The sources of a coordinate reference system and of a grid.
const (
	FromGridMapping  Source = "grid_mapping"     // CF conventions, section 5.6
	FromSpatialRef   Source = "spatial_ref"      // rioxarray
	FromGDAL         Source = "_CRS"             // GDAL
	FromProj         Source = "proj"             // Zarr convention proj
	FromSpatial      Source = "spatial"          // Zarr convention spatial
	FromGeoTransform Source = "GeoTransform"     // GDAL and rioxarray
	FromCoordinates  Source = "coordinates"      // index coordinates of the array's dimensions
	FromRasterio     Source = "rasterio"         // attributes crs and transform of the array, as xarray wrote them
	FromGroupProj    Source = "proj of group"    // Zarr convention proj in the group above the array
	FromGroupSpatial Source = "spatial of group" // Zarr convention spatial in the group above the array
)

// Name returns a human-readable name of the system: the name in PROJJSON or WKT, else the name in
// the grid mapping variable, else the code.
func (c *CRS) Name() string {
	if name, ok := c.PROJJSON["name"].(string); ok && name != "" {
		return name
	}
	if w := parseWKT(c.WKT); w.name != "" {
		return w.name
	}
	for _, attr := range []string{"projected_crs_name", "geographic_crs_name", "grid_mapping_name"} {
		if name, ok := c.GridMapping[attr].(string); ok && name != "" {
			return name
		}
	}
	return c.Code.String()
}
