package crs

import "math"

// Affine is an affine transformation with the coefficients a, b, c, d, e, f of
//
//	x = a·col + b·row + c
//	y = d·col + e·row + f
//
// This is the order of rasterio and of spatial:transform.
type Affine [6]float64

// GDALAffine returns the transformation with the coefficients c, a, b, f, d, e, which is the order
// of GDAL and of the attribute GeoTransform.
func GDALAffine(t [6]float64) Affine { return Affine{t[1], t[2], t[0], t[4], t[5], t[3]} }

// GDAL returns the coefficients in the order of GDAL.
func (t Affine) GDAL() [6]float64 { return [6]float64{t[2], t[0], t[1], t[5], t[3], t[4]} }

// Apply returns the coordinate of a position. A fractional position is between elements.
func (t Affine) Apply(col, row float64) (x, y float64) {
	return t[0]*col + t[1]*row + t[2], t[3]*col + t[4]*row + t[5]
}

// Inverse returns the transformation from coordinates to columns and rows. It reports false if t
// maps all elements to one line or point, or if a coefficient is not finite.
func (t Affine) Inverse() (Affine, bool) {
	det := t[0]*t[4] - t[1]*t[3]
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Affine{}, false
	}
	a, b, d, e := t[4]/det, -t[1]/det, -t[3]/det, t[0]/det
	return Affine{a, b, -t[2]*a - t[5]*b, d, e, -t[2]*d - t[5]*e}, true
}

// Resolution returns the distance between neighboring columns and the distance between neighboring
// rows. Neither is negative.
func (t Affine) Resolution() (col, row float64) {
	return math.Hypot(t[0], t[3]), math.Hypot(t[1], t[4])
}
