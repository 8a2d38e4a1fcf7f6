package drawing

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
)

// TestPictureBlocks compares four pixels with their characters. One pixel is transparent.
func TestPictureBlocks(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 3, 3), color.Palette{color.NRGBA{}, color.NRGBA{1, 2, 3, 255}, color.NRGBA{4, 5, 6, 255}})
	copy(img.Pix, []uint8{1, 0, 1, 2, 2, 0, 0, 1, 1})
	var b strings.Builder
	if err := printBlocks(&b, img); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[0;38;2;1;2;3;48;2;4;5;6m▀\x1b[0;38;2;4;5;6m▄\x1b[0;38;2;1;2;3m▀\x1b[0m\n" +
		"\x1b[0m \x1b[0;38;2;1;2;3m▀▀\x1b[0m\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestPictureFormat(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want graphics
	}{
		{"xterm", map[string]string{"TERM": "xterm-256color"}, halfBlocks},
		{"kitty", map[string]string{"TERM": "xterm-kitty"}, kitty},
		{"kitty by window", map[string]string{"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, kitty},
		{"kitty in tmux", map[string]string{"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, halfBlocks},
		{"foot", map[string]string{"TERM": "foot-extra"}, sixels},
		{"WezTerm", map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, sixels},
		{"WezTerm in screen", map[string]string{"TERM": "screen", "TERM_PROGRAM": "WezTerm"}, halfBlocks},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &session.Session{Env: func(name string) string { return tt.env[name] }}
			if got, err := (&Picture{Format: "auto"}).format(s); err != nil || got != tt.want {
				t.Errorf("%v, %v; want %v", got, err, tt.want)
			}
			if got, err := (&Picture{Format: "auto", Output: "map.png"}).format(s); err != nil || got != pngFile {
				t.Errorf("with -o: %v, %v", got, err)
			}
		})
	}
	dumb := &session.Session{Env: func(string) string { return "dumb" }}
	for _, c := range []Picture{{Format: "auto"}, {Format: "png"}, {Format: "auto", Output: "-"}} {
		if _, err := c.format(dumb); exit.Code(err) != 2 {
			t.Errorf("%+v on a dumb terminal: %v", c, err)
		}
	}
}
