package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/cmd/zargo/internal/drawing"
	"github.com/zargo-io/zargo/picture"
)

// weather returns the URL of a dataset that xarray wrote.
func weather(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../picture/testdata/weather.zip")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	return path + "|zip:"
}

// TestPictureFile compares the picture of the command with the golden picture of package picture.
func TestPictureFile(t *testing.T) {
	p, want := newProgram(), readPNG(t, "../../picture/testdata/map.png")
	url := weather(t)
	do(t, p, "picture "+url+"sst --size 600 -o map.png")
	if got := readPNG(t, "map.png"); !samePixels(got, want) {
		t.Error("the file differs")
	}
	img, err := png.Decode(strings.NewReader(do(t, p, "picture "+url+"sst --size 600 -o -")))
	if err != nil || !samePixels(img, want) {
		t.Errorf("standard output differs, %v", err)
	}
	if _, ok := img.(*image.Paletted); !ok {
		t.Errorf("the image is a %T", img)
	}
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	do(t, p, "picture "+url+"anomaly --isel time=1 --palette coolwarm --range -10:9.97 --no-axes --size 90 -o plain.png")
	if r := readPNG(t, "plain.png").Bounds(); r.Dx() != 90 || r.Dy() != 45 {
		t.Errorf("the map without axes has %v", r)
	}
	if now := debug.SetGCPercent(100); now != 100 {
		t.Errorf("GOGC is %d", now)
	}
}

func readPNG(t *testing.T, name string) image.Image {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func samePixels(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			if color.NRGBAModel.Convert(a.At(x, y)) != color.NRGBAModel.Convert(b.At(x, y)) {
				return false
			}
		}
	}
	return true
}

func TestPictureKitty(t *testing.T) {
	url := weather(t)
	out := do(t, newProgram(), "picture "+url+"sst --format kitty")
	var data string
	parts := regexp.MustCompile("\x1b_G(a=T,f=100,)?m=([01]);([^\x1b]*)\x1b\\\\").FindAllStringSubmatch(out, -1)
	for i, part := range parts {
		if first, last := part[1] != "", part[2] == "0"; first != (i == 0) || last != (i == len(parts)-1) || len(part[3]) > 4096 {
			t.Errorf("part %d of %d: %.30q, %d bytes", i, len(parts), part[0], len(part[3]))
		}
		data += part[3]
	}
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil || len(parts) < 2 {
		t.Fatal(len(parts), err)
	}
	if w := img.Bounds().Dx(); w < 400 || w > 640 {
		t.Errorf("the picture has %d columns of pixels, on a terminal of 640", w)
	}
}

func TestPictureSixel(t *testing.T) {
	url := weather(t)
	out := do(t, newProgram(), "picture "+url+"sst --no-axes --size 180 --format sixel")
	if !strings.HasPrefix(out, "\x1bP0;0;8q\"1;1;180;90#") || !strings.HasSuffix(out, "\x1b\\\n") {
		t.Errorf("%.40q … %q", out, out[len(out)-10:])
	}
}

func TestPictureCaptioned(t *testing.T) {
	url := weather(t)
	lines := strings.Split(do(t, newProgram(), "picture "+url+"sst --format halfblocks"), "\n")
	if len(lines) != 23 || lines[0] != "sst (°C)" || strings.Count(lines[1], "▀")+strings.Count(lines[1], " ")+strings.Count(lines[1], "▄") != 80 {
		t.Errorf("%d lines, first %q", len(lines), lines[:2])
	}
}

func TestPicturePalettes(t *testing.T) {
	f, _ := reflect.TypeFor[drawing.Picture]().FieldByName("Palette")
	if got, want := f.Tag.Get("enum"), strings.Join(picture.Palettes(), ","); got != want {
		t.Errorf("--palette permits %s, want %s", got, want)
	}
}

// TestPictureNameless checks that the lengths of arrays without dimension names, which may differ
// within a group, lead to no warning.
func TestPictureNameless(t *testing.T) {
	p := newProgram()
	do(t, p, "create mem://g --group")
	do(t, p, "create mem://g/a --shape 4,5 --dtype int8")
	do(t, p, "create mem://g/b --shape 6,7 --dtype int8")
	r := zargo(t, p, "picture mem://g/b --format png -o -")
	if r.code != 0 || r.err != "" {
		t.Errorf("exit %d: %s", r.code, r.err)
	}
}
