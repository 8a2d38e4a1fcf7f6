package drawing

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/zargo-io/zargo/cmd/zargo/internal/coding"
	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/progress"
	"github.com/zargo-io/zargo/cmd/zargo/internal/selection"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/dataset"
	"github.com/zargo-io/zargo/picture"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Picture is the command picture.
type Picture struct {
	URL string `arg:"" name:"url" help:"The array."`
	selection.Flags
	coding.DecodeFlags
	Output   string `short:"o" help:"Write a PNG file, which appears only if the command succeeds; - is standard output. By default the picture is drawn on the terminal." placeholder:"FILE"`
	Format   string `help:"One of ${enum}. auto is png with -o, and otherwise what the terminal can show." enum:"auto,png,halfblocks,sixel,kitty" default:"auto"`
	Palette  string `help:"One of ${enum}." enum:"viridis,magma,inferno,plasma,cividis,coolwarm,gray" default:"viridis"`
	Range    string `help:"The values of the first and the last color, such as -10:10, or as percentiles 2%:98%. The default is the smallest and the largest value." placeholder:"LO:HI"`
	Size     int    `help:"Maximum height and width of the map in pixels. The default is 1024 for a PNG file, and the width of the terminal otherwise." placeholder:"N"`
	NoAxes   bool   `name:"no-axes" help:"Draw only the map."`
	Method   string `help:"How elements become a pixel: ${enum}. box is the mean of all elements that are not missing; nearest reads only one element for each pixel." enum:"box,nearest" default:"box"`
	FirstRow string `name:"first-row" help:"Where the first row of the array is drawn: ${enum}. auto draws north at the top if the rows are latitudes, and otherwise the first row." enum:"auto,top,bottom" default:"auto"`
}

