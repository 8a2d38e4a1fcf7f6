package reading

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zargo-io/zargo/cmd/zargo/internal/exit"
	"github.com/zargo-io/zargo/cmd/zargo/internal/render"
	"github.com/zargo-io/zargo/cmd/zargo/internal/session"
	"github.com/zargo-io/zargo/internal/compute"
	"github.com/zargo-io/zargo/zarr/fault"
)

// Hist is the command hist.
type Hist struct {
	URL   string `arg:"" name:"url" help:"The array."`
	Bins  int    `default:"20" help:"Number of bins, at most 1000." placeholder:"N"`
	Range string `help:"Lowest and highest value: 250:310. The default is the range of the values, which is found in a first pass over the array." placeholder:"LOW:HIGH"`
	valueFlags
	JSON bool `name:"json" help:"Print one JSON object."`
}

// maxBins is the maximum number of bins. hist prints one line for each bin.
const maxBins = 1000

// histInfo is the JSON object that hist prints, documented in docs/reference/cli.md. Members may be
// added but must never be removed or change their meaning.
type histInfo struct {
	URL     string    `json:"url"`
	Units   string    `json:"units,omitempty"`
	Decoded bool      `json:"decoded"`
	Below   int64     `json:"below"`
	Above   int64     `json:"above"`
	Edges   []float64 `json:"edges"`
	Counts  []int64   `json:"counts"`
}

// Run prints a histogram of an array.
func (c *Hist) Run(ctx context.Context, s *session.Session) error {
	if c.Bins < 1 || c.Bins > maxBins {
		return exit.Usagef("--bins must be from 1 to %d, is %d", maxBins, c.Bins)
	}
	low, high, err := c.limits()
	if err != nil {
		return err
	}
	items, err := c.checked()
	if err != nil {
		return err
	}
	p, a, err := s.OpenArray(ctx, c.URL, c.Options()...)
	if err != nil {
		return err
	}
	defer p.Release()
	v, err := c.values(ctx, s, p, a, items)
	if err != nil {
		return p.Fail(err)
	}
	if c.Range == "" {
		r, err := v.summary(ctx, s)
		if err != nil {
			return v.Fail(err)
		}
		if r.Count == 0 {
			return v.Fail(fault.Newf(fault.Selection, "all %d elements are missing or infinite", r.Elements))
		}
		low, high = floatOf(r.Min), floatOf(r.Max)
	}
	h, err := compute.NewHistogram(low, high, c.Bins)
	if err == nil {
		err = v.count(ctx, s, h)
	}
	if err != nil {
		return v.Fail(err)
	}
	s.WarnOfMissing(ctx, v.Place, v.a)
	info := &histInfo{v.Where, v.units, v.coding != nil, h.Below, h.Above, h.Edges, h.Counts}
	if c.JSON {
		return v.Fail(render.JSON(s.Out, info))
	}
	return v.Fail(info.print(s.Out, s.Columns))
}

// count adds the selected elements to a histogram.
func (v *values) count(ctx context.Context, s *session.Session, h *compute.Histogram) error {
	of, err := v.source(s)
	if err != nil {
		return err
	}
	return h.Count(ctx, of)
}

// limits parses --range.
func (c *Hist) limits() (low, high float64, err error) {
	if c.Range == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(c.Range, ":")
	low, err = strconv.ParseFloat(strings.TrimSpace(a), 64)
	if err == nil {
		high, err = strconv.ParseFloat(strings.TrimSpace(b), 64)
	}
	if err != nil || !ok || !(low < high) || !(high-low < 1e308*1.7) {
		return 0, 0, exit.Usagef("--range must be two finite numbers in ascending order, such as 250:310, is %q", c.Range)
	}
	return low, high, nil
}

// floatOf converts Min or Max of a summary to float64.
func floatOf(v any) float64 {
	return reflect.ValueOf(v).Convert(reflect.TypeFor[float64]()).Float()
}

// minBar is the minimum length of the longest bar in characters.
const minBar = 10

// print prints one line for each bin: its lower edge, its count and a bar.
func (i *histInfo) print(out io.Writer, width int) error {
	edges, counts, most := make([]string, len(i.Edges)), make([]string, len(i.Counts)), int64(1)
	edge, count, total := 0, 0, int64(0)
	for k, f := range i.Edges {
		edges[k] = strconv.FormatFloat(f, 'g', 6, 64)
		edge = max(edge, len(edges[k]))
	}
	for k, n := range i.Counts {
		counts[k] = strconv.FormatInt(n, 10)
		count, most, total = max(count, len(counts[k])), max(most, n), total+n
	}
	if i.Units != "" {
		fmt.Fprintf(out, "%s in %s\n", render.OneLine(i.URL), render.OneLine(i.Units))
	} else {
		fmt.Fprintf(out, "%s\n", render.OneLine(i.URL))
	}
	bar := max(width-edge*2-count-6, minBar)
	for k, n := range i.Counts {
		line := fmt.Sprintf("%*s to %*s  %*s  %s", edge, edges[k], edge, edges[k+1], count, counts[k], barOf(n, most, bar))
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	_, err := fmt.Fprintf(out, "%d counted, %d below, %d above\n", total, i.Below, i.Above)
	return err
}

// barOf returns a bar of block characters. Its length is a multiple of an eighth of a character.
// The bar of a positive count is not empty.
func barOf(n, most int64, width int) string {
	if n == 0 {
		return ""
	}
	steps := max(int(float64(n)/float64(most)*float64(8*width)), 1)
	bar := strings.Repeat("█", steps/8)
	if rest := steps % 8; rest > 0 {
		last, _ := utf8.DecodeRuneInString("▏▎▍▌▋▊▉"[3*(rest-1):])
		bar += string(last)
	}
	return bar
}
