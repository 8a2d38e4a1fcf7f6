package picture

import (
	_ "embed" // for palettes.txt
	"encoding/hex"
	"fmt"
	"image/color"
	"strings"

	"github.com/zargo-io/zargo/zarr/fault"
)

// Palette identifies a sequence of 256 colors for values in ascending order. The zero value is
// Viridis.
type Palette uint8

// The palettes. The colors of all palettes except Gray and Coolwarm are those of matplotlib.
const (
	Viridis  Palette = iota // dark blue, green, yellow
	Magma                   // black, purple, light yellow
	Inferno                 // black, red, yellow
	Plasma                  // blue, pink, yellow
	Cividis                 // blue, gray, yellow; suitable for red-green color blindness
	Coolwarm                // blue, white, red; a diverging palette
	Gray                    // black, white
)

//go:embed palettes.txt
var tables string

// palettes returns the name and the color table of each palette, in the order of the constants.
func palettes() (all [][2]string) {
	for line := range strings.Lines(tables) {
		if name, table, ok := strings.Cut(line, " "); ok && name[0] != '#' {
			all = append(all, [2]string{name, table})
		}
	}
	return all
}

// Palettes returns the names of all palettes.
func Palettes() []string {
	var names []string
	for _, p := range palettes() {
		names = append(names, p[0])
	}
	return names
}

// ParsePalette returns the palette with a name. For an unknown name it returns fault.Selection, and
// the message lists the known names.
func ParsePalette(name string) (Palette, error) {
	for i, p := range palettes() {
		if p[0] == name {
			return Palette(i), nil
		}
	}
	return 0, fault.Newf(fault.Selection, "the palette must be one of %q, is %q", Palettes(), name)
}

// String returns the name of the palette.
func (p Palette) String() string {
	if all := palettes(); int(p) < len(all) {
		return all[p][0]
	}
	return fmt.Sprintf("Palette(%d)", uint8(p))
}

// Diverging reports whether the middle color of the palette marks a reference value, such as 0.
func (p Palette) Diverging() bool { return p == Coolwarm }

// Colors returns the 256 colors. An unknown palette has the colors of Viridis.
func (p Palette) Colors() [256]color.NRGBA {
	all := palettes()
	if int(p) >= len(all) {
		p = Viridis
	}
	var out [256]color.NRGBA
	for i := range out {
		b, err := hex.DecodeString(all[p][1][6*i : 6*i+6])
		if err != nil {
			panic(err) // the generated table is malformed
		}
		out[i] = color.NRGBA{b[0], b[1], b[2], 255}
	}
	return out
}
