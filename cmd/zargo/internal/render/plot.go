package render

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"
)

// Line is a line of values for a plot. It holds the mean of the values in each column of the plot,
// so its memory does not depend on the number of values.
type Line struct {
	n, seen int
	means   []float64
	counts  []int
	missing int
}

// NewLine returns a line of n values, to be drawn in at most the given number of columns.
func NewLine(n, columns int) *Line {
	columns = max(min(n, columns), 1)
	return &Line{n: n, means: make([]float64, columns), counts: make([]int, columns)}
}

// Add adds the next value. NaN is a missing value, and so are the infinities.
func (l *Line) Add(v float64) {
	k := l.columnOf(l.seen)
	if l.seen++; math.IsNaN(v) || math.IsInf(v, 0) {
		l.missing++
		return
	}
	l.counts[k]++
	n := float64(l.counts[k])
	l.means[k] += v/n - l.means[k]/n // does not overflow, unlike a sum
}

// columnOf returns the column of the i-th value.
func (l *Line) columnOf(i int) int {
	return min(int(float64(i)*float64(len(l.means))/float64(l.n)), len(l.means)-1)
}

// at returns the value at a position between 0 and 1 along the line. Between two columns it is
// interpolated, or that of the nearer column if one of them is a gap. It is NaN at a gap.
func (l *Line) at(where float64) float64 {
	x := where * float64(len(l.means)-1)
	k := int(x)
	f := x - float64(k)
	if f == 0 || k+1 == len(l.means) {
		return l.mean(k)
	}
	left, right := l.mean(k), l.mean(k+1)
	switch {
	case !math.IsNaN(left) && !math.IsNaN(right):
		return left*(1-f) + right*f
	case f < 0.5:
		return left
	}
	return right
}

func (l *Line) mean(k int) float64 {
	if l.counts[k] == 0 {
		return math.NaN()
	}
	return l.means[k]
}

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
	low, high := math.Inf(1), math.Inf(-1)
	for k := range l.means {
		if v := l.mean(k); !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		_, err := fmt.Fprintf(w, "%s: all %s are missing\n", OneLine(p.Name), Plural(l.n, "value"))
		return err
	}
	rows := max(p.Height-3, 1) // without the axis, its labels and the caption
	// asciigraph converts values to int, so it gets the row numbers instead of the values.
	valueAt := func(row float64) float64 {
		f := row / float64(rows)
		return low*(1-f) + high*f
	}
	wide := 0
	for row := range rows + 1 {
		wide = max(wide, len(short(valueAt(float64(row)))))
	}
	label, most := p.labels(l.n)
	columns := max(p.Width-wide-plotMargin-(most+1)/2, plotMin)
	series := make([]float64, columns)
	for x := range series {
		where := 0.0
		if columns > 1 {
			where = float64(x) / float64(columns-1)
		}
		if series[x] = l.at(where); low < high {
			series[x] = (series[x]/2 - low/2) / (high/2 - low/2) * float64(rows)
		} else if !math.IsNaN(series[x]) {
			series[x] = 0
		}
	}
	options := []asciigraph.Option{
		asciigraph.Height(rows),
		asciigraph.YAxisValueFormatter(func(row float64) string { return short(valueAt(row)) }),
		asciigraph.XAxisRange(0, float64(l.n-1)),
		asciigraph.XAxisTickCount(ticksOf(l.n, columns/(most+2))),
		asciigraph.XAxisValueFormatter(func(x float64) string { return label(int(math.Round(x))) }),
	}
	if low < high {
		options = append(options, asciigraph.LowerBound(0), asciigraph.UpperBound(float64(rows)))
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", asciigraph.Plot(series, options...), OneLine(p.caption(l)))
	return err
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

// labels returns the labels of n values, and the length of the longest of those that may be shown.
// Times are shortened to dates if all are at midnight, and to minutes if they have no seconds.
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

// short formats a value of the vertical axis with at most five digits.
func short(v float64) string { return fmt.Sprintf("%.5g", v) }
