package serve_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/zargo-io/zargo/picture"
	"github.com/zargo-io/zargo/serve"
)

// TestTiles compares tiles with pictures of the elements that are nearest to the centers of pixels.
func TestTiles(t *testing.T) {
	url := start(t, serve.Options{}, serve.Dataset{ID: "d", Store: globe(t)}) + "/datasets/d/tiles/"
	inMercator := func(z, px, py int) float64 {
		world := 256 * math.Pow(2, float64(z))
		lon := 360*(float64(px)+0.5)/world - 180
		lat := (2*math.Atan(math.Exp(math.Pi-2*math.Pi*(float64(py)+0.5)/world)) - math.Pi/2) * 180 / math.Pi
		row := int(math.Round((60 - lat) / 60))
		return float64(12 + 4*row + int(math.Round(lon/90)+4)%4)
	}
	inGrid := func(z, px, py int) float64 {
		x, y := px>>z, py>>z // a pixel of level 0 is an element
		if x >= 4 || y >= 3 {
			return math.NaN()
		}
		return float64(12 + 4*y + x)
	}
	for _, tt := range []struct {
		z, x, y int
		query   string
		value   func(z, px, py int) float64
	}{
		{0, 0, 0, "&palette=magma", inMercator},
		{3, 7, 1, "&palette=magma&tms=WebMercatorQuad", inMercator},
		{1, 0, 1, "&palette=magma", inMercator},
		{0, 0, 0, "&palette=magma&tms=grid", inGrid},
		{7, 1, 0, "&palette=magma&tms=grid", inGrid},
	} {
		s := &picture.Slice{Height: 256, Width: 256, Values: make([]float64, 256*256)}
		for i := range s.Values {
			s.Values[i] = tt.value(tt.z, tt.x*256+i%256, tt.y*256+i/256)
		}
		img := must(picture.Render(s, picture.Options{Palette: picture.Magma, Range: picture.Range{Low: 10, High: 30}, Plain: true, Rows: picture.Downward}))
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"var=p&time=2000-03-01", "var=w"} {
			if strings.Contains(tt.query, "grid") && query == "var=w" {
				continue // its elements are turned
			}
			path := fmt.Sprintf("%d/%d/%d?%s&range=10:30%s", tt.z, tt.x, tt.y, query, tt.query)
			got := send(t, "GET", url+path)
			got.expect(t, 200, "Content-Type: image/png")
			if got.body != b.String() {
				t.Errorf("%s: another picture", path)
			}
		}
	}
	for path, status := range map[string]int{
		"0/0/0.png?var=p&sel=time=2000-02-28&range=1:2": 200,
		"0/1/0?var=p&time=2000-02-28&range=1:2":         404,
		"40/0/0?var=p&time=2000-02-28&range=1:2":        404,
		"0/0/-1?var=p&time=2000-02-28&range=1:2":        404,
		"0/0/0?var=p&time=2000-02-28":                   400,
		"0/0/0?var=p&range=1:2":                         400,
		"0/0/0?var=p&time=2000-02-28&range=2%25:98%25":  400,
		"0/0/0?var=m&x=0&range=1:2":                     400,
		"0/0/0?var=m&x=0&range=1:2&tms=grid":            200,
		"0/0/0?var=p&time=2000-02-28&range=1:2&tms=x":   400,
	} {
		send(t, "GET", url+path).expect(t, status)
	}
}
