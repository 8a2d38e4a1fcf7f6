package picture

import (
	"image"
	"image/color"
	"math"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Options configures [Render]. The zero value draws the map with axes, a title and a color bar. The
// colors are those of Viridis, from the smallest to the largest value.
type Options struct {
	Palette Palette
	// Range is the range of the colors. The default is from the smallest to the largest value. With
	// a diverging palette, Render extends a default or percentile range that contains 0, so that 0
	// has the middle color.
	Range Range
	// Plain draws only the map, without axes, color bar and title.
	Plain bool
	// Size is the height and width in pixels to which Render enlarges a small map. The factor is an
	// integer. The default, 0, draws one pixel for each value.
	Size int
	// Rows determines whether the first row of values is at the top of the map.
	Rows Rows
}

// Rows is the order of the rows of a map.
type Rows uint8

// The orders.
const (
	NorthUp  Rows = iota // like Upward if the rows are increasing latitudes, otherwise like Downward
	Downward             // the first row is at the top
	Upward               // the first row is at the bottom
)

// Render draws a slice. Missing values are transparent. Values outside the range, including
// infinities, have the first or the last color. The image has at most 256 colors, including 240
// colors of the palette.
//
// Render returns fault.Selection if the slice is empty, the number of values is not Height × Width,
// or the range is invalid. It returns fault.Limit if Size is negative or exceeds 16384, or if the
// map has more than 2²⁸ pixels.
func Render(s *Slice, o Options) (*image.Paletted, error) {
	if s.Height < 1 || s.Width < 1 {
		return nil, fault.Newf(fault.Selection, "a picture needs values, the slice has the shape %d × %d", s.Height, s.Width)
	}
	if s.Height > math.MaxInt32 || s.Width > math.MaxInt32 || int64(s.Height)*int64(s.Width) != int64(len(s.Values)) {
		return nil, fault.Newf(fault.Selection, "the slice has %d values, want %d × %d", len(s.Values), s.Height, s.Width)
	}
	if o.Size < 0 || o.Size > maxSize {
		return nil, fault.Newf(fault.Limit, "the size of a picture must be between 0 and %d, is %d", maxSize, o.Size)
	}
	low, high, ok, err := Limits(s, o)
	if err != nil {
		return nil, err
	}
	m := mapOf(s, o)
	if n := int64(m.height) * int64(m.width); n > 1<<28 {
		return nil, fault.Newf(fault.Limit, "a picture of %d × %d pixels is too large", m.height, m.width)
	}
	if o.Plain {
		img := image.NewPaletted(image.Rect(0, 0, m.width, m.height), m.colors)
		m.paint(img, image.Point{}, low, high)
		return img, nil
	}
	return m.decorated(low, high, ok), nil
}

// Limits returns the values of the first and the last color of a picture. It reports false if they
// depend on the values of the slice and no value is finite. It returns fault.Selection if the range
// is invalid.
func Limits(s *Slice, o Options) (low, high float64, ok bool, err error) {
	return o.Range.of(s.Values, o.Palette)
}

// chart is a map with its size and colors.
type chart struct {
	*Slice
	y, x          Axis // the rows from top to bottom, and the columns
	up            bool // the first row of values is at the bottom
	sy, sx        int  // height and width of a value in pixels
	height, width int
	colors        color.Palette
}

func mapOf(s *Slice, o Options) chart {
	m := chart{Slice: s, y: s.Y.shown(s.Height), x: s.X.shown(s.Width), up: o.Rows == Upward}
	if !m.y.sorted(s.Height) { // it has labels
		m.y.Coords = positions(s.Height)
	} else if o.Rows == NorthUp && m.y.latitude() && s.Height > 1 {
		m.up = m.y.Coords[s.Height-1] > m.y.Coords[0]
	}
	if m.up {
		m.y = m.y.reversed()
	}
	m.sy = max(o.Size/max(s.Height, s.Width), 1)
	m.sx = m.sy
	// Enlarge a thin map more along its shorter side.
	m.sy = max(m.sy, o.Size/thinnest/s.Height)
	m.sx = max(m.sx, o.Size/thinnest/s.Width)
	m.height, m.width = s.Height*m.sy, s.Width*m.sx
	m.colors = make(color.Palette, 0, 256)
	m.colors = append(m.colors, color.NRGBA{})
	for i := range black {
		g := uint8(255 - 255*i/(black-white))
		m.colors = append(m.colors, color.NRGBA{g, g, g, 255})
	}
	all := o.Palette.Colors()
	for i := range colors {
		m.colors = append(m.colors, all[(2*i+1)*len(all)/(2*colors)])
	}
	return m
}

// level returns the color of a value.
func level(v, low, high float64) uint8 {
	if math.IsNaN(v) {
		return transparent
	}
	return levels + uint8(min(int(fraction(v, low, high)*colors), colors-1))
}

// paint draws the map with its upper left corner at the point at.
func (m chart) paint(img *image.Paletted, at image.Point, low, high float64) {
	for y := range m.Height {
		row := y
		if m.up {
			row = m.Height - 1 - y
		}
		first := img.Pix[img.PixOffset(at.X, at.Y+y*m.sy):][:m.width]
		for x, v := range m.Values[row*m.Width:][:m.Width] {
			c := level(v, low, high)
			for i := range m.sx {
				first[x*m.sx+i] = c
			}
		}
		for i := 1; i < m.sy; i++ {
			copy(img.Pix[img.PixOffset(at.X, at.Y+y*m.sy+i):][:m.width], first)
		}
	}
}
