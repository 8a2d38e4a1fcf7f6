package drawing

import (
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"

	"github.com/mattn/go-sixel"

	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/picture"
)

// graphicsOf returns the output format that a terminal supports. It examines the environment
// variables that terminals set, and does not query the terminal. Inside tmux and screen it returns
// half blocks, because these programs may not forward graphics to the terminal.
func graphicsOf(env func(string) string) graphics {
	term, program := env("TERM"), env("TERM_PROGRAM")
	begins := func(all ...string) bool {
		for _, name := range all {
			if strings.HasPrefix(term, name) {
				return true
			}
		}
		return false
	}
	switch {
	case env("TMUX") != "" || env("STY") != "" || begins("tmux", "screen"):
		return halfBlocks
	case env("KITTY_WINDOW_ID") != "" || begins("xterm-kitty", "xterm-ghostty") || program == "ghostty":
		return kitty
	case begins("foot", "mlterm", "contour", "yaft") || strings.Contains(term, "sixel"):
		return sixels
	case program == "WezTerm" || program == "iTerm.app" || program == "mintty":
		return sixels
	}
	return halfBlocks
}

const (
	// columnPixels is the assumed width of a column of a terminal in pixels.
	columnPixels = 8
	// besideMap is the approximate width of the labels and the color bar beside a map, in pixels.
	besideMap = 160
	// leastMap is the minimum size of a map on a terminal, in pixels.
	leastMap = 64
)

// size returns the maximum size of a map in pixels for a terminal of the given number of columns,
// or 0 if the size is not limited.
func (g graphics) size(columns int, plain bool) int {
	switch {
	case g == pngFile:
		return 0
	case g == halfBlocks:
		return columns
	case plain:
		return columns * columnPixels
	}
	return max(columns*columnPixels-besideMap, leastMap)
}

// captioned prints the title, a map in half blocks and a color bar.
func captioned(w io.Writer, img *image.Paletted, s *picture.Slice, o picture.Options) error {
	if _, err := fmt.Fprintln(w, render.OneLine(s.Title)); err != nil {
		return err
	}
	if err := printBlocks(w, img); err != nil {
		return err
	}
	low, high, ok, err := picture.Limits(s, o)
	if err != nil || !ok {
		return err
	}
	var b strings.Builder
	all := o.Palette.Colors()
	const cells = 32
	for i := range cells {
		c := all[i*(len(all)-1)/(cells-1)]
		fmt.Fprintf(&b, "\x1b[48;2;%d;%d;%dm ", c.R, c.G, c.B)
	}
	_, err = fmt.Fprintf(w, "%.6g %s\x1b[0m %.6g\n", low, b.String(), high)
	return err
}

// printBlocks prints a picture as lines of half blocks. Each character shows two pixels, one above
// the other.
func printBlocks(w io.Writer, img *image.Paletted) error {
	r := img.Bounds()
	at := func(x, y int) (color.NRGBA, bool) {
		if y >= r.Max.Y {
			return color.NRGBA{}, false
		}
		c, _ := img.At(x, y).(color.NRGBA)
		return c, c.A > 0
	}
	for y := r.Min.Y; y < r.Max.Y; y += 2 {
		var b strings.Builder
		last := "" // the colors of the previous character
		for x := r.Min.X; x < r.Max.X; x++ {
			top, above := at(x, y)
			low, below := at(x, y+1)
			cell, now := "▀", fmt.Sprintf("\x1b[0;38;2;%d;%d;%d;48;2;%d;%d;%dm", top.R, top.G, top.B, low.R, low.G, low.B)
			switch {
			case !above && !below:
				cell, now = " ", "\x1b[0m"
			case !above:
				cell, now = "▄", fmt.Sprintf("\x1b[0;38;2;%d;%d;%dm", low.R, low.G, low.B)
			case !below:
				now = fmt.Sprintf("\x1b[0;38;2;%d;%d;%dm", top.R, top.G, top.B)
			}
			if now != last {
				b.WriteString(now)
			}
			last = now
			b.WriteString(cell)
		}
		if _, err := fmt.Fprintf(w, "%s\x1b[0m\n", b.String()); err != nil {
			return err
		}
	}
	return nil
}

// printSixels prints a picture in the sixel format.
func printSixels(w io.Writer, img *image.Paletted) error {
	if err := sixel.NewEncoder(w).Encode(img); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// kittyPart is the maximum payload in bytes of an escape sequence of the kitty graphics protocol.
const kittyPart = 4096

// printKitty prints a picture by the kitty graphics protocol. It divides the base64 encoding of a
// PNG file into parts.
func printKitty(w io.Writer, img *image.Paletted) error {
	var b strings.Builder
	enc := base64.NewEncoder(base64.StdEncoding, &b)
	if err := png.Encode(enc, img); err != nil {
		return err
	}
	if err := enc.Close(); err != nil {
		return err
	}
	text, keys := b.String(), "a=T,f=100,"
	for {
		part := text[:min(len(text), kittyPart)]
		text = text[len(part):]
		more := 0
		if text != "" {
			more = 1
		}
		if _, err := fmt.Fprintf(w, "\x1b_G%sm=%d;%s\x1b\\", keys, more, part); err != nil {
			return err
		}
		if keys = ""; more == 0 {
			break
		}
	}
	_, err := io.WriteString(w, "\n")
	return err
}
