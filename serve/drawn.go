package serve

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/concurrency"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/picture"
)

// pictureParams are the parameters of a picture, which have the names of the flags of the command.
var pictureParams = []string{"palette", "range", "size", "method", "axes", "first-row"}

// maxSize is the maximum height and width of a picture. Its values take 32 MiB.
const maxSize = 2048

// sendPicture responds with a picture of one variable, as PNG.
func (c *call) sendPicture(s *selected) error {
	v, err := s.one()
	if err != nil {
		return err
	}
	read, draw, err := s.picture()
	if err != nil {
		return err
	}
	if err := c.o.Limits.admitPlan(picture.Plan(v, read)); err != nil {
		return err
	}
	return c.sendDrawn(v, read, draw)
}

// sendDrawn responds with the picture of a variable.
func (c *call) sendDrawn(v *dataset.Variable, read picture.ReadOptions, draw picture.Options) error {
	// The values, the image and the compressed image. Reads take memory of the other half of the
	// process's budget.
	values, size := int64(1), int64(read.Size)
	for _, d := range v.Dims() { // all but two have length 1
		values = min(values*min(int64(d.Len), size), size*size)
	}
	hold, err := c.o.Memory.Acquire(c.ctx(), concurrency.Block, values*8+size*size*2)
	if err != nil {
		return err
	}
	defer hold.Release()
	drawn, err := picture.Read(c.ctx(), v, read)
	if err != nil {
		return err
	}
	if low, high, ok, _ := picture.Limits(drawn, draw); ok { // Render returns the error
		draw.Range = picture.Range{Low: low, High: high}
		c.w.Header().Set("Zargo-Range", fmt.Sprint(low, ":", high))
	}
	return c.sendImage(drawn, draw)
}

// sendImage responds with values as PNG.
func (c *call) sendImage(s *picture.Slice, o picture.Options) error {
	img, err := picture.Render(s, o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	return c.send("image/png", b.Bytes())
}

// picture returns the options of a picture.
func (s *selected) picture() (picture.ReadOptions, picture.Options, error) {
	read, draw := picture.ReadOptions{Size: 1024}, picture.Options{}
	for name, texts := range s.params {
		text, ok := texts[0], true
		switch name {
		case "palette":
			var err error
			draw.Palette, err = picture.ParsePalette(text)
			ok = err == nil
		case "range":
			draw.Range, ok = parseRange(text)
		case "size":
			n, err := strconv.Atoi(text)
			read.Size, ok = n, err == nil && n >= 1 && n <= maxSize
		case "method":
			if ok = text == "box" || text == "nearest"; text == "nearest" {
				read.Method = picture.Nearest
			}
		case "axes":
			draw.Plain, ok = text == "no", text == "yes" || text == "no"
		case "first-row":
			draw.Rows, ok = map[string]picture.Rows{"top": picture.Downward, "bottom": picture.Upward}[text]
			ok = ok || text == "auto"
		}
		if !ok {
			return read, draw, refuse(http.StatusBadRequest, "the parameter %s cannot be %q", name, text)
		}
	}
	draw.Size = read.Size
	return read, draw, nil
}

// parseRange parses two numbers, such as -10:10, or two percentiles, such as 2%:98%.
func parseRange(text string) (picture.Range, bool) {
	lo, hi, ok := strings.Cut(text, ":")
	r := picture.Range{Percent: strings.HasSuffix(lo, "%")}
	if r.Percent && strings.HasSuffix(hi, "%") {
		lo, hi = lo[:len(lo)-1], hi[:len(hi)-1]
	}
	var err, err2 error
	r.Low, err = strconv.ParseFloat(strings.TrimSpace(lo), 64)
	r.High, err2 = strconv.ParseFloat(strings.TrimSpace(hi), 64)
	return r, ok && err == nil && err2 == nil && r.Low < r.High
}
