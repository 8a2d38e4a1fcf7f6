package render

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"
)

// Plot determines how a line is drawn.
type Plot struct {
	Width, Height int                // of the drawing, with its labels
	Name          string             // of the values
	Axis          string             // name of the axis
	Label         func(i int) string // of the i-th value along the axis
}

const (
	plotMargin = 4  // columns between the labels of the values and the plot
	plotLabel  = 20 // maximum number of characters of a label of the axis
	plotTicks  = 9  // maximum number of labels of the axis
	plotMin    = 10 // minimum number of columns and rows
)

// Draw draws the line.
func (p Plot) Draw(w io.Writer, l *Line) error {
	if low, high := l.bounds(); low > high {
		_, err := fmt.Fprintf(w, "%s: all %s are missing\n", OneLine(p.Name), Plural(l.n, "value"))
		return err
	}
	label, most := p.labels(l.n)
	s, wide, space := scale{}, 0, 0
	for all := l; ; wide = s.wide() { // in fewer columns the means differ, and may have longer labels
		space = max(p.Width-wide-plotMargin-(most+1)/2, plotMin)
		l = all.within(space)
		if s = scaleOf(l, max(p.Height-3, 1)); s.wide() <= wide { // without the axis, its labels and the caption
			break
		}
	}
	columns := len(l.means)
	each := 1 // columns of the plot from one column of the line to the next
	if columns > 1 {
		each = max((space-1)/(columns-1), 1)
		columns = each*(columns-1) + 1
	}
	series := make([]float64, columns)
	for x := range series {
		series[x] = s.row(l.at(x/each, float64(x%each)/float64(each)))
	}
	options := []asciigraph.Option{
		asciigraph.Height(s.rows),
		asciigraph.YAxisValueFormatter(s.label),
		asciigraph.XAxisRange(0, float64(l.n-1)),
		asciigraph.XAxisTickCount(ticksOf(l.n, columns/(most+2))),
		asciigraph.XAxisValueFormatter(func(x float64) string { return label(int(math.Round(x))) }),
	}
	if s.low < s.high {
		options = append(options, asciigraph.LowerBound(0), asciigraph.UpperBound(float64(s.rows)))
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", asciigraph.Plot(series, options...), OneLine(p.caption(l)))
	return err
}

// scale is the vertical axis of a plot. asciigraph converts values to int, so it gets the numbers
// of rows instead of the values.
type scale struct {
	low, high float64
	rows      int // row 0 has the value low, and row rows the value high
}

func scaleOf(l *Line, rows int) scale {
	low, high := l.bounds()
	return scale{low, high, rows}
}

// row returns the row of a value, or NaN for a gap.
func (s scale) row(v float64) float64 {
	if s.low < s.high {
		return (v/2 - s.low/2) / (s.high/2 - s.low/2) * float64(s.rows)
	}
	return v - v // 0 or NaN
}

// label formats the value of a row with at most five digits.
func (s scale) label(row float64) string {
	f := math.Round(row) / float64(s.rows)
	v := s.low*(1-f) + s.high*f
	if math.Abs(v) < max(math.Abs(s.low), math.Abs(s.high))*1e-12 { // rounding errors
		v = 0
	}
	return fmt.Sprintf("%.5g", v)
}

// wide returns the length of the longest label.
func (s scale) wide() int {
	n := 0
	for row := range s.rows + 1 {
		n = max(n, len(s.label(float64(row))))
	}
	return n
}

// ticksOf returns the number of labels of an axis of n values: at most the given number, and if
// possible so many that each label belongs to one value.
func ticksOf(n, most int) int {
	most = max(min(most, plotTicks, n), 2)
	for t := most; t > most/2 && t > 2; t-- {
		if (n-1)%(t-1) == 0 {
			return t
		}
	}
	return most
}

// caption describes the plot.
func (p Plot) caption(l *Line) string {
	s := fmt.Sprintf("%s along %s: %s", p.Name, p.Axis, Plural(l.n, "value"))
	if each := (l.n + len(l.means) - 1) / len(l.means); each > 1 {
		s += fmt.Sprintf(", means of up to %d", each)
	}
	if l.missing > 0 {
		s += fmt.Sprintf(", %d missing", l.missing)
	}
	return s
}

// labels returns a function that formats the labels of n values, and the length of the longest
// label that may be printed. It shortens times to dates if all of them are at midnight, and to
// minutes if their seconds are 0.
func (p Plot) labels(n int) (label func(i int) string, most int) {
	var shown []string
	for count := 2; count <= plotTicks; count++ { // the plot shows 2 to plotTicks labels
		for k := range count {
			shown = append(shown, p.Label(int(math.Round(float64(k)*float64(n-1)/float64(count-1)))))
		}
	}
	cut := ""
	for _, end := range []string{":00", "T00:00:00"} {
		all := true
		for _, s := range shown {
			all = all && strings.HasSuffix(s, end) && strings.Contains(s, "T")
		}
		if all {
			cut = end
		}
	}
	for _, s := range shown {
		most = max(most, utf8.RuneCountInString(tick(s, cut)))
	}
	return func(i int) string { return tick(p.Label(i), cut) }, most
}

// tick returns a label of the axis without the suffix cut, and with at most plotLabel characters.
func tick(label, cut string) string {
	r := []rune(OneLine(strings.TrimSuffix(label, cut)))
	if len(r) > plotLabel {
		r = append(r[:plotLabel-1], '…')
	}
	return string(r)
}
