package picture

import (
	"image"
	"strings"

	"golang.org/x/image/font/inconsolata"
)

// draw calls set for each pixel of text that is not white.
func draw(text []rune, set func(dx, dy int, shade uint8)) {
	face := inconsolata.Regular8x16
	for i, r := range text {
		offset := -1
		for _, g := range face.Ranges {
			if g.Low <= r && r < g.High {
				offset = int(r-g.Low) + g.Offset
			}
		}
		if offset < 0 {
			continue
		}
		for y := range face.Ascent + face.Descent {
			for x := range face.Width {
				_, _, _, alpha := face.Mask.At(x, offset*(face.Ascent+face.Descent)+y).RGBA()
				if shade := white + uint8(alpha*(black-white)/0xffff); shade > white {
					set(i*advance+face.Left+x, y, shade)
				}
			}
		}
	}
}

// Dimensions of the font in pixels. The font is Inconsolata with 8 × 16 pixels; its glyphs are
// grayscale.
const (
	advance = 8  // width of a character
	ascent  = 14 // height above the baseline
	line    = 17 // height of a line
)

// maxLabel is the maximum number of characters of a tick's label.
const maxLabel = 24

// Indices of colors in a picture.
const (
	transparent = 0
	white       = 1
	black       = 15 // the colors between white and black are gray
	levels      = 16 // first color of the palette
	colors      = 256 - levels
)

// fill sets the pixels of a rectangle to a color.
func fill(img *image.Paletted, r image.Rectangle, index uint8) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.Min.X, y):][:r.Dx()]
		for i := range row {
			row[i] = index
		}
	}
}

// frame draws a line of one pixel around a rectangle.
func frame(img *image.Paletted, r image.Rectangle) {
	out := r.Inset(-1)
	fill(img, image.Rect(out.Min.X, out.Min.Y, out.Max.X, r.Min.Y), black)
	fill(img, image.Rect(out.Min.X, r.Max.Y, out.Max.X, out.Max.Y), black)
	fill(img, image.Rect(out.Min.X, out.Min.Y, r.Min.X, out.Max.Y), black)
	fill(img, image.Rect(r.Max.X, out.Min.Y, out.Max.X, out.Max.Y), black)
}

// short truncates a string to n characters, and replaces characters that the font lacks.
func short(s string, n int) []rune {
	var out []rune
	for _, r := range s {
		if len(out) == n {
			out[n-1] = '…'
			break
		}
		if r < ' ' || r == 0x7f || r > 0x2423 {
			r = '?'
		}
		out = append(out, r)
	}
	return []rune(strings.TrimSpace(string(out)))
}

// write draws text with its upper left corner at x, y.
func write(img *image.Paletted, x, y int, text []rune) {
	draw(text, func(dx, dy int, shade uint8) { shadeAt(img, x+dx, y+dy, shade) })
}

func shadeAt(img *image.Paletted, x, y int, shade uint8) {
	if (image.Point{X: x, Y: y}).In(img.Rect) {
		img.SetColorIndex(x, y, max(shade, img.ColorIndexAt(x, y)))
	}
}

// writeUp draws text rotated by 90° counterclockwise, with its lower left corner at x, y.
func writeUp(img *image.Paletted, x, y int, text []rune) {
	draw(text, func(dx, dy int, shade uint8) { shadeAt(img, x+dy, y-dx, shade) })
}