// Run draws a picture of an array.
func (c *Picture) Run(ctx context.Context, s *session.Session) error {
	how, err := c.options()
	if err != nil {
		return err
	}
	if c.Size < 0 {
		return exit.Usagef("--size must not be negative, is %d", c.Size)
	}
	items, err := c.Items()
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		return err
	}
	format, err := c.format(s)
	if err != nil {
		return err
	}
	defer collectOften()()
	p, v, err := openVariable(ctx, s, c.URL, dataset.Options{Raw: c.Raw})
	if err != nil {
		return err
	}
	defer p.Release()
	v, r, err := selectOf(ctx, s, p, v, items)
	if err != nil {
		return p.Fail(err)
	}
	read := picture.ReadOptions{Size: c.Size}
	if c.Method == "nearest" {
		read.Method = picture.Nearest
	} else if err := selection.Dense(ctx, v.Array(), len(r), r); errors.Is(err, fault.Limit) {
		return p.Fail(fault.Newf(fault.Limit, "fewer than 1 in %d chunks of the large selection are stored: select less, or use --method nearest", selection.LeastStored))
	} else if err != nil {
		return p.Fail(err)
	}
	if most := format.size(s.Columns, how.Plain); most > 0 && (c.Size == 0 || c.Size > most) {
		read.Size = most
	}
	if c.Output != "" && c.Output != "-" && read.Method == picture.Box {
		selection.ShowReading(s.Far, v.Array(), r, &s.Report)
	}
	drawn, err := picture.Read(ctx, v, read)
	if err != nil {
		return p.Fail(suggestSel(v, err))
	}
	if v.Name() == "" { // an array at the root of its store has no name
		_, name, _ := session.Split(p.Root)
		drawn.Title = strings.TrimSpace(name + " " + drawn.Title)
	}
	if how.Size = read.Size; how.Size == 0 {
		how.Size = 1024
	}
	how.Plain = how.Plain || format == halfBlocks
	img, err := picture.Render(drawn, how)
	if err != nil {
		return p.Fail(err)
	}
	s.WarnOfMissing(ctx, p, v.Array())
	fill := func(w io.Writer) error {
		if format == halfBlocks && !c.NoAxes {
			return captioned(w, img, drawn, how)
		}
		return format.encode(w, img)
	}
	if c.Output == "" || c.Output == "-" {
		return fill(s.Raw)
	}
	return session.WriteFile(c.Output, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := fill(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// collectOften makes garbage collections more frequent, which keeps the memory of the command below
// 100 MiB. It does not change a lower GOGC. The returned function restores the previous setting.
func collectOften() (restore func()) {
	const percent = 25
	old := debug.SetGCPercent(percent)
	if old < percent {
		debug.SetGCPercent(old)
	}
	return func() { debug.SetGCPercent(old) }
}

// options returns the options of the picture from the flags.
func (c *Picture) options() (picture.Options, error) {
	o := picture.Options{Plain: c.NoAxes, Rows: map[string]picture.Rows{"top": picture.Downward, "bottom": picture.Upward}[c.FirstRow]}
	var err error
	if o.Palette, err = picture.ParsePalette(c.Palette); err != nil {
		return o, err
	}
	o.Range, err = parseRange(c.Range)
	return o, err
}

// parseRange parses --range: two numbers, or two percentiles.
func parseRange(text string) (picture.Range, error) {
	if text == "" {
		return picture.Range{}, nil
	}
	lo, hi, ok := strings.Cut(text, ":")
	r := picture.Range{Percent: strings.HasSuffix(lo, "%")}
	if r.Percent && strings.HasSuffix(hi, "%") {
		lo, hi = lo[:len(lo)-1], hi[:len(hi)-1]
	}
	var err, err2 error
	r.Low, err = strconv.ParseFloat(strings.TrimSpace(lo), 64)
	r.High, err2 = strconv.ParseFloat(strings.TrimSpace(hi), 64)
	if !ok || errors.Join(err, err2) != nil || !(r.Low < r.High) {
		return r, exit.Usagef("--range must be LO:HI with LO below HI, such as -10:10 or 2%%:98%%, is %q", text)
	}
	return r, nil
}

// suggestSel adds an example of --isel to the error for a variable with more than two dimensions.
func suggestSel(v *dataset.Variable, err error) error {
	dims := v.Dims()
	if !errors.Is(err, fault.Selection) || len(dims) <= 2 {
		return err
	}
	var items []string
	for _, d := range dims[:len(dims)-2] {
		items = append(items, d.Name+"=0")
	}
	return fmt.Errorf("%w; for example with --isel %s", err, strings.Join(items, ","))
}

// graphics is the output format of pictures.
type graphics int

const (
	pngFile graphics = iota
	halfBlocks
	sixels
	kitty
)

// format returns the output format that the flags and the terminal determine.
func (c *Picture) format(s *session.Session) (graphics, error) {
	switch c.Format {
	case "halfblocks":
		return halfBlocks, nil
	case "sixel":
		return sixels, nil
	case "kitty":
		return kitty, nil
	}
	switch {
	case c.Output == "" && c.Format == "auto" && s.InPipe:
		return 0, exit.Usagef("standard output is not a terminal: name a file with -o, or set --format")
	case c.Format == "png" || c.Output != "":
		if !s.InPipe && (c.Output == "" || c.Output == "-") {
			return 0, exit.Usagef("a PNG file is not printed on a terminal: name a file with -o")
		}
		return pngFile, nil
	case !progress.CanMove(s.Env("TERM")):
		return 0, exit.Usagef("the terminal cannot show a picture: name a file with -o, or set --format")
	}
	return graphicsOf(s.Env), nil
}

// encode writes a picture in the output format.
func (g graphics) encode(w io.Writer, img *image.Paletted) error {
	switch g {
	case halfBlocks:
		return printBlocks(w, img)
	case sixels:
		return printSixels(w, img)
	case kitty:
		return printKitty(w, img)
	}
	return png.Encode(w, img)
}
