package picture

import (
	"image"
	"math"
)

// Distances and lengths of the parts of a picture, in pixels.
const (
	border   = 8  // between the edge of the picture and its parts
	tickLen  = 5  // length of a tick
	gap      = 4  // between a tick and its label
	barGap   = 16 // between the map and the color bar
	barWidth = 16
	spacingX = 80 // minimum between the ticks of the columns
	spacingY = 40 // minimum between the ticks of the rows and of the color bar
)

// decorated draws the map with axes and a title. If bar is true, it also draws a color bar.
func (m chart) decorated(low, high float64, bar bool) *image.Paletted {
	yTicks, xTicks := m.y.ticks(m.Height, m.sy, spacingY, false), m.x.ticks(m.Width, m.sx, spacingX, true)
	yName, xName := m.y.title(m.height), m.x.title(m.width)
	top := border + border/2
	if m.Title != "" {
		top += line
	}
	left := border + longest(yTicks)*advance + gap + tickLen
	if len(yName) > 0 {
		left += line + gap
	}
	bottom := tickLen + line + border
	if len(xName) > 0 {
		bottom += line
	}
	right := border
	barHeight := max(m.height, 60) // the bar may be higher than the map
	var barTicks []tick
	if bar {
		barTicks = scaleTicks(low, high, barHeight)
		right += barGap + barWidth + tickLen + gap + longest(barTicks)*advance
	}
	// The first and last labels of the columns may extend beyond the map.
	if n := len(xTicks); n > 0 {
		last := xTicks[n-1]
		right = max(right, last.at+len(short(last.label, maxLabel))*advance/2-m.width+border)
		left = max(left, len(short(xTicks[0].label, maxLabel))*advance/2-xTicks[0].at+border)
	}
	height := max(m.height, barHeightIf(bar, barHeight))
	img := image.NewPaletted(image.Rect(0, 0, left+m.width+right, top+height+bottom), m.colors)
	fill(img, img.Rect, white)
	area := image.Rect(left, top, left+m.width, top+m.height)
	title := short(m.Title, max((img.Rect.Dx()-2*border)/advance, 1))
	write(img, max(left+(m.width-len(title)*advance)/2, border), border, title)
	frame(img, area)
	m.paint(img, area.Min, low, high)
	for _, t := range yTicks {
		fill(img, image.Rect(left-1-tickLen, top+t.at, left-1, top+t.at+1), black)
		text := short(t.label, maxLabel)
		write(img, left-1-tickLen-gap-len(text)*advance, top+t.at-line/2, text)
	}
	for _, t := range xTicks {
		fill(img, image.Rect(left+t.at, area.Max.Y+1, left+t.at+1, area.Max.Y+1+tickLen), black)
		text := short(t.label, maxLabel)
		write(img, left+t.at-len(text)*advance/2, area.Max.Y+1+tickLen, text)
	}
	writeUp(img, border, top+(m.height+len(yName)*advance)/2, yName)
	write(img, left+(m.width-len(xName)*advance)/2, area.Max.Y+tickLen+line, xName)
	if bar {
		r := image.Rect(0, 0, barWidth, barHeight).Add(image.Pt(area.Max.X+barGap, top))
		m.bar(img, r, barTicks)
	}
	return img
}

func barHeightIf(bar bool, height int) int {
	if bar {
		return height
	}
	return 0
}

// title returns the name and the units of an axis, shortened to a length in pixels. It omits the
// units of latitudes and longitudes, because their labels contain degrees.
func (a Axis) title(pixels int) []rune {
	s := a.Name
	if a.Units != "" && !a.latitude() && !a.longitude() && len(a.Labels) == 0 {
		s += " (" + a.Units + ")"
	}
	return short(s, max(pixels/advance, 1))
}

// longest returns the number of characters of the longest label.
func longest(ticks []tick) int {
	n := 0
	for _, t := range ticks {
		n = max(n, len(short(t.label, maxLabel)))
	}
	return n
}

// scaleTicks returns the ticks of a color bar. Their positions start at the top of the bar.
func scaleTicks(low, high float64, height int) []tick {
	var out []tick
	span := high - low
	if !finite(span) {
		return nil
	}
	by := step(span, max(height/spacingY, 1), false)
	rounds(low, high, by, func(v float64) {
		f := fraction(v, low, high)
		out = append(out, tick{min(int(math.Round((1-f)*float64(height))), height-1), number(v, by)})
	})
	return out
}

// bar draws the color bar in a rectangle.
func (m chart) bar(img *image.Paletted, r image.Rectangle, ticks []tick) {
	frame(img, r)
	for y := range r.Dy() {
		c := levels + uint8((r.Dy()-1-y)*colors/r.Dy())
		fill(img, image.Rect(r.Min.X, r.Min.Y+y, r.Max.X, r.Min.Y+y+1), c)
	}
	for _, t := range ticks {
		y := r.Min.Y + t.at
		fill(img, image.Rect(r.Max.X+1, y, r.Max.X+1+tickLen, y+1), black)
		write(img, r.Max.X+1+tickLen+gap, y-line/2, short(t.label, maxLabel))
	}
}
